"""All settings of growing a circuit, with every default resolved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from softlearn.numeric_policy import (
    CHANCE_LINKS,
    CHANCE_LINKS_TIMES_ROWS,
    CLUSTERS,
    CORE_TIMES,
    LAPLACE_SMOOTHING,
    LEVEL_TIMES_ROWS,
    MOST_CHANCE_LINKS,
    MOST_SIGNIFICANCE,
    NEGLIGIBLE_WEIGHT,
    RELATIVE_DEVIATION_FLOOR,
)
from softlearn.stats.buckets import BUCKET_ROWS
from softlearn.stats.independence import Test

Clustering: TypeAlias = Literal["em", "kmeans"]
LeafChoice: TypeAlias = Literal["gaussian", "histogram"]
GrowerLeaf: TypeAlias = Literal["gaussian", "histogram", "chow-liu"]
SmoothingPer: TypeAlias = Literal["column", "level"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowConfig:
    """The settings of growing; users choose them in ``GrowerConfig``, which explains them.

    Attributes
    ----------
    soft
        Whether clusters share rows (SoftLearn) or each row goes to one (LearnSPN).
    significance
        The level of the tests; None for one that falls with the pairs and the rows of a node.
    ranks
        Whether pairs with numbers are tested by their ranks alone (Kendall, Kruskal–Wallis)
        instead of by ranks and tables of quantile bins.
    chance_links
        How many independent pairs per node may pass as dependent, if ``significance`` is None; None
        depends on the rows of the table.
    trees
        Whether several columns that are not split any more are modelled by a Chow–Liu tree instead
        of by independent leaves.
    bucket_rows
        Slices of more rows are measured bucket by bucket.
    checkpoint
        The folder in which finished parts of the tree are stored; it does not change the circuit.
    """

    soft: bool = True
    ranks: bool = False
    clustering: Clustering = "em"
    n_clusters: int = CLUSTERS
    significance: float | None = None
    chance_links: float | None = None
    smoothing: float = LAPLACE_SMOOTHING
    smoothing_per: SmoothingPer = "column"
    beta: float = 40.0
    max_iter: int = 100
    min_weight: float = NEGLIGIBLE_WEIGHT
    leaf: LeafChoice | Mapping[str, LeafChoice] = "gaussian"
    deviation_floor: float = RELATIVE_DEVIATION_FLOOR
    test: Test = "chi2"
    trees: bool = False
    min_rows: int = 0
    max_depth: int | None = None
    max_nodes: int | None = None
    time_budget: float | None = None
    fine_tune: int = 0
    bucket_rows: int = BUCKET_ROWS
    checkpoint: Path | None = None

    @property
    def core_weight(self) -> float:
        """The share of its own weight below which a row is ignored by tests and clusters."""
        return self.min_weight * (CORE_TIMES if self.clustering == "em" else 1.0)

    def for_rows(self, mass: float) -> GrowConfig:
        """Return the settings for a table whose rows have so much weight."""
        if self.chance_links is not None:
            return self
        links = CHANCE_LINKS_TIMES_ROWS / _power_of_two_below(mass)
        return replace(self, chance_links=min(max(links, CHANCE_LINKS), MOST_CHANCE_LINKS))

    def level(self, n_columns: int, mass: float) -> float:
        """Return the level of the tests in a node of so many columns and so much weight.

        Weights are rounded down to a power of two, so that kernels can look the level up.
        """
        if self.significance is not None:
            return self.significance
        n_pairs = max(n_columns * (n_columns - 1) / 2.0, 1.0)
        links = CHANCE_LINKS if self.chance_links is None else self.chance_links
        by_rows = LEVEL_TIMES_ROWS / _power_of_two_below(mass)
        return min(MOST_SIGNIFICANCE * CHANCE_LINKS / links, links / n_pairs, by_rows)


def _power_of_two_below(mass: float) -> float:
    """Return the largest power of two up to a weight, at least 1."""
    return 2.0 ** max(math.frexp(mass)[1] - 1, 0)
