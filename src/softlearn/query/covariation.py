"""Covariances of many columns at once, from the differences between the branches of each sum.

Below a product columns are independent, and the covariance at a sum is the mean of its branches'
covariances plus the covariance of their means. So the covariance at the root adds up over all
branches: flow · d dᵀ, where d = mean of the branch − mean of its sum. All terms are squares, and
nothing is subtracted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import SUM, Circuit
from softlearn.query.evidence import Evidence
from softlearn.query.flows import flows

_NUMBERS_AT_ONCE = 1 << 23  # 64 MB of means, and as much for the branches that are summed


class _Branches(NamedTuple):
    """The edges to inner nodes, in the order of the nodes that they belong to."""

    height: Offsets  # (edges,) of the node above
    node: Ids  # (edges,) inner nodes, counted from the first of them
    child: Ids  # (edges,)
    share: Floats  # (edges,) of the node's mean: 1 below a product
    flow: Floats  # (edges,) 0 below a product


def covariances_between(
    circuit: Circuit,
    row: Evidence,
    columns: Offsets,
    leaf_mean: Floats,
    n_threads: int | None = None,
) -> Floats:
    """Return the covariances of different columns given one row, (columns, columns).

    ``leaf_mean`` is the mean of each leaf given the row, (leaves,), from any centre of its column.
    The diagonal lacks the variances inside leaves; all of it is 0 if the row is impossible.
    """
    edge = flows(circuit, row, impossible="skip", n_threads=n_threads).edge
    above = circuit.edge_owner
    into = np.bincount(above, edge, circuit.n_nodes)
    of_sum = circuit.kind[above] == SUM
    share = np.where(of_sum, edge / np.where(into > 0.0, into, 1.0)[above], 1.0)
    inner = circuit.child >= circuit.n_leaves
    branches = _branches(circuit, inner, share, np.where(of_sum, edge, 0.0))
    own = np.flatnonzero(~inner)
    leaves = (above[own] - circuit.n_leaves, circuit.child[own], share[own])
    width = max(1, _NUMBERS_AT_ONCE // (circuit.n_nodes - circuit.n_leaves + branches.node.size))
    blocks = [slice(at, at + width) for at in range(0, columns.size, width)]
    found = np.empty((columns.size, columns.size))
    for i, left in enumerate(blocks):
        means = _means(circuit, branches, leaves, columns[left], leaf_mean)
        for right in blocks[i:]:
            others = means
            if right != left:
                others = _means(circuit, branches, leaves, columns[right], leaf_mean)
            found[left, right] = _between(branches, means, others)
            found[right, left] = found[left, right].T
    return found


def _branches(circuit: Circuit, inner: Bools, share: Floats, flow: Floats) -> _Branches:
    height = np.zeros(circuit.n_nodes, np.int64)
    start, child = circuit.edge_start, circuit.child
    for i in range(circuit.n_leaves, circuit.n_nodes):
        height[i] = 1 + height[child[start[i] : start[i + 1]]].max()
    which = np.flatnonzero(inner)
    which = which[np.argsort(height[circuit.edge_owner[which]], kind="stable")]
    node = circuit.edge_owner[which]
    first = circuit.n_leaves
    return _Branches(height[node], node - first, child[which] - first, share[which], flow[which])


def _means(
    circuit: Circuit,
    branches: _Branches,
    leaves: tuple[Ids, Ids, Floats],
    columns: Offsets,
    leaf_mean: Floats,
) -> Floats:
    """Return the mean of each column at each inner node, (inner nodes, columns); 0 elsewhere."""
    node, leaf, share = leaves
    place = np.full(len(circuit.schema), -1)
    place[columns] = np.arange(columns.size)
    column = place[circuit.leaf_column[leaf]]
    mine = column >= 0
    means = np.zeros((circuit.n_nodes - circuit.n_leaves, columns.size))
    np.add.at(means, (node[mine], column[mine]), (share * leaf_mean[leaf])[mine])
    ends = np.flatnonzero(np.diff(branches.height, append=-1)) + 1
    for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=False):
        some = slice(start, end)
        first = np.flatnonzero(np.diff(branches.node[some], prepend=-1))
        below = branches.share[some, None] * means[branches.child[some]]
        means[branches.node[some][first]] += np.add.reduceat(below, first)
    return means


def _between(branches: _Branches, left: Floats, right: Floats) -> Floats:
    """Return the sum over branches of flow times both differences, (columns, columns)."""
    total = np.zeros((left.shape[1], right.shape[1]))
    used = np.flatnonzero(branches.flow > 0.0)
    step = max(1, _NUMBERS_AT_ONCE // max(left.shape[1], 1))
    for at in range(0, used.size, step):
        some = used[at : at + step]
        child, node = branches.child[some], branches.node[some]
        root = np.sqrt(branches.flow[some, None])
        away = root * (left[child] - left[node])
        total += away.T @ (away if right is left else root * (right[child] - right[node]))
    return total
