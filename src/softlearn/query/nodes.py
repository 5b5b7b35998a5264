"""The probability that a row passes through each node of a circuit, given its evidence."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import SUM, Circuit
from softlearn.query.evidence import Evidence
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.leaves import log_values


class Layer(NamedTuple):
    """Inner nodes of one height: all their children lie in lower layers."""

    node: Ids  # (nodes,)
    start: Offsets  # (nodes,) where the edges of each begin below
    edge: Offsets  # (edges,) in the circuit
    owner: Ids  # (edges,) position in node
    is_sum: Bools  # (nodes,)


_FOUND: WeakKeyDictionary[Circuit, list[Layer]] = WeakKeyDictionary()


def node_log_values(circuit: Circuit, evidence: Evidence) -> Floats:
    """Return the log-probability of the evidence at every node, (nodes, rows).

    A number of a column with a scale counts by its cell.
    """
    evidence.check(circuit.schema)
    log_weight = _log_weight(circuit)
    value = np.empty((circuit.n_nodes, evidence.n_rows))
    leaves: Ids = np.arange(circuit.n_leaves, dtype=np.int32)
    value[leaves] = log_values(circuit, leaves, evidence)
    for layer in _layers(circuit):
        value[layer.node] = _upward(circuit, layer, value, log_weight)
    return value


def node_posteriors(
    circuit: Circuit, evidence: Evidence, *, impossible: Impossible = "error"
) -> Floats:
    """Return the probability that a row passes through each node, (nodes, rows).

    A row passes through the root, through one child of each sum it reaches, and through all
    children of each product; without evidence that is the prior share of rows of each node.
    Evidence of probability zero raises an error, or marks its row with NaN.
    """
    value = node_log_values(circuit, evidence)
    log_weight = _log_weight(circuit)
    refused = impossible_rows(value[circuit.root], impossible)
    flow = np.zeros_like(value)
    flow[circuit.root] = 1.0
    for layer in reversed(_layers(circuit)):
        parent, child = layer.node[layer.owner], circuit.child[layer.edge]
        gap = value[child] + log_weight[layer.edge]
        with np.errstate(invalid="ignore"):
            share = np.exp(gap - value[parent])
        share = np.where(layer.is_sum[layer.owner, None], np.nan_to_num(share), 1.0)
        np.add.at(flow, child, share * flow[parent])
    flow[:, refused] = np.nan
    return flow


def _log_weight(circuit: Circuit) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(circuit.weight))[:, None]


def _upward(circuit: Circuit, layer: Layer, value: Floats, log_weight: Floats) -> Floats:
    """Return the log-values of a layer from those below it."""
    below = value[circuit.child[layer.edge]]
    of_products = np.add.reduceat(below, layer.start, axis=0)
    of_sums = np.logaddexp.reduceat(below + log_weight[layer.edge], layer.start, axis=0)
    return np.where(layer.is_sum[:, None], of_sums, of_products)


def _layers(circuit: Circuit) -> list[Layer]:
    """Return the inner nodes by their height, lowest first; found once per circuit."""
    if circuit not in _FOUND:
        _FOUND[circuit] = _by_height(circuit)
    return _FOUND[circuit]


def _by_height(circuit: Circuit) -> list[Layer]:
    height = np.zeros(circuit.n_nodes, dtype=np.int64)
    starts, children = circuit.edge_start.tolist(), circuit.child
    for node in range(circuit.n_leaves, circuit.n_nodes):
        height[node] = 1 + height[children[starts[node] : starts[node + 1]]].max()
    inner = np.arange(circuit.n_leaves, circuit.n_nodes)
    return [_layer(circuit, inner[height[inner] == level]) for level in range(1, height[-1] + 1)]


def _layer(circuit: Circuit, nodes: Offsets) -> Layer:
    size = circuit.edge_start[nodes + 1] - circuit.edge_start[nodes]
    start = np.cumsum(size) - size
    owner = np.repeat(np.arange(nodes.size, dtype=np.int32), size)
    edge = np.arange(size.sum()) - start[owner] + circuit.edge_start[nodes][owner]
    return Layer(nodes.astype(np.int32), start, edge, owner, circuit.kind[nodes] == SUM)
