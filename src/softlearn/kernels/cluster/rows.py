"""The arrays that the clustering kernels read and write, and their meaning."""

from __future__ import annotations

from typing import Final, NamedTuple

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets, States

# Rows at a larger squared distance than this are not alike; scores are sums in single precision.
DIFFERENT: Final = 2.0**-10


# The purposes of a pass.
PICK: Final = 0  # squared distances to the rows picked so far; all rows are added up
LLOYD: Final = 1  # each row goes to the nearest centroid
EM: Final = 2  # the memberships of each row are the softmax of its scores
DISTANCE: Final = 3  # squared distances to the centroids

# The positions in a state's control.
PHASE: Final = 0
N_CLUSTERS: Final = 1
STEP: Final = 2  # passes in this phase
DONE: Final = 3


class RowData(NamedTuple):
    """Some weighted rows over some columns, as clustering reads them.

    A feature is a level. A column of two levels without a missing cell is single: its only feature
    is its second level. Features of single columns come first; which rows have them is a matrix or
    compressed rows, and the other form is empty. Other discrete columns say for each row which of
    their features it has.
    """

    dense: AnyArray  # (single columns, rows) float32, or (0, 0)
    start: Offsets  # (rows + 1,), or (1,)
    feature: Ids
    levels: Ids  # (other discrete columns, rows) features; the number of features where missing
    numbers: AnyArray  # (numeric columns, rows) float32, NaN where missing
    weights: Floats  # (rows,)
    keys: States  # (rows,) bits that depend on all cells of a row, and on nothing else
    groups: Offsets  # (discrete columns + 1,) where the features of each begin
    single: Bools  # (discrete columns,)


class RowsToCluster(NamedTuple):
    """The rows from which clusters are estimated, and all rows."""

    core: RowData  # rows of `every` that are heavy enough to influence the clusters
    every: RowData


class Planes(NamedTuple):
    """The scores of clusters, which are linear in a row's features.

    A row's score is base + slope · indicators + Σ (c₀ + c₁ z + c₂ z²) over its observed numbers z.
    """

    base: Floats  # (clusters,)
    slope: Floats  # (clusters, features)
    numbers: Floats  # (clusters, numeric columns, 3)


class Sums(NamedTuple):
    """The sums of the rows of each cluster."""

    mass: Floats  # (clusters,)
    indicators: Floats  # (clusters, features)
    numbers: Floats  # (clusters, numeric columns, 3)  mass, sum and sum of squares


class ClusterState(NamedTuple):
    """A clustering between two passes."""

    levels: Floats  # (clusters, features) centroids: the share of each level
    means: Floats  # (clusters, numbers) centroids: the mean of each number
    planes: Planes  # how the next pass scores rows
    sums: Sums  # what the last pass added up
    totals: Sums  # of all rows
    control: Offsets  # (4,)
    before: Floats  # (1,) the mean score of the pass before


class PassSums(NamedTuple):
    """The sums of some rows in a pass."""

    mass: Floats  # (clusters,)
    indicators: Floats  # (clusters, features)
    numbers: Floats  # (clusters, numeric columns, 3)
    value: Floats  # (1,) what their scores add up to


class Picked(NamedTuple):
    """The candidate row of some rows for the start of a cluster."""

    found: Offsets  # (1,) 1 if there is one
    first: States  # (1,) its place; the lowest is taken
    levels: Floats  # (features,) its centroid
    means: Floats  # (numeric columns,)


class Scratch(NamedTuple):
    """Arrays that every pass writes over; b is the number of rows in a block."""

    slope: AnyArray  # (clusters, features + 1) float32; the last, of a missing cell, is zero
    scores: AnyArray  # (clusters, b) float32
    shares: AnyArray  # (clusters, b) float32
    top: AnyArray  # (b,) float32
    total: AnyArray  # (b,) float32
    logs: AnyArray  # (b,) float32
    single: AnyArray  # (b,) float32
    part: Floats  # (b,)
    exact: Floats  # (b,)
    apart: Floats  # (clusters, 4, features + 1) sums over levels in several places, or (…, 0)


class ClusterOptions(NamedTuple):
    """How rows are clustered."""

    kmeans_iterations: int  # at most
    kmeans_tolerance: float  # least decrease of the squared error per unit of weight and column
    em_iterations: int  # at most; 0 for k-means alone
    em_tolerance: float  # least growth of the mean log-likelihood, as a share of it
    sharpness: float  # share of each row in its own cluster when EM takes over from k-means
    smoothing: float  # pseudo-count of each level
    probability_floor: float  # of a level in a component
    deviation_floor: float  # of a number in a component
    beta: float  # how hard the memberships of k-means are
    soft: bool  # whether rows are shared; otherwise each goes to its best cluster
