"""The arrays of the growing kernel: table, options, open slices and nodes."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets, States
from softlearn.kernels.cluster.rows import ClusterOptions

# Kinds of nodes, as in a circuit.
LEAF: Final = 0
PRODUCT: Final = 1
SUM: Final = 2
# A closed slice of several columns whose rows are kept, to be modelled later. Its statistics are
# the numbers of rows and columns, then the rows, their weights, and the columns.
KEPT: Final = 4

N_MOMENTS: Final = 5  # the fields of ``softlearn.leaf.GaussianStats``


class GrowTable(NamedTuple):
    """All rows of a table; see ``softlearn.stats.table.TrainingTable``.

    The ones of single columns are a dense or a sparse matrix; the other form is empty. A leaf's
    statistics are the weight of each level, the moments of numbers and the weight of each bin, as
    far as its column has them.
    """

    dense: Kinds  # (single columns, rows), or (0, 0)
    start: Offsets  # (rows + 1,), or (1,)
    feature: Ids  # positions among the single columns
    single_of: Offsets  # (columns,) position among the single columns, or -1
    levels: Ids  # (columns with levels, rows), -1 where missing
    levels_of: Offsets  # (columns,) position among the columns with levels, or -1
    n_levels: Offsets  # (columns,) 2 if single, 0 without levels
    number_of: Offsets  # (columns,) position among the columns with numbers, or -1
    numbers: Floats  # (columns with numbers, rows)
    codes: Kinds  # (columns, rows) for the tests, or (0, 0) if all columns are single
    n_codes: Offsets  # (columns,)
    numeric: Bools  # (columns,) whether codes are in order
    has_gaps: Bools  # (columns,) whether cells are missing
    bins: Kinds  # (columns with bins, rows)
    bins_of: Offsets  # (columns,) position among the columns with bins, or -1
    n_bins: Offsets  # (columns,)
    n_statistics: Offsets  # (columns,) of a leaf
    weights: Floats  # (rows,)
    keys: States  # (rows,) see ``RowData``


class GrowthOptions(NamedTuple):
    """How slices are split."""

    n_clusters: int
    cluster: ClusterOptions
    ranks: bool  # whether pairs with numbers are tested by their ranks alone
    critical: Floats  # (levels, 2, freedom + 1) of chi-square, at all and half of each level
    far: Floats  # (levels,) critical value of Kendall's statistic
    level_by_columns: Offsets  # (columns + 1,) which level a slice of so many columns is tested at
    level_by_mass: Offsets  # (powers of two,) and one of so much weight: the later one is stricter
    least_mass: float  # per cell of a pair's table, below which nothing is tested
    g_test: bool
    min_weight: float  # share of a row's own weight up to which a cluster drops the row
    core_weight: float  # share of it below which tests and clusters ignore a row
    max_depth: int
    min_rows: float  # a slice of less weight is closed
    keep_rows: bool  # whether a closed slice of several columns keeps its rows
    stop: Kinds  # (1,) not zero when open slices are to become leaves at once


def level_of(options: GrowthOptions, n_columns: int, mass: float) -> int:
    """Return the level at which a slice is tested: the stricter of those by columns and by mass."""
    power = min(max(math.frexp(mass)[1] - 1, 0), options.level_by_mass.size - 1)
    return int(max(options.level_by_columns[n_columns], options.level_by_mass[power]))


class OpenSlice(NamedTuple):
    """One piece of open work: some rows with their weights, over some columns."""

    rows: Ids
    weights: Floats  # (rows,)
    columns: Ids
    fallback: Offsets  # (columns,) where the statistics of a column without a cell stand, or -1
    parent: int  # -1 if it is the first
    edge: float  # the weight of its edge from the parent
    seed: np.uint64
    depth: int
    connected: bool  # whether it is known to have no independent parts
    n_nodes: float  # how many nodes it may become


class OpenSlices(NamedTuple):
    """A stack of open slices, whose rows and columns are concatenated in long arrays.

    The children of a node are put on it in reverse, so nodes are made in the order of a walk.
    """

    size: Offsets  # (3,) how many slices, rows and columns there are
    rows: Ids
    weights: Floats  # beside `rows`
    columns: Ids
    fallback: Offsets  # beside `columns`
    row_end: Offsets  # (slices,) each begins where the one before it ends
    column_end: Offsets
    parent: Offsets
    edge: Floats
    seed: States
    depth: Offsets
    connected: Bools
    n_nodes: Floats


class Split(NamedTuple):
    """The labels and clusters of a slice."""

    label: Offsets  # (columns,) equal for columns that depend on each other
    n_columns: Offsets  # (columns,) how many have each label; nothing before they were tested
    membership: Floats  # (clusters, rows)
    n_rows: Offsets  # (clusters,) rows that a cluster keeps
    mass: Floats  # (clusters,) weight of all rows in a cluster, kept or not


class Children(NamedTuple):
    """The slices that a split leaves open, in order."""

    which: Offsets  # the label of a part's columns, or the cluster
    edge: Floats  # the weight of the edge to it
    seed: States
    n_nodes: Floats  # how many nodes it may become


class Nodes(NamedTuple):
    """A tree: a node has a higher id than its parent; children are in the order of their ids."""

    size: Offsets  # (2,) how many nodes and statistics there are
    kind: Kinds
    parent: Offsets  # -1 for the first node
    weight: Floats  # of the edge from the parent
    column: Ids  # of a leaf
    place: Offsets  # of a leaf: where its statistics stand
    statistics: Floats  # of all leaves behind each other; leaves may share theirs
