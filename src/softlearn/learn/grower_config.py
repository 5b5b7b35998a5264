"""The parameters of learners that grow a circuit, in groups that other learners can reuse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from softlearn.learn.config import Clustering, GrowConfig, GrowerLeaf, LeafChoice, SmoothingPer
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import folder, number, one_of, one_per_column, or_none, whole
from softlearn.numeric_policy import (
    LAPLACE_SMOOTHING,
    NEGLIGIBLE_WEIGHT,
    RELATIVE_DEVIATION_FLOOR,
    ROWS_OF_A_TREE,
    SMOOTHING_GRID,
)
from softlearn.stats.independence import Test
from softlearn.table.schema import Schema

_DEFAULT = GrowConfig()
_PAPERS_SIGNIFICANCES = (0.01, 0.001, 0.0001)
# On the twenty binary tables, the best value ranges from the smallest to the largest of these.
_WIDE_SIGNIFICANCES = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5)
_WIDE_SMOOTHING = (0.03, 0.1, 0.3, 1.0)


@dataclass(frozen=True, kw_only=True)
class Splits:
    """How rows and columns are split."""

    clustering: Clustering = parameter(
        _DEFAULT.clustering,
        one_of("em", "kmeans"),
        "How rows are clustered: a mixture of independent columns fitted by EM, or k-means.",
        wide=("em", "kmeans"),
    )
    n_clusters: int = parameter(
        _DEFAULT.n_clusters,
        whole(1),
        "The maximum number of clusters per split; 1 treats all columns as independent. With more "
        "clusters, rows drawn from models of large tables are harder to tell from real ones, but "
        "unseen rows usually score lower.",
        wide=(2, 3, 4, 6),
    )
    test: Test = parameter(
        _DEFAULT.test,
        one_of("chi2", "g"),
        "The statistic of the tests of independence on tables: Pearson's chi-square or the "
        "likelihood ratio, G.",
    )
    significance: float | None = parameter(
        None,
        or_none(number("a number between 0 and 1, both excluded", lambda x: 0.0 < x < 1.0)),
        "Columns depend on each other when a test of independence rejects at this level; smaller "
        "values give smaller circuits. By default it falls with the number of pairs of columns "
        "that a node tests, so that in every second node about one independent pair passes as "
        "dependent (up to two per node in small tables, or if all columns have two levels), and "
        "with the weight of its rows, because many rows make even negligible dependence "
        "significant.",
        grid=_PAPERS_SIGNIFICANCES,
        wide=(None, *_WIDE_SIGNIFICANCES),
    )
    max_iter: int = parameter(
        _DEFAULT.max_iter,
        whole(1),
        "The maximum number of iterations of a clustering; 2 is *Early SoftLearn*.",
    )
    min_weight: float = parameter(
        NEGLIGIBLE_WEIGHT,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "A node ignores rows that keep less than this share of their weight in it; 0 keeps all. "
        "With EM, tests and clustering ignore rows below ten times this share.",
    )


@dataclass(frozen=True, kw_only=True)
class Smoothing:
    """How leaves are estimated."""

    smoothing: float = parameter(
        LAPLACE_SMOOTHING,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "Smoothing: the number of pseudo-rows added to every column with levels, and to every bin "
        "of a histogram.",
        grid=SMOOTHING_GRID,
        wide=_WIDE_SMOOTHING,
    )
    smoothing_per: SmoothingPer | None = parameter(
        None,
        or_none(one_of("column", "level")),
        "Whether the pseudo-rows are per column, shared by its levels in proportion to their "
        "frequency in the table, or per level, which is Laplace smoothing. Default: per column, "
        "unless all columns have two levels.",
    )
    # The minimum standard deviation of a Gaussian leaf, relative to its column's; for experiments.
    deviation_floor: float = RELATIVE_DEVIATION_FLOOR


@dataclass(frozen=True, kw_only=True)
class Leaves(Smoothing):
    """The kinds of leaves, and how they are estimated."""

    leaf: LeafChoice | Mapping[str, LeafChoice] = parameter(
        "gaussian",
        one_per_column("gaussian", "histogram"),
        "The leaves of integer, numeric and datetime columns without a scale; those not in a "
        "mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale, "
        "which are all others that are not declared plain, have leaves over its cells.",
    )


@dataclass(frozen=True, kw_only=True)
class GrowerLeaves(Smoothing):
    """The kinds of leaves of a grown circuit, and how they are estimated."""

    smoothing: float = parameter(
        LAPLACE_SMOOTHING,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "Smoothing: the number of pseudo-rows of a leaf for every level that it has seen, and for "
        "every bin of a histogram.",
        grid=SMOOTHING_GRID,
        wide=_WIDE_SMOOTHING,
    )
    smoothing_per: SmoothingPer | None = parameter(
        None,
        or_none(one_of("column", "level")),
        "Whether these pseudo-rows are per column, shared equally by all its levels, or per level, "
        "seen or not, which is Laplace smoothing. Default: per column, unless all columns have "
        "two levels.",
    )
    leaf: GrowerLeaf | Mapping[str, LeafChoice] = parameter(
        "gaussian",
        one_per_column("gaussian", "histogram", or_for_all=("chow-liu",)),
        "The leaves of integer, numeric and datetime columns without a scale; those not in a "
        "mapping are Gaussian. A column with histogram leaves has no scale. Columns with a scale, "
        "which are all others that are not declared plain, have leaves over its cells. With "
        "`chow-liu`, columns that are not split any further are modelled by a tree, in which each "
        "depends on one other, instead of as independent.",
        wide=("gaussian", "chow-liu"),
    )


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits on the size of a circuit and on the time to grow it."""

    max_depth: int | None = parameter(
        None,
        or_none(whole(0)),
        "The maximum number of splits between the root and a leaf; 0 treats all columns as "
        "independent.",
    )
    min_rows: int | None = parameter(
        None,
        or_none(whole(0)),
        "Nodes with a smaller weight of rows are not split. Default: 0, or "
        f"{ROWS_OF_A_TREE} if leaf is `chow-liu`.",
    )
    max_nodes: int | None = parameter(
        None,
        or_none(whole(1)),
        "The approximate maximum number of nodes; there is always one leaf per column.",
    )
    time_budget: float | None = parameter(
        None,
        or_none(number("a number of seconds above 0", lambda x: x > 0.0)),
        "Seconds after which splitting stops. The result then depends on the machine.",
    )


@dataclass(frozen=True, kw_only=True)
class Finish:
    """Optimisation of a grown circuit."""

    fine_tune: int = parameter(
        0,
        whole(0),
        "The maximum number of EM passes over the weights and leaves of the grown circuit. If "
        "above 0, a tenth of the rows is held out for early stopping, because EM helps small "
        "circuits but overfits large ones.",
    )


@dataclass(frozen=True, kw_only=True)
class Resuming:
    """Resuming a fit after a crash."""

    checkpoint: Path | None = parameter(
        None,
        or_none(folder()),
        "A folder for finished parts of the circuit. After a crash, the same call resumes from "
        "there and gives the same circuit; then the folder is removed.",
    )


@dataclass(frozen=True, kw_only=True)
class GrowerConfig(Resuming, Finish, Limits, GrowerLeaves, Splits):
    """The parameters that all growers have."""


def usual_smoothing_per(schema: Schema) -> SmoothingPer:
    """Return the default of ``smoothing_per`` for a schema."""
    return "level" if has_two_levels(schema) else "column"


def has_two_levels(schema: Schema) -> bool:
    """Return whether all columns have two levels."""
    return all(column.is_discrete and column.n_levels == 2 for column in schema)
