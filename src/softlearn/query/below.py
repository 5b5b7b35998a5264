"""The distribution below given nodes of a circuit: the weight of each leaf and value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit, same_shape


def reach(circuit: Circuit, starts: Sequence[Sequence[int]]) -> Floats:
    """Return how much of each node is reached from each start, (nodes, starts).

    A start is a list of nodes over different columns, which together define a distribution. The
    entry of a leaf is its weight in the start's marginal mixture of its column.
    """
    flow = np.zeros((circuit.n_nodes, len(starts)))
    for position, nodes in enumerate(starts):
        flow[list(nodes), position] = 1.0
    edge_start = circuit.edge_start.tolist()
    for node in range(circuit.root, circuit.n_leaves - 1, -1):
        edges = slice(edge_start[node], edge_start[node + 1])
        if flow[node].any():  # a child may occur twice, which += would count once
            np.add.at(flow, circuit.child[edges], circuit.weight[edges, None] * flow[node])
    return flow


def cell_shares(twin: Circuit, flow: Floats) -> list[Floats]:
    """Return the probability of each column's cells below each start, (starts, cells) per column.

    ``twin`` is a circuit over cells, ``flow`` what ``reach`` says about it.
    """
    found = []
    for position, column in enumerate(twin.schema):
        leaves = np.flatnonzero(twin.leaf_column == position)
        params = twin.params[twin.param_start[leaves][:, None] + np.arange(column.n_levels)]
        found.append(flow[leaves].T @ params)
    return found


def mean_and_deviation(circuit: Circuit, flow: Floats, position: int) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of a continuous column below each start."""
    leaves = np.flatnonzero(circuit.leaf_column == position).astype(np.int32)
    weight = flow[leaves].T  # (starts, leaves)
    weight = weight / weight.sum(axis=1, keepdims=True)
    means, spreads = np.empty(leaves.size), np.empty(leaves.size)
    for family, where, params in same_shape(circuit, leaves):
        means[where] = family.moment(params, 1)
        spreads[where] = family.moment(params, 2, means[where])
    mean = weight @ means
    away = (means - mean[:, None]) ** 2
    return mean, np.sqrt((weight * (spreads + away)).sum(axis=1))
