"""Arrays that grow inside a kernel: the stack of open slices, and the nodes."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.kernels.compile import allocating_inner, inner
from softlearn.kernels.grow.work import Nodes, OpenSlice, OpenSlices


@allocating_inner
def pop(work: OpenSlices) -> OpenSlice:
    """Take the last slice off the stack."""
    last = work.size[0] - 1
    row = work.row_end[last - 1] if last > 0 else 0
    column = work.column_end[last - 1] if last > 0 else 0
    task = OpenSlice(
        work.rows[row : work.size[1]].copy(),
        work.weights[row : work.size[1]].copy(),
        work.columns[column : work.size[2]].copy(),
        work.fallback[column : work.size[2]].copy(),
        work.parent[last],
        work.edge[last],
        work.seed[last],
        work.depth[last],
        work.connected[last],
        work.n_nodes[last],
    )
    work.size[0], work.size[1], work.size[2] = last, row, column
    return task


@allocating_inner
def push(work: OpenSlices, task: OpenSlice) -> OpenSlices:
    """Put a slice on the stack; return the stack, which may have moved."""
    n, row, column = work.size[0], work.size[1], work.size[2]
    row_end, column_end = row + task.rows.size, column + task.columns.size
    if n == work.parent.size or row_end > work.rows.size or column_end > work.columns.size:
        work = OpenSlices(
            work.size,
            _grown(work.rows, row_end),
            _grown(work.weights, row_end),
            _grown(work.columns, column_end),
            _grown(work.fallback, column_end),
            _grown(work.row_end, n + 1),
            _grown(work.column_end, n + 1),
            _grown(work.parent, n + 1),
            _grown(work.edge, n + 1),
            _grown(work.seed, n + 1),
            _grown(work.depth, n + 1),
            _grown(work.connected, n + 1),
            _grown(work.n_nodes, n + 1),
        )
    for i in range(task.rows.size):
        work.rows[row + i] = task.rows[i]
        work.weights[row + i] = task.weights[i]
    for j in range(task.columns.size):
        work.columns[column + j] = task.columns[j]
        work.fallback[column + j] = task.fallback[j]
    work.row_end[n], work.column_end[n] = row_end, column_end
    work.parent[n], work.edge[n], work.seed[n] = task.parent, task.edge, task.seed
    work.depth[n], work.connected[n], work.n_nodes[n] = task.depth, task.connected, task.n_nodes
    work.size[0], work.size[1], work.size[2] = n + 1, row_end, column_end
    return work


@allocating_inner
def with_room(nodes: Nodes, n_nodes: int, n_statistics: int) -> Nodes:
    """Return the nodes with room for so many nodes and statistics in all."""
    if n_nodes <= nodes.kind.size and n_statistics <= nodes.statistics.size:
        return nodes
    return Nodes(
        nodes.size,
        _grown(nodes.kind, n_nodes),
        _grown(nodes.parent, n_nodes),
        _grown(nodes.weight, n_nodes),
        _grown(nodes.column, n_nodes),
        _grown(nodes.place, n_nodes),
        _grown(nodes.statistics, n_statistics),
    )


@inner
def add_node(nodes: Nodes, parent: int, weight: float) -> int:
    """Add a node, for which there must be room, of no kind yet; return its id."""
    node = nodes.size[0]
    nodes.parent[node], nodes.weight[node] = parent, weight
    nodes.size[0] = node + 1
    return int(node)


@allocating_inner
def _grown(array: AnyArray, needed: int) -> AnyArray:
    """Return the array, or a copy of twice the size that is needed."""
    if needed <= array.size:
        return array
    larger = np.empty(2 * needed, array.dtype)
    for i in range(array.size):
        larger[i] = array[i]
    return larger
