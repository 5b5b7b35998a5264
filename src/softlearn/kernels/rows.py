"""What the clustering kernels read and write, and what each array means."""

from __future__ import annotations

from typing import Final, NamedTuple

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets

# What a pass makes of the scores.
HARD: Final = 0  # each row goes to the best cluster
SOFT: Final = 1  # each row is shared out by the softmax of its scores
SCORE: Final = 2  # the scores themselves; nothing is added up

# Rows at a larger squared distance than this are not alike; scores are sums in single precision.
DIFFERENT: Final = 2.0**-10


class RowData(NamedTuple):
    """Weighted rows; see ``softlearn.stats.rows.WeightedRows``.

    The indicators are a matrix, or a listing of their ones; the other form is empty.
    """

    dense: AnyArray  # (rows, features) float32, or (0, 0)
    start: Offsets  # (rows + 1,), or (1,)
    feature: Ids
    numbers: Floats  # (rows, numeric columns)
    weights: Floats  # (rows,)
    groups: Offsets  # (discrete columns + 1,)
    single: Bools  # (discrete columns,)


class Clusters(NamedTuple):
    """How clusters score rows: a plane over the indicators and a parabola a number.

    A row's score is base + slope · indicators + Σ (height − sharpness (number − mean)²).
    """

    base: Floats  # (clusters,)
    slope: AnyArray  # (clusters, features) float32
    mean: Floats  # (clusters, numeric columns)
    sharpness: Floats  # (clusters, numeric columns)
    height: Floats  # (clusters, numeric columns)


class ClusterSums(NamedTuple):
    """What the rows brought to each cluster."""

    membership: Floats  # (rows, clusters)
    mass: Floats  # (clusters,)
    indicators: Floats  # (clusters, features)
    numbers: Floats  # (clusters, numeric columns, 3)  mass, sum and sum of squares
