"""Every choice that growing a circuit leaves open, in one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from softlearn.numeric_policy import (
    LAPLACE_SMOOTHING,
    NEGLIGIBLE_WEIGHT,
    RELATIVE_DEVIATION_FLOOR,
    SIGNIFICANCE,
    SIGNIFICANCE_OF_TWO_LEVELS,
)
from softlearn.stats.independence import Test
from softlearn.table.schema import Schema

Clustering: TypeAlias = Literal["em", "kmeans"]
LeafChoice: TypeAlias = Literal["gaussian", "histogram"]
SmoothingPer: TypeAlias = Literal["column", "level"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowConfig:
    """How a circuit is grown; the estimators explain each choice.

    Attributes
    ----------
    soft
        Whether clusters share rows (SoftLearn) or each row goes to one (LearnSPN).
    ranks
        Whether pairs with numbers are tested by their ranks alone (Kendall, Kruskal–Wallis)
        instead of by ranks and tables of quantile bins.
    """

    soft: bool = True
    ranks: bool = False
    clustering: Clustering = "em"
    n_clusters: int = 2
    significance: float = SIGNIFICANCE
    smoothing: float = LAPLACE_SMOOTHING
    smoothing_per: SmoothingPer = "column"
    beta: float = 40.0
    max_iter: int = 100
    min_weight: float = NEGLIGIBLE_WEIGHT
    leaf: LeafChoice | Mapping[str, LeafChoice] = "gaussian"
    deviation_floor: float = RELATIVE_DEVIATION_FLOOR
    test: Test = "chi2"
    max_depth: int | None = None
    max_nodes: int | None = None
    time_budget: float | None = None


def usual_significance(schema: Schema) -> float:
    """Return the level of the tests that loses least on tables of this kind."""
    has_two_levels = all(column.is_discrete and column.n_levels == 2 for column in schema)
    return SIGNIFICANCE_OF_TWO_LEVELS if has_two_levels else SIGNIFICANCE
