"""The gain from giving some rows their own copies of the nodes that they pass.

A row passes one node for every node of the tree of columns, and takes one of its edges. The
log-likelihood of the rows is therefore a sum over nodes, and a copy changes the terms of one node.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.kernels.compile import allocating_inner, allocating_kernel, inner
from softlearn.kernels.psdd.passed import Cells, Passed, Places

_NOTHING = 2.0**-30  # a weight below it is rounding: rows weigh about 1


class _Seen(NamedTuple):
    """The edges at one place that some rows take, and their nodes."""

    edges: Ids
    node_of: Ids  # of each of these edges, the position among the nodes
    nodes: Ids


@inner
def _xlogx(x: float) -> float:
    return x * math.log(x) if x > _NOTHING else 0.0


@allocating_inner
def _seen(rows: Ids, edge: Ids, passed: Passed) -> _Seen:
    """Give numbers to the edges that the rows take, and to their nodes."""
    n_edges, n_nodes = 0, 0
    edges, nodes = np.empty(rows.size, np.int32), np.empty(rows.size, np.int32)
    node_of = np.empty(rows.size, np.int32)
    for i in range(rows.size):
        own = edge[rows[i]]
        if passed.edge_place[own] < 0:
            passed.edge_place[own] = n_edges
            edges[n_edges] = own
            node = passed.owner[own]
            if passed.node_place[node] < 0:
                passed.node_place[node] = n_nodes
                nodes[n_nodes] = node
                n_nodes += 1
            node_of[n_edges] = passed.node_place[node]
            n_edges += 1
    return _Seen(edges[:n_edges], node_of[:n_edges], nodes[:n_nodes])


@inner
def _forget(seen: _Seen, passed: Passed) -> None:
    for i in range(seen.edges.size):
        passed.edge_place[seen.edges[i]] = -1
    for i in range(seen.nodes.size):
        passed.node_place[seen.nodes[i]] = -1


@inner
def _of_others(seen: _Seen, passed: Passed, own: Floats, of_node: Floats) -> float:
    """Return the gain of the other rows at these nodes if these rows, by weight, leave them."""
    gain = 0.0
    for k in range(seen.edges.size):
        total = passed.train[seen.edges[k]]
        gain += _xlogx(total - own[k]) - _xlogx(total)
    for k in range(seen.nodes.size):
        total = passed.node_train[seen.nodes[k]]
        gain += _xlogx(total) - _xlogx(total - of_node[k])
    return gain


@allocating_kernel
def split_gains(
    rows: Ids,
    weights: Floats,
    passed: Passed,
    cells: Cells,
    tree: Places,
    above: int,
    price: float,
) -> Floats:
    """Return the gain of splitting the rows of an edge by each level of the left columns.

    Both groups get copies of the nodes above the column that splits, and of all others whose
    copies are worth their price.

    Parameters
    ----------
    rows
        The rows of the edge.
    weights
        (all rows,) of those learnt from; 0 for those held out.
    passed, cells, tree
        Of all rows and columns.
    above
        Where the edge is in the tree.
    price
        The gain that each additional edge must have, in nats.

    Returns
    -------
    gains
        (3, levels of the left columns) gains in nats, the number of additional edges, and the
        weight of the rows with this level.
    """
    first, end = tree.first[tree.left[above]], tree.end[tree.left[above]]
    low, high = cells.start[first], cells.start[end]
    cut = _cells_between(rows, cells, first, end)
    places, position = _all_below(tree, above), np.full(tree.left.size, -1)
    found, out = np.zeros((2, places.size, high - low)), np.zeros((3, high - low))
    for i in range(places.size):
        place = places[i]
        position[place] = i
        counts, own, seen = _counts(rows, weights, passed, cells, (place, low, high), cut)
        _add_gains(seen, passed, counts, own, found[:, i])
        if tree.left[place] >= 0:
            found[:, i] += found[:, position[tree.left[place]]]
            found[:, i] += found[:, position[tree.right[place]]]
        for level in range(high - low):
            column = cells.column_of[low + level]
            must = tree.first[place] <= column and column < tree.end[place]  # noqa: PLR1716 - Numba
            if not must and found[0, i, level] <= price * found[1, i, level]:
                found[:, i, level] = 0.0
        if place == tree.left[above]:
            out[2] = counts.sum(axis=0)
            whole = own.sum()
    out[:2] = found[:, position[tree.left[above]]] + found[:, position[tree.right[above]]]
    for level in range(high - low):
        out[0, level] += _xlogx(out[2, level]) + _xlogx(whole - out[2, level]) - _xlogx(whole)
        out[1, level] += 1.0
    return out


@allocating_inner
def _cells_between(rows: Ids, cells: Cells, first: int, end: int) -> tuple[Offsets, Offsets]:
    """Return where the listed cells of each row begin and end that are in some columns."""
    begin, stop = np.empty(rows.size, np.int64), np.empty(rows.size, np.int64)
    for i in range(rows.size):
        start = cells.row_start[rows[i]]
        own = cells.column[start : cells.row_start[rows[i] + 1]]
        begin[i] = start + np.searchsorted(own, first)
        stop[i] = start + np.searchsorted(own, end)
    return begin, stop


@allocating_inner
def _all_below(tree: Places, above: int) -> Offsets:
    """Return all places below one, children before their parents."""
    found = np.empty(tree.left.size, np.int64)
    n = 0
    for place in range(above):
        if tree.first[above] <= tree.first[place] and tree.end[place] <= tree.end[above]:
            found[n] = place
            n += 1
    return found[:n]


@allocating_inner
def _counts(
    rows: Ids,
    weights: Floats,
    passed: Passed,
    cells: Cells,
    where: tuple[int, int, int],
    cut: tuple[Offsets, Offsets],
) -> tuple[Floats, Floats, _Seen]:
    """Return the weight of the rows by edge at a place and by level, and by edge alone."""
    place, low, high = where
    edge = passed.edge[place]
    seen = _seen(rows, edge, passed)
    counts, own = np.zeros((seen.edges.size, high - low)), np.zeros(seen.edges.size)
    for i in range(rows.size):
        weight = weights[rows[i]]
        if weight > 0.0:
            k = passed.edge_place[edge[rows[i]]]
            own[k] += weight
            for cell in range(cut[0][i], cut[1][i]):
                counts[k, cells.state[cell] - low] += weight
    for state in range(low, high):  # a column's first level is not listed: it is the remainder
        start = cells.start[cells.column_of[state]]
        if state > start:
            if state == start + 1:
                counts[:, start - low] = own
            counts[:, start - low] -= counts[:, state - low]
    _forget(seen, passed)
    return counts, own, seen


@allocating_inner
def _add_gains(seen: _Seen, passed: Passed, counts: Floats, own: Floats, out: Floats) -> None:
    n_nodes = seen.nodes.size
    of_node = np.zeros(n_nodes)
    for k in range(own.size):
        of_node[seen.node_of[k]] += own[k]
    base = _of_others(seen, passed, own, of_node)
    inside = np.empty(n_nodes)
    for level in range(counts.shape[1]):
        gain, n_more = base, 0.0
        inside[:] = 0.0
        for k in range(own.size):
            count = counts[k, level]
            inside[seen.node_of[k]] += count
            gain += _xlogx(count) + _xlogx(own[k] - count)
        for k in range(n_nodes):
            gain -= _xlogx(inside[k]) + _xlogx(of_node[k] - inside[k])
            size = passed.size[seen.nodes[k]]
            n_copies = (inside[k] > _NOTHING) + (of_node[k] - inside[k] > _NOTHING)
            n_left = passed.node_train[seen.nodes[k]] - of_node[k] > _NOTHING
            n_more += size * (n_copies + n_left - 1)
        out[0, level] += gain
        out[1, level] += n_more


@allocating_kernel
def copy_gains(
    rows: Ids,
    group: Ids,
    weights: Floats,
    passed: Passed,
    places: Offsets,
    smoothing: float,
) -> Floats:
    """Return the gain of copies for one or two groups of rows.

    Parameters
    ----------
    rows
        Which rows get copies.
    group
        (rows,) 0 or 1.
    weights
        (2, all rows) of rows learnt from, and of rows held out.
    passed
        Of all rows.
    places
        Where nodes are copied.
    smoothing
        Rows, shared as in the old node, that every copy counts in addition.

    Returns
    -------
    gains
        (3, places) gains in nats of training rows and of held-out rows, and the number of
        additional edges.
    """
    out = np.zeros((3, places.size))
    for j in range(places.size):
        edge = passed.edge[places[j]]
        seen = _seen(rows, edge, passed)
        counts = np.zeros((2, 2, seen.edges.size))  # (learnt from or held out, group, edges)
        for i in range(rows.size):
            k = passed.edge_place[edge[rows[i]]]
            counts[0, group[i], k] += weights[0, rows[i]]
            counts[1, group[i], k] += weights[1, rows[i]]
        _forget(seen, passed)
        out[0, j], out[1, j], out[2, j] = _worth(seen, passed, counts, smoothing)
    return out


@allocating_inner
def _worth(
    seen: _Seen, passed: Passed, counts: Floats, smoothing: float
) -> tuple[float, float, float]:
    n_edges, n_nodes = seen.edges.size, seen.nodes.size
    own, of_node = np.zeros(n_edges), np.zeros((2, n_nodes))
    for k in range(n_edges):
        own[k] = counts[0, 0, k] + counts[0, 1, k]
        for g in range(2):
            of_node[g, seen.node_of[k]] += counts[0, g, k]
    both, unseen = of_node[0] + of_node[1], np.empty(n_nodes)
    for k in range(n_nodes):
        unseen[k] = passed.node_held[seen.nodes[k]]
    train = _of_others(seen, passed, own, both)
    held, n_more = 0.0, 0.0
    for k in range(n_edges):
        edge, node = seen.edges[k], seen.node_of[k]
        share = passed.share[edge]
        train += _xlogx(counts[0, 0, k]) + _xlogx(counts[0, 1, k])
        for g in range(2):
            new = (counts[0, g, k] + smoothing * share) / (of_node[g, node] + smoothing)
            held += counts[1, g, k] * math.log(new / share) if counts[1, g, k] > 0.0 else 0.0
        unseen[node] -= passed.held[edge]
        left = passed.held[edge] - counts[1, 0, k] - counts[1, 1, k]
        if left > _NOTHING:
            among = passed.node_train[seen.nodes[node]] - both[node]
            new = (passed.train[edge] - own[k] + smoothing * share) / (among + smoothing)
            held += left * math.log(new / share)
    for k in range(n_nodes):
        train -= _xlogx(of_node[0, k]) + _xlogx(of_node[1, k])
        total = passed.node_train[seen.nodes[k]]
        if unseen[k] > _NOTHING:  # the edges that none of these rows takes become likelier
            held += unseen[k] * math.log((total + smoothing) / (total - both[k] + smoothing))
        n_copies = (of_node[0, k] > _NOTHING) + (of_node[1, k] > _NOTHING)
        n_left = total - both[k] > _NOTHING
        n_more += passed.size[seen.nodes[k]] * (n_copies + n_left - 1)
    return train, held, n_more
