"""Make a circuit smaller: share equal parts, drop edges, shorten chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.circuit.flat import LEAF, PRODUCT, Circuit
from softlearn.circuit.parts import Parts
from softlearn.circuit.properties import validate


class Alike(NamedTuple):
    """When sums over the same children are one, although their weights differ."""

    mass: Floats  # (nodes,) how many rows use each node
    most: float  # nats that these rows may lose


def compact(circuit: Circuit, keep: Bools | None = None, alike: Alike | None = None) -> Circuit:
    """Return the circuit without some edges, and with equal parts merged.

    If all edges are kept and only equal parts are merged, the distribution does not change, up to
    the order of additions.

    Parameters
    ----------
    circuit
        The circuit.
    keep
        (edges,) which edges of sums stay; the weights of the others are shared by them in
        proportion. Every sum keeps one edge or more, and edges of products always stay.
    alike
        When nearly equal sums are merged; by default never.
    """
    kept = circuit.weight > 0.0
    if keep is not None:
        kept &= keep | (circuit.kind[circuit.edge_owner] == PRODUCT)
    mass = np.ones(circuit.n_nodes) if alike is None else alike.mass
    parts, number = Parts(-1.0 if alike is None else alike.most), []
    params = circuit.params
    for leaf in range(circuit.n_leaves):
        own = params[circuit.param_start[leaf] : circuit.param_start[leaf + 1]].tobytes()
        key = (int(circuit.leaf_column[leaf]), int(circuit.leaf_family[leaf]), own)
        number.append(parts.add(LEAF, key, [], np.zeros(0), leaf))
    starts, kinds = circuit.edge_start.tolist(), circuit.kind.tolist()
    for node in range(circuit.n_leaves, circuit.n_nodes):
        edges = np.arange(starts[node], starts[node + 1])
        edges = edges[kept[edges]]
        assert edges.size, "a sum has lost all its edges"
        below = [number[child] for child in circuit.child[edges].tolist()]
        if kinds[node] == PRODUCT:
            number.append(parts.add_product(below))
        else:
            weights = circuit.weight[edges]
            is_whole = edges.size == starts[node + 1] - starts[node]
            shares = weights if is_whole else weights / weights.sum()
            number.append(parts.add_sum(below, shares, float(mass[node])))
    made = parts.laid_out(circuit, number[-1])
    validate(made)
    return made
