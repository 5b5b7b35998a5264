"""Grow a circuit: open slices are split in one kernel until none is left.

Most slices are so small that the interpreter would take longer between the kernels than the kernels
themselves. Plain loops stand where NumPy has an expression for whole arrays, and each function has
one caller: everything else takes seconds to compile. ``tests/learn/plain_grower.py`` says what
growing is in plain Python.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets
from softlearn.kernels.cluster.by_address import run_clustering
from softlearn.kernels.compile import inner, kernel
from softlearn.kernels.grow.bins import MISSING
from softlearn.kernels.grow.by_address import run_labelling
from softlearn.kernels.grow.leaves import add_statistics
from softlearn.kernels.grow.slices import heavy, keep_heavy, take
from softlearn.kernels.grow.stacks import add_node, pop, push, with_room
from softlearn.kernels.grow.work import (
    KEPT,
    LEAF,
    PRODUCT,
    SUM,
    GrowTable,
    GrowthOptions,
    Nodes,
    OpenSlice,
    OpenSlices,
    Split,
)
from softlearn.kernels.seeds import child_seed, own_seeds


@kernel
def grow_slices(
    clustering: int,
    labelling: int,
    table: GrowTable,
    options: GrowthOptions,
    work: OpenSlices,
    nodes: Nodes,
    most: int,
) -> tuple[Nodes, OpenSlices]:
    """Split at most so many open slices, the last first; return all nodes and what is still open.

    `clustering` and `labelling` are the addresses of functions, which would otherwise be compiled
    in here.
    """
    for _ in range(most):
        if work.size[0] == 0:
            break
        task = pop(work)
        nodes = _with_room_for(table, task, nodes, options.keep_rows)
        data = take(table, task.rows, task.weights, task.columns)
        split = _no_split(task, options)
        if options.stop[0] == 0 and not _is_last(task, options):
            if not task.connected:
                run_labelling(labelling, table, data, task, options, split.label)
                _count_columns(split)
            if not are_several(split.label):
                picks = own_seeds(task.seed, options.n_clusters)
                choices, stop, membership = options.cluster, options.stop, split.membership
                found = run_clustering(clustering, data, picks, choices, stop, membership)
                _count_shares(table, task, found, options.min_weight, split)
        kind = kind_of(split)
        if kind == LEAF and options.keep_rows and task.columns.size > 1:
            _keep(task, nodes)
            continue
        places = add_statistics(
            table, data, task, _needed(table, task, kind, options, split), nodes
        )
        node = add_nodes(task, kind, split, places, nodes)
        if kind != LEAF:
            work = _push_children(table, task, kind, options, split, places, node, work)
    return nodes, work


@inner
def _with_room_for(table: GrowTable, task: OpenSlice, nodes: Nodes, keep_rows: bool) -> Nodes:
    """Return the nodes with room for a leaf and statistics of each column, or for the rows."""
    n_nodes, n_statistics = nodes.size[0] + task.columns.size + 1, nodes.size[1]
    n_statistics += 2 + 2 * task.rows.size + task.columns.size if keep_rows else 0
    for j in range(task.columns.size):
        n_statistics += table.n_statistics[task.columns[j]]
    return with_room(nodes, n_nodes, n_statistics)


@inner
def _no_split(task: OpenSlice, options: GrowthOptions) -> Split:
    """Return what a slice is before anything is known: columns of one part, and no cluster."""
    n_clusters = options.n_clusters
    return Split(
        np.zeros(task.columns.size, np.int64),
        np.zeros(task.columns.size, np.int64),
        np.empty((n_clusters, task.rows.size)),
        np.zeros(n_clusters, np.int64),
        np.zeros(n_clusters),
    )


@inner
def _is_last(task: OpenSlice, options: GrowthOptions) -> bool:
    """Return whether a slice is closed, whatever its rows say."""
    n_columns, mass = task.columns.size, 0.0
    for i in range(task.weights.size):
        mass += task.weights[i]
    is_full = task.n_nodes < 1 + options.n_clusters * (n_columns + 1)
    is_deep = task.depth >= options.max_depth or mass < options.min_rows
    return bool(n_columns == 1 or is_full or is_deep)


@inner
def _count_columns(split: Split) -> None:
    """Count the columns of each part."""
    for j in range(split.label.size):
        split.n_columns[split.label[j]] += 1


@inner
def are_several(label: Offsets) -> bool:
    """Return whether columns have different labels."""
    found = False
    for j in range(label.size):
        found |= label[j] != label[0]
    return found


@inner
def _count_shares(
    table: GrowTable, task: OpenSlice, found: int, min_weight: float, split: Split
) -> None:
    """Count the rows that each cluster carries on, and add up what it weighs."""
    for c in range(found):
        shares = split.membership[c]
        n, mass = heavy(task.rows, task.weights, shares, table.weights, min_weight)
        split.n_rows[c] = n
        split.mass[c] = mass if n > 0 else 0.0


@inner
def kind_of(split: Split) -> int:
    """Return what a slice becomes: a product, a sum, or leaves."""
    n_clusters = 0
    for c in range(split.n_rows.size):
        n_clusters += split.n_rows[c] > 0
    if are_several(split.label):
        return PRODUCT
    return SUM if n_clusters > 1 else LEAF


@inner
def _keep(task: OpenSlice, nodes: Nodes) -> None:
    """Add a node that keeps the slice, for which there must be room."""
    n_rows, n_columns = task.rows.size, task.columns.size
    node = add_node(nodes, task.parent, task.edge)
    nodes.kind[node] = KEPT
    nodes.place[node] = nodes.size[1]
    out = nodes.statistics[nodes.size[1] :]
    out[0], out[1] = n_rows, n_columns
    for i in range(n_rows):
        out[2 + i] = task.rows[i]
        out[2 + n_rows + i] = task.weights[i]
    for j in range(n_columns):
        out[2 + 2 * n_rows + j] = task.columns[j]
    nodes.size[1] += 2 + 2 * n_rows + n_columns


@inner
def _needed(
    table: GrowTable, task: OpenSlice, kind: int, options: GrowthOptions, split: Split
) -> Bools:
    """Return which columns need statistics of the slice: leaves, and what a cluster never saw."""
    which = np.zeros(task.columns.size, np.bool_)
    for j in range(which.size):
        if kind == LEAF:
            which[j] = True
        elif kind == PRODUCT:
            which[j] = split.n_columns[split.label[j]] == 1
        elif table.has_gaps[task.columns[j]]:
            codes = table.codes[task.columns[j]]
            for c in range(split.n_rows.size):
                which[j] |= split.n_rows[c] > 0 and not _is_observed(
                    codes, task, table.weights, split.membership[c], options.min_weight
                )
        which[j] &= task.fallback[j] < 0
    return which


@inner
def _is_observed(
    codes: Kinds, task: OpenSlice, own: Floats, shares: Floats, min_weight: float
) -> bool:
    """Return whether any row that a cluster carries on has a cell."""
    found = False
    for i in range(task.rows.size):
        row = task.rows[i]
        found |= codes[row] != MISSING and task.weights[i] * shares[i] > min_weight * own[row]
    return found


@inner
def add_nodes(task: OpenSlice, kind: int, split: Split, places: Offsets, nodes: Nodes) -> int:
    """Add the slice's own node, if it has one, and its leaves; return the node."""
    node, edge = task.parent, task.edge
    if kind == SUM:
        node = add_node(nodes, node, edge)
        nodes.kind[node] = SUM
        return node
    if task.columns.size > 1:
        node, edge = add_node(nodes, node, edge), 1.0
        nodes.kind[node] = PRODUCT
    for j in range(task.columns.size):
        if kind == LEAF or split.n_columns[split.label[j]] == 1:
            leaf = add_node(nodes, node, edge)
            nodes.kind[leaf], nodes.column[leaf] = LEAF, task.columns[j]
            nodes.place[leaf] = places[j]
    return node


@inner
def _push_children(
    table: GrowTable,
    task: OpenSlice,
    kind: int,
    options: GrowthOptions,
    split: Split,
    places: Offsets,
    node: int,
    work: OpenSlices,
) -> OpenSlices:
    """Open a slice for each part of a product, or for each cluster of a sum; the last first."""
    n_columns, place, n_linked, total = task.columns.size, 0, 0, 0.0
    n_candidates = n_columns if kind == PRODUCT else split.mass.size
    for c in range(n_candidates):
        size = split.n_columns[c] if kind == PRODUCT else 0
        place += size > 1 if kind == PRODUCT else split.n_rows[c] > 0
        n_linked += size if size > 1 else 0
        total += 0.0 if kind == PRODUCT else split.mass[c]
    n_leaves = n_columns - n_linked if kind == PRODUCT else 0
    n_least = n_linked + place if kind == PRODUCT else place * (n_columns + 1)
    spare = task.n_nodes - 1 - n_leaves - n_least
    for c in range(n_candidates - 1, -1, -1):
        if (kind == PRODUCT and split.n_columns[c] < 2) or (kind == SUM and split.n_rows[c] == 0):
            continue
        columns = task.columns
        if kind == PRODUCT:
            columns = _columns_of(task.columns, split.label, c, split.n_columns[c])
        rows, weights = task.rows, task.weights
        edge, share = 1.0, columns.size / max(n_linked, 1)
        if kind == SUM:
            membership, n_rows = split.membership[c], split.n_rows[c]
            rows, weights = keep_heavy(task, membership, table.weights, options.min_weight, n_rows)
            edge = share = split.mass[c] / total
        fallback = np.empty(columns.size, np.int64)
        k = 0
        for j in range(n_columns):
            if kind == SUM or split.label[j] == c:
                fallback[k] = _fallback(table, task, kind, j, rows, places[j])
                k += 1
        child = OpenSlice(
            rows,
            weights,
            columns,
            fallback,
            node,
            edge,
            child_seed(task.seed, place),
            task.depth + 1,
            kind == PRODUCT,
            columns.size + 1 + spare * share,
        )
        work = push(work, child)
        place -= 1
    return work


@inner
def _columns_of(columns: Ids, label: Offsets, own: int, n: int) -> Ids:
    """Return the n columns with a label."""
    found = np.empty(n, np.int32)
    k = 0
    for j in range(label.size):
        if label[j] == own:
            found[k] = columns[j]
            k += 1
    return found


@inner
def _fallback(table: GrowTable, task: OpenSlice, kind: int, j: int, rows: Ids, place: int) -> int:
    """Return where the statistics of a column stand of which none of these rows has a cell, or -1.

    They are those of the slice that the rows come from, or its own fallback.
    """
    if kind == PRODUCT or not table.has_gaps[task.columns[j]]:
        return int(task.fallback[j])
    codes, at = table.codes[task.columns[j]], 0
    while at < rows.size and codes[rows[at]] == MISSING:
        at += 1
    return -1 if at < rows.size else place
