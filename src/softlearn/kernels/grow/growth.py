"""Grow a circuit: open slices are split in one kernel until none is left.

Most slices are so small that the interpreter would take longer between kernels than the kernels
themselves. To save seconds of compilation, there are loops instead of NumPy's expressions for
arrays, and each function has one caller. ``tests/learn/plain_grower.py`` defines growing in plain
Python.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets
from softlearn.kernels.cluster.by_address import run_clustering
from softlearn.kernels.cluster.rows import RowsToCluster
from softlearn.kernels.compile import allocating_inner, allocating_kernel, inner
from softlearn.kernels.grow.bins import MISSING
from softlearn.kernels.grow.by_address import run_labelling
from softlearn.kernels.grow.leaves import add_statistics
from softlearn.kernels.grow.slices import core_of, heavy, keep_heavy, take
from softlearn.kernels.grow.stacks import add_node, pop, push, with_room
from softlearn.kernels.grow.work import (
    KEPT,
    LEAF,
    PRODUCT,
    SUM,
    Children,
    GrowTable,
    GrowthOptions,
    Nodes,
    OpenSlice,
    OpenSlices,
    Split,
)
from softlearn.kernels.seeds import child_seed, own_seeds


@allocating_kernel
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

    `clustering` and `labelling` are addresses of functions, so that they are not compiled into this
    kernel.
    """
    for _ in range(most):
        if work.size[0] == 0:
            break
        task = pop(work)
        nodes = _with_room_for(table, task, nodes, options.keep_rows)
        data = take(table, task.rows, task.weights, task.columns)
        split = _no_split(task, options)
        mass = 0.0
        for i in range(task.weights.size):
            mass += task.weights[i]
        if options.stop[0] == 0 and not is_last(task, mass, options):
            core = core_of(task, table.weights, options.core_weight)
            core_data = take(table, core.rows, core.weights, core.columns)
            if not task.connected:
                run_labelling(labelling, table, core_data, core, options, split.label)
                for j in range(task.columns.size):
                    split.n_columns[split.label[j]] += 1
            if not are_several(split.label):
                picks = own_seeds(task.seed, options.n_clusters)
                choices, stop, membership = options.cluster, options.stop, split.membership
                both = RowsToCluster(core_data, data)
                found = run_clustering(clustering, both, picks, choices, stop, membership)
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


@allocating_inner
def _with_room_for(table: GrowTable, task: OpenSlice, nodes: Nodes, keep_rows: bool) -> Nodes:
    """Return the nodes with room for a leaf and statistics of each column, or for the rows."""
    n_nodes, n_statistics = nodes.size[0] + task.columns.size + 1, nodes.size[1]
    n_statistics += 2 + 2 * task.rows.size + task.columns.size if keep_rows else 0
    for j in range(task.columns.size):
        n_statistics += table.n_statistics[task.columns[j]]
    return with_room(nodes, n_nodes, n_statistics)


@allocating_inner
def _no_split(task: OpenSlice, options: GrowthOptions) -> Split:
    """Return the initial split of a slice: all columns in one part, and no cluster."""
    n_clusters = options.n_clusters
    return Split(
        np.zeros(task.columns.size, np.int64),
        np.zeros(task.columns.size, np.int64),
        np.empty((n_clusters, task.rows.size)),
        np.zeros(n_clusters, np.int64),
        np.zeros(n_clusters),
    )


@inner
def is_last(task: OpenSlice, mass: float, options: GrowthOptions) -> bool:
    """Return whether limits close a slice of this weight, without reading its rows."""
    n_columns = task.columns.size
    is_full = task.n_nodes < 1 + options.n_clusters * (n_columns + 1)
    is_deep = task.depth >= options.max_depth or mass < options.min_rows
    return bool(n_columns == 1 or is_full or is_deep)


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
    """Count the rows that each cluster keeps, and add up its weight."""
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


@allocating_inner
def _needed(
    table: GrowTable, task: OpenSlice, kind: int, options: GrowthOptions, split: Split
) -> Bools:
    """Return the columns that need statistics: leaves, and columns unseen by a cluster."""
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
    """Return whether any row that a cluster keeps has an observed cell."""
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


@allocating_inner
def children_of(
    task: OpenSlice, kind: int, n_columns: Offsets, n_rows: Offsets, mass: Floats
) -> Children:
    """Return the children that remain to be grown: parts of a product, or clusters of a sum."""
    n_candidates = n_columns.size if kind == PRODUCT else mass.size
    n_candidates = 0 if kind == LEAF else n_candidates
    n_children, n_linked, total = 0, 0, 0.0
    for c in range(n_candidates):
        if kind == PRODUCT:
            n_children += n_columns[c] > 1
            n_linked += n_columns[c] if n_columns[c] > 1 else 0
        else:
            n_children += n_rows[c] > 0
            total += mass[c]
    children = Children(
        np.empty(n_children, np.int64),
        np.empty(n_children),
        np.empty(n_children, np.uint64),
        np.empty(n_children),
    )
    n_alone = task.columns.size - n_linked if kind == PRODUCT else 0
    n_least = n_linked + n_children if kind == PRODUCT else n_children * (task.columns.size + 1)
    spare = task.n_nodes - 1 - n_alone - n_least
    k = 0
    for c in range(n_candidates):
        if (kind == PRODUCT and n_columns[c] < 2) or (kind == SUM and n_rows[c] == 0):
            continue
        size = n_columns[c] if kind == PRODUCT else task.columns.size
        share = size / n_linked if kind == PRODUCT else mass[c] / total
        children.which[k] = c
        children.edge[k] = 1.0 if kind == PRODUCT else share
        children.seed[k] = child_seed(task.seed, k + 1)
        children.n_nodes[k] = size + 1 + spare * share
        k += 1
    return children


@allocating_inner
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
    children = children_of(task, kind, split.n_columns, split.n_rows, split.mass)
    for k in range(children.which.size - 1, -1, -1):
        c, columns = children.which[k], task.columns
        if kind == PRODUCT:
            columns = _columns_of(task.columns, split.label, c, split.n_columns[c])
        rows, weights = task.rows, task.weights
        if kind == SUM:
            membership, n_rows = split.membership[c], split.n_rows[c]
            rows, weights = keep_heavy(task, membership, table.weights, options.min_weight, n_rows)
        fallback = np.empty(columns.size, np.int64)
        i = 0
        for j in range(task.columns.size):
            if kind == SUM or split.label[j] == c:
                fallback[i] = _fallback(table, task, kind, j, rows, places[j])
                i += 1
        child = OpenSlice(
            rows,
            weights,
            columns,
            fallback,
            node,
            children.edge[k],
            children.seed[k],
            task.depth + 1,
            kind == PRODUCT,
            children.n_nodes[k],
        )
        work = push(work, child)
    return work


@allocating_inner
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
    """Return the position of fallback statistics of a column that no row here observes, or -1.

    They are those of the parent's slice, or its own fallback.
    """
    if kind == PRODUCT or not table.has_gaps[task.columns[j]]:
        return int(task.fallback[j])
    codes, at = table.codes[task.columns[j]], 0
    while at < rows.size and codes[rows[at]] == MISSING:
        at += 1
    return -1 if at < rows.size else place
