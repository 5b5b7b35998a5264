"""Grow a circuit: open slices are split in one kernel until none is left.

Most slices are so small that the interpreter would take longer between the kernels than the kernels
themselves. Plain loops stand where NumPy has an expression for whole arrays, which takes seconds to
compile. ``tests/learn/plain_grower.py`` says the same in a hundred plain lines.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Ids, Kinds, Offsets
from softlearn.kernels.cluster.by_address import run_clustering
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import inner, kernel
from softlearn.kernels.grow.bins import MISSING
from softlearn.kernels.grow.dependence import dependent_parts
from softlearn.kernels.grow.leaves import add_leaves, add_statistics, listed_weights
from softlearn.kernels.grow.slices import keep_heavy, take
from softlearn.kernels.grow.stacks import add_node, pop, push, with_room
from softlearn.kernels.grow.work import (
    KEPT,
    PRODUCT,
    SUM,
    GrowTable,
    GrowthOptions,
    Nodes,
    OpenSlice,
    OpenSlices,
)
from softlearn.kernels.seeds import child_seed, own_uniforms


@kernel
def grow_slices(
    clustering: int,
    table: GrowTable,
    options: GrowthOptions,
    work: OpenSlices,
    nodes: Nodes,
    most: int,
) -> tuple[Nodes, OpenSlices]:
    """Split at most so many open slices, the last first; return all nodes and what is still open.

    `clustering` is the address of the clustering, which would otherwise be compiled in here.
    """
    n_clusters = options.n_clusters
    for _ in range(most):
        if work.size[0] == 0:
            break
        task = pop(work)
        nodes = _with_room_for(table, task, nodes, options.keep_rows)
        data = take(table, task.rows, task.weights, task.columns)
        if _is_last(task, options):
            _close(table, data, task, nodes, options.keep_rows)
            continue
        if not task.connected:
            parts = dependent_parts(table, data, task, options)
            size = _sizes(parts)
            if size[parts[0]] < parts.size:
                work = _product(table, data, task, parts, size, nodes, work)
                continue
        membership = np.empty((n_clusters, task.rows.size))
        uniforms = own_uniforms(task.seed, n_clusters)
        choices, stop = options.cluster, options.stop
        found = run_clustering(clustering, data, uniforms, choices, stop, membership)
        n_open = work.size[0]
        if found > 1:
            shares = membership[:found]
            work = _sum(table, data, task, shares, options.min_weight, nodes, work)
        if work.size[0] == n_open:
            _close(table, data, task, nodes, options.keep_rows)
    return nodes, work


@inner
def _with_room_for(table: GrowTable, task: OpenSlice, nodes: Nodes, keep_rows: bool) -> Nodes:
    """Return the nodes with room for a leaf per column, and a fallback of each column."""
    n_statistics = 2 + 2 * task.rows.size + task.columns.size if keep_rows else 0
    for j in range(task.columns.size):
        n_statistics += table.n_statistics[task.columns[j]]
    return with_room(nodes, task.columns.size + 1, n_statistics)


@inner
def _is_last(task: OpenSlice, options: GrowthOptions) -> bool:
    """Return whether a slice becomes leaves, whatever its rows say."""
    needed = 1 + options.n_clusters * (task.columns.size + 1)
    is_full = task.depth >= options.max_depth or task.n_nodes < needed
    if options.min_rows > 0.0:
        mass = 0.0
        for i in range(task.weights.size):
            mass += task.weights[i]
        is_full |= mass < options.min_rows
    return bool(is_full or task.columns.size == 1 or options.stop[0] != 0)


@inner
def _sizes(parts: Offsets) -> Offsets:
    """Return how many columns have each label."""
    size = np.zeros(parts.size, np.int64)
    for j in range(parts.size):
        size[parts[j]] += 1
    return size


@inner
def _product(
    table: GrowTable,
    data: RowData,
    task: OpenSlice,
    parts: Offsets,
    size: Offsets,
    nodes: Nodes,
    work: OpenSlices,
) -> OpenSlices:
    """Split the columns: those alone in their part become leaves at once."""
    node = add_node(nodes, PRODUCT, task.parent, task.edge)
    alone = np.empty(parts.size, np.bool_)
    for j in range(parts.size):
        alone[j] = size[parts[j]] == 1
    n_alone = add_leaves(table, data, task, alone, nodes, node, 1.0)
    place, n_linked = 0, parts.size - n_alone
    for part in range(size.size):
        place += size[part] > 1
    spare = task.n_nodes - 1 - n_alone - (n_linked + place)
    rows, weights, depth = task.rows, task.weights, task.depth + 1
    for part in range(size.size - 1, -1, -1):
        if size[part] > 1:
            columns = np.empty(size[part], np.int32)
            fallback = np.empty(size[part], np.int64)
            n = 0
            for j in range(parts.size):
                if parts[j] == part:
                    columns[n] = task.columns[j]
                    fallback[n] = task.fallback[j]
                    n += 1
            most = columns.size + 1 + spare * columns.size / n_linked
            seed = child_seed(task.seed, place)
            child = OpenSlice(rows, weights, columns, fallback, node, 1.0, seed, depth, True, most)
            work = push(work, child)
            place -= 1
    return work


@inner
def _sum(
    table: GrowTable,
    data: RowData,
    task: OpenSlice,
    membership: Floats,
    min_weight: float,
    nodes: Nodes,
    work: OpenSlices,
) -> OpenSlices:
    """Share the rows out, unless fewer than two clusters get any."""
    rows, weights, columns, depth = task.rows, task.weights, task.columns, task.depth + 1
    place, total = 0, 0.0
    for c in range(membership.shape[0]):
        kept, part, mass = keep_heavy(rows, weights, membership[c], table.weights, min_weight)
        place += kept.size > 0
        total += mass if kept.size > 0 else 0.0
    if place < 2:
        return work
    node = add_node(nodes, SUM, task.parent, task.edge)
    spare = task.n_nodes - 1 - place * (columns.size + 1)
    own = np.full(columns.size, -1, np.int64)  # where this slice's statistics stand
    for c in range(membership.shape[0] - 1, -1, -1):
        kept, part, mass = keep_heavy(rows, weights, membership[c], table.weights, min_weight)
        if kept.size > 0:
            share = mass / total
            most = columns.size + 1 + spare * share
            fallback = _fallback(table, data, task, kept, own, nodes)
            seed = child_seed(task.seed, place)
            child = OpenSlice(kept, part, columns, fallback, node, share, seed, depth, False, most)
            work = push(work, child)
            place -= 1
    return work


@inner
def _fallback(
    table: GrowTable, data: RowData, task: OpenSlice, rows: Ids, own: Offsets, nodes: Nodes
) -> Offsets:
    """Return where the statistics of columns stand of which none of these rows has a cell.

    They are those of the slice that the rows come from, written once, or its own fallback.
    """
    found = np.full(own.size, -1, np.int64)
    for j in range(own.size):
        column = task.columns[j]
        if not table.has_gaps[column] or _is_observed(table.codes[column], rows):
            continue
        if task.fallback[j] < 0 and own[j] < 0:
            own[j] = add_statistics(table, data, listed_weights(data), task, j, nodes)
        found[j] = own[j] if task.fallback[j] < 0 else task.fallback[j]
    return found


@inner
def _is_observed(codes: Kinds, rows: Ids) -> bool:
    """Return whether any of the rows has a cell."""
    at = 0
    while at < rows.size and codes[rows[at]] == MISSING:
        at += 1
    return at < rows.size


@inner
def _close(table: GrowTable, data: RowData, task: OpenSlice, nodes: Nodes, keep_rows: bool) -> None:
    """Make a leaf of the column, or a product of leaves of all columns, or keep the rows."""
    parent, edge = task.parent, task.edge
    if keep_rows and task.columns.size > 1:
        _keep(task, nodes)
        return
    if task.columns.size > 1:
        parent, edge = add_node(nodes, PRODUCT, parent, edge), 1.0
    every = np.ones(task.columns.size, np.bool_)
    add_leaves(table, data, task, every, nodes, parent, edge)


@inner
def _keep(task: OpenSlice, nodes: Nodes) -> None:
    """Add a node that keeps the slice, for which there must be room."""
    n_rows, n_columns = task.rows.size, task.columns.size
    node = add_node(nodes, KEPT, task.parent, task.edge)
    nodes.place[node] = nodes.size[1]
    out = nodes.statistics[nodes.size[1] :]
    out[0], out[1] = n_rows, n_columns
    for i in range(n_rows):
        out[2 + i] = task.rows[i]
        out[2 + n_rows + i] = task.weights[i]
    for j in range(n_columns):
        out[2 + 2 * n_rows + j] = task.columns[j]
    nodes.size[1] += 2 + 2 * n_rows + n_columns
