"""What the clustering kernels read and write, and what each array means."""

from __future__ import annotations

from typing import Final, NamedTuple

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets, States

# Rows at a larger squared distance than this are not alike; scores are sums in single precision.
DIFFERENT: Final = 2.0**-10


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
    kmeans_tolerance: float  # least fall of the squared error a unit of weight and column
    em_iterations: int  # at most; 0 for k-means alone
    em_tolerance: float  # least growth of the mean log-likelihood, as a share of it
    sharpness: float  # share of each row in its own cluster when EM takes over from k-means
    smoothing: float  # pseudo-count of each level
    probability_floor: float  # of a level in a component
    deviation_floor: float  # of a number in a component
    beta: float  # how hard the memberships of k-means are
    soft: bool  # whether rows are shared; otherwise each goes to its best cluster
