"""The same circuit with fewer nodes: equal parts shared, edges left out, chains made short."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
from softlearn.circuit.layout import NodeList, lay_out
from softlearn.circuit.properties import validate


def compact(circuit: Circuit, keep: Bools | None = None) -> Circuit:
    """Return the circuit without some edges, and with parts that are equal made one.

    If all edges are kept, the distribution stays what it is, up to the order of additions.

    Parameters
    ----------
    circuit
        The circuit.
    keep
        (edges,) which edges of sums stay; the weights of the others are shared by them in
        proportion. Every sum keeps one edge or more, and edges of products always stay.
    """
    kept = circuit.weight > 0.0
    if keep is not None:
        kept &= keep | (circuit.kind[circuit.edge_owner] == PRODUCT)
    parts, number = _Parts(), []
    params = circuit.params
    for leaf in range(circuit.n_leaves):
        own = params[circuit.param_start[leaf] : circuit.param_start[leaf + 1]].tobytes()
        key = (int(circuit.leaf_column[leaf]), int(circuit.leaf_family[leaf]), own)
        number.append(parts.add(LEAF, key, [], [], leaf))
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
            number.append(parts.add_sum(below, weights if is_whole else weights / weights.sum()))
    made = parts.laid_out(circuit, number[-1])
    validate(made)
    return made


@dataclass
class _Parts:
    """Nodes that differ, children first."""

    kind: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    weights: list[list[float]] = field(default_factory=list)
    leaf: list[int] = field(default_factory=list)  # of the old circuit; -1 of inner nodes
    known: dict[object, int] = field(default_factory=dict)

    def add(
        self, kind: int, key: object, children: list[int], weights: list[float], leaf: int = -1
    ) -> int:
        """Return the number of a node, which is that of its equal if there is one."""
        found = self.known.setdefault((kind, key), len(self.kind))
        if found == len(self.kind):
            self.kind.append(kind)
            self.children.append(children)
            self.weights.append(weights)
            self.leaf.append(leaf)
        return found

    def add_product(self, children: list[int]) -> int:
        if len(children) == 1:
            return children[0]
        ordered = sorted(children)
        return self.add(PRODUCT, tuple(ordered), ordered, [1.0] * len(ordered))

    def add_sum(self, children: list[int], weights: Floats) -> int:
        total: dict[int, float] = {}
        for child, weight in zip(children, weights.tolist(), strict=True):
            total[child] = total.get(child, 0.0) + weight
        if len(total) == 1:
            return children[0]
        ordered = sorted(total)
        shares = [total[child] for child in ordered]
        return self.add(SUM, (tuple(ordered), tuple(shares)), ordered, shares)

    def laid_out(self, circuit: Circuit, root: int) -> Circuit:
        """Return the circuit of all that is below a node."""
        needed = [False] * (root + 1)
        needed[root] = True
        for node in range(root, -1, -1):
            if needed[node]:
                for child in self.children[node]:
                    needed[child] = True
        nodes = [node for node in range(root + 1) if needed[node]]
        place = {node: position for position, node in enumerate(nodes)}
        leaf = np.array([self.leaf[node] for node in nodes])
        of_leaf = np.maximum(leaf, 0)
        edges = [(place[node], place[child]) for node in nodes for child in self.children[node]]
        ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
        return lay_out(
            circuit.schema,
            NodeList(
                kind=np.array([self.kind[node] for node in nodes], dtype=np.uint8),
                parent=ends[:, 0],
                child=ends[:, 1],
                weight=np.array([one for node in nodes for one in self.weights[node]]),
                column=circuit.leaf_column[of_leaf],
                family=circuit.leaf_family[of_leaf],
                n_params=np.diff(circuit.param_start)[of_leaf],
                first_param=circuit.param_start[:-1][of_leaf],
                params=circuit.params,
            ),
        )
