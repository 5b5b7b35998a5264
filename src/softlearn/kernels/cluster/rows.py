"""What the clustering kernels read and write, and what each array means."""

from __future__ import annotations

from typing import Final, NamedTuple

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets

# Rows at a larger squared distance than this are not alike; scores are sums in single precision.
DIFFERENT: Final = 2.0**-10


class RowData(NamedTuple):
    """Weighted rows: indicators of levels, and standardised numbers.

    The indicators are a matrix or compressed rows; the other form is empty.
    """

    dense: AnyArray  # (features, rows) float32, or (0, 0)
    start: Offsets  # (rows + 1,), or (1,)
    feature: Ids
    numbers: Floats  # (numeric columns, rows), NaN where missing
    weights: Floats  # (rows,)
    groups: Offsets  # (discrete columns + 1,)
    single: Bools  # (discrete columns,)


class Planes(NamedTuple):
    """How clusters score rows: everything is linear in what a row has.

    A row's score is base + slope · indicators + Σ (c₀ + c₁ z + c₂ z²) over its observed numbers z.
    """

    base: Floats  # (clusters,)
    slope: Floats  # (clusters, features)
    numbers: Floats  # (clusters, numeric columns, 3)


class Sums(NamedTuple):
    """What the rows brought to each cluster."""

    mass: Floats  # (clusters,)
    indicators: Floats  # (clusters, features)
    numbers: Floats  # (clusters, numeric columns, 3)  mass, sum and sum of squares


class ClusterOptions(NamedTuple):
    """How rows are clustered."""

    kmeans_iterations: int  # at most
    kmeans_tolerance: float  # least fall of the squared error a unit of weight and column
    em_iterations: int  # at most; 0 for k-means alone
    em_tolerance: float  # least growth of the mean log-likelihood, as a share of it
    sharpness: float  # share of each row in its own cluster when EM takes over from k-means
    smoothing: float  # pseudo-count of each level
    probability_floor: float  # of a level in a component
    deviation_floor: float  # of a number in a component
    beta: float  # how hard the memberships of k-means are
    soft: bool  # whether rows are shared; otherwise each goes to its best cluster
