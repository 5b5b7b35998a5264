"""Grow a circuit on columns of two levels: slices are split in one kernel until none is open.

It does what ``softlearn.learn.grow_mixed`` does one split at a time. Most slices are so small that
the interpreter would take longer between the kernels than the kernels themselves. Plain loops stand
where NumPy has an expression for whole arrays, which takes seconds to compile.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.kernels.cluster.by_address import run_clustering
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import inner, kernel
from softlearn.kernels.grow.links import link_binary
from softlearn.kernels.grow.slices import column_sums, gather, keep_heavy, pair_sums, select
from softlearn.kernels.grow.stacks import add_node, pop, push, with_room
from softlearn.kernels.grow.work import (
    LEAF,
    PRODUCT,
    SUM,
    BinaryTable,
    GrowthOptions,
    Nodes,
    OpenSlice,
    OpenSlices,
)

_TOGETHER = 4096  # rows whose products are added up in single precision
_STEP = np.uint64(0x9E3779B97F4A7C15)  # as in softlearn.learn.seeds


@kernel
def grow_binary(
    clustering: int,
    table: BinaryTable,
    options: GrowthOptions,
    work: OpenSlices,
    nodes: Nodes,
    most: int,
) -> tuple[Nodes, OpenSlices]:
    """Split at most so many open slices, the last first; return all nodes and what is still open.

    `clustering` is the address of the clustering, which would otherwise be compiled in here.
    """
    n_clusters, prior = options.n_clusters, table.prior
    for _ in range(most):
        if work.size[0] == 0:
            break
        task = pop(work)
        nodes = with_room(nodes, task.columns.size + 1)
        data = _take(table, task)
        needed = 1 + n_clusters * (task.columns.size + 1)
        is_full = task.depth >= options.max_depth or task.n_nodes < needed
        if task.columns.size == 1 or is_full:
            _close(data, task, prior, nodes)
            continue
        if not task.connected:
            parts = _parts(data, options)
            size = _sizes(parts)
            if size[parts[0]] < parts.size:
                work = _product(data, task, parts, size, prior, nodes, work)
                continue
        membership = np.empty((n_clusters, task.rows.size))
        uniforms = _uniforms(task.seed, n_clusters)
        found = run_clustering(clustering, data, uniforms, options.cluster, membership)
        n_open = work.size[0]
        if found > 1:
            work = _sum(table, task, membership[:found], options.min_weight, nodes, work)
        if work.size[0] == n_open:
            _close(data, task, prior, nodes)
    return nodes, work


@inner
def _take(table: BinaryTable, task: OpenSlice) -> RowData:
    """Cut a slice out of the table."""
    columns, rows = task.columns, task.rows
    is_dense = table.dense.size > 0
    dense = np.empty((columns.size if is_dense else 0, rows.size), np.float32)
    start, feature = np.zeros(1, np.int64), np.empty(0, np.int32)
    if is_dense:
        gather(table.dense, columns, rows, dense)
    else:
        new = np.empty(table.prior.shape[0], np.int32)
        for j in range(table.prior.shape[0]):
            new[j] = -1
        for j in range(columns.size):
            new[columns[j]] = j
        start, feature = select(table.start, table.feature, rows, new)
    groups, single = np.zeros(columns.size + 1, np.int64), np.empty(columns.size, np.bool_)
    for j in range(columns.size):
        groups[j + 1], single[j] = j + 1, True
    return RowData(dense, start, feature, np.empty((0, 0)), task.weights, groups, single)


@inner
def _parts(data: RowData, options: GrowthOptions) -> Offsets:
    """Return a label a column, equal for those that hang together."""
    both = np.zeros((data.single.size, data.single.size))
    if data.dense.size > 0:
        _dense_pair_sums(data.dense, data.weights, both)
    else:
        pair_sums(data.start, data.feature, data.weights, both)
    critical, least_mass = options.critical, options.least_mass
    return link_binary(both, _mass(data), critical, least_mass, options.g_test)


@inner
def _dense_pair_sums(dense: AnyArray, weights: Floats, out: Floats) -> None:
    """Add up the weights of the rows that have both of two columns."""
    for first in range(0, weights.size, _TOGETHER):
        n = min(_TOGETHER, weights.size - first)
        plain = np.empty((dense.shape[0], n), np.float32)
        weighted = np.empty((dense.shape[0], n), np.float32)
        for j in range(dense.shape[0]):
            for i in range(n):
                plain[j, i] = dense[j, first + i]
                weighted[j, i] = dense[j, first + i] * np.float32(weights[first + i])
        some = np.dot(weighted, plain.T)
        for j in range(dense.shape[0]):
            for k in range(dense.shape[0]):
                out[j, k] += some[j, k]


@inner
def _sizes(parts: Offsets) -> Offsets:
    """Return how many columns have each label."""
    size = np.zeros(parts.size, np.int64)
    for j in range(parts.size):
        size[parts[j]] += 1
    return size


@inner
def _product(
    data: RowData,
    task: OpenSlice,
    parts: Offsets,
    size: Offsets,
    prior: Floats,
    nodes: Nodes,
    work: OpenSlices,
) -> OpenSlices:
    """Split the columns: those alone in their part become leaves at once."""
    node = add_node(nodes, PRODUCT, task.parent, task.edge)
    alone = np.empty(parts.size, np.bool_)
    for j in range(parts.size):
        alone[j] = size[parts[j]] == 1
    n_alone = _leaves(data, task, alone, prior, nodes, node, 1.0)
    place, n_linked = 0, parts.size - n_alone
    for part in range(size.size):
        place += size[part] > 1
    spare = task.n_nodes - 1 - n_alone - (n_linked + place)
    rows, weights, depth = task.rows, task.weights, task.depth + 1
    for part in range(size.size - 1, -1, -1):
        if size[part] > 1:
            columns, seed, n = np.empty(size[part], np.int32), _child_seed(task.seed, place), 0
            for j in range(parts.size):
                if parts[j] == part:
                    columns[n] = task.columns[j]
                    n += 1
            most = columns.size + 1 + spare * columns.size / n_linked
            child = OpenSlice(rows, weights, columns, node, 1.0, seed, depth, True, most)
            work = push(work, child)
            place -= 1
    return work


@inner
def _sum(
    table: BinaryTable,
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
    for c in range(membership.shape[0] - 1, -1, -1):
        kept, part, mass = keep_heavy(rows, weights, membership[c], table.weights, min_weight)
        if kept.size > 0:
            share, seed = mass / total, _child_seed(task.seed, place)
            most = columns.size + 1 + spare * share
            child = OpenSlice(kept, part, columns, node, share, seed, depth, False, most)
            work = push(work, child)
            place -= 1
    return work


@inner
def _close(data: RowData, task: OpenSlice, prior: Floats, nodes: Nodes) -> None:
    """Make a leaf of the column, or a product of leaves of all columns."""
    parent, edge = task.parent, task.edge
    if task.columns.size > 1:
        parent, edge = add_node(nodes, PRODUCT, parent, edge), 1.0
    _leaves(data, task, data.single, prior, nodes, parent, edge)


@inner
def _leaves(
    data: RowData,
    task: OpenSlice,
    which: Bools,
    prior: Floats,
    nodes: Nodes,
    parent: int,
    edge: float,
) -> int:
    """Add leaves of some columns: the smoothed shares of their levels; return how many."""
    ones, mass, n = np.zeros(which.size), _mass(data), 0
    column_sums(data.dense, data.start, data.feature, data.weights, ones)
    for j in range(which.size):
        if which[j]:
            leaf = add_node(nodes, LEAF, parent, edge)
            column = task.columns[j]
            zero, one = max(mass - ones[j], 0.0) + prior[column, 0], ones[j] + prior[column, 1]
            nodes.column[leaf] = column
            nodes.levels[leaf, 0], nodes.levels[leaf, 1] = zero / (zero + one), one / (zero + one)
            n += 1
    return n


@inner
def _mass(data: RowData) -> float:
    """Return the weight of all rows."""
    mass = 0.0
    for i in range(data.weights.size):
        mass += data.weights[i]
    return mass


@inner
def _uniforms(seed: np.uint64, n: int) -> Floats:
    """Return n numbers in [0, 1), as ``softlearn.learn.seeds.uniforms``."""
    found = np.empty(n)
    own = _mixed(~seed)
    for i in range(n):
        found[i] = np.float64(_mixed(own + np.uint64(i + 1) * _STEP) >> np.uint64(11)) * 2.0**-53
    return found


@inner
def _child_seed(seed: np.uint64, place: int) -> np.uint64:
    """Return the seed of the child at a place from 1, as ``softlearn.learn.seeds.child_seeds``."""
    return _mixed(seed + np.uint64(place) * _STEP)


@inner
def _mixed(bits: np.uint64) -> np.uint64:
    """Return 64 bits, each of which depends on all that came in."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
