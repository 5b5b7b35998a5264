"""The arrays that the kernels of growing PSDDs read; this module does not load Numba."""

from __future__ import annotations

from typing import NamedTuple

from softlearn.arrays import Bools, Floats, Ids, Offsets


class Passed(NamedTuple):
    """The edges and nodes that all rows pass, and scratch arrays to number them.

    Attributes
    ----------
    edge
        (tree nodes, rows) the edge that a row takes.
    owner
        (edges,) the node that an edge belongs to.
    train, held
        (edges,) the weight of the rows that take an edge: training rows, and held-out rows.
    share
        (edges,) the probability of an edge given its node.
    node_train, node_held
        (nodes,) the weight of the rows that pass a node.
    size
        (nodes,) number of edges.
    edge_place, node_place
        (edges,), (nodes,) -1; they are so again after every call.
    """

    edge: Ids
    owner: Ids
    train: Floats
    held: Floats
    share: Floats
    node_train: Floats
    node_held: Floats
    size: Ids
    edge_place: Ids
    node_place: Ids


class Cells(NamedTuple):
    """The cells of all rows, columns in the order of their tree.

    Attributes
    ----------
    code
        (rows, columns) levels.
    start
        (columns + 1,) where the levels of each column begin.
    row_start
        (rows + 1,) where the cells of each row begin that have another level than the first.
    column, state
        Of these cells: the column, and the level counted from the first of all columns.
    column_of
        (levels of all columns,) their column.
    is_tried
        (levels of all columns,) whether splits by a level are tried; of two levels, one is enough.
    """

    code: Ids
    start: Offsets
    row_start: Offsets
    column: Ids
    state: Ids
    column_of: Ids
    is_tried: Bools


class Places(NamedTuple):
    """Nodes of the tree of columns."""

    left: Offsets  # (nodes,) -1 for leaves
    right: Offsets
    first: Offsets  # (nodes,) the columns below: from the first
    end: Offsets  # to the one before the end
