"""The probability that a row drawn from a circuit uses each node and each edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit.flat import SUM, Circuit


class Use(NamedTuple):
    """The probability that a drawn row uses a node, (nodes,), and an edge, (edges,)."""

    node: Floats
    edge: Floats


def expected_use(circuit: Circuit) -> Use:
    """Return how likely each part is used; a part with several parents counts for all of them."""
    node, edge = np.zeros(circuit.n_nodes), np.zeros(circuit.n_edges)
    node[circuit.root] = 1.0
    share = np.where(circuit.kind[circuit.edge_owner] == SUM, circuit.weight, 1.0)
    starts, child = circuit.edge_start.tolist(), circuit.child
    for parent in range(circuit.root, circuit.n_leaves - 1, -1):
        own = slice(starts[parent], starts[parent + 1])
        edge[own] = node[parent] * share[own]
        np.add.at(node, child[own], edge[own])
    return Use(node, edge)
