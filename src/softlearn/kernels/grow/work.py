"""A growing circuit as its kernel sees it: the table, the choices, the open slices, the nodes."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets, States
from softlearn.kernels.cluster.rows import ClusterOptions

# Kinds of nodes, as in a circuit.
LEAF: Final = 0
PRODUCT: Final = 1
SUM: Final = 2


class BinaryTable(NamedTuple):
    """All rows of a table whose columns have two levels and no missing cell.

    Which cells are 1 is a matrix, or a listing of them; the other form is empty.
    """

    dense: Kinds  # (columns, rows), or (0, 0)
    start: Offsets  # (rows + 1,), or (1,)
    feature: Ids
    weights: Floats  # (rows,)
    prior: Floats  # (columns, 2) pseudo-counts of the levels


class GrowthOptions(NamedTuple):
    """How slices are split."""

    n_clusters: int
    cluster: ClusterOptions
    critical: float  # of the test of a pair
    least_mass: float  # a cell of a pair's table, below which nothing is tested
    g_test: bool
    min_weight: float  # share of a row's own weight that a cluster does not carry on
    max_depth: int


class OpenSlice(NamedTuple):
    """One piece of open work: some rows with their weights, over some columns."""

    rows: Ids
    weights: Floats  # (rows,)
    columns: Ids
    parent: int  # -1 if it is the first
    edge: float  # the weight of its edge from the parent
    seed: np.uint64
    depth: int
    connected: bool  # whether it is known not to fall into independent parts
    n_nodes: float  # how many nodes it may become


class OpenSlices(NamedTuple):
    """A stack of open slices: their rows and columns stand behind each other in long arrays.

    The children of a node are put on it in reverse, so nodes are made in the order of a walk.
    """

    size: Offsets  # (3,) how many slices, rows and columns there are
    rows: Ids
    weights: Floats  # beside `rows`
    columns: Ids
    row_end: Offsets  # (slices,) each begins where the one before it ends
    column_end: Offsets
    parent: Offsets
    edge: Floats
    seed: States
    depth: Offsets
    connected: Bools
    n_nodes: Floats


class Nodes(NamedTuple):
    """A tree: a node has a higher id than its parent; children are in the order of their ids."""

    size: Offsets  # (1,) how many nodes there are
    kind: Kinds
    parent: Offsets  # -1 for the first node
    weight: Floats  # of the edge from the parent
    column: Ids  # of a leaf
    levels: Floats  # (nodes, 2) of a leaf: the probabilities of its levels
