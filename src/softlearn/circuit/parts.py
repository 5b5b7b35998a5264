"""A list of distinct nodes: equal ones are stored once, and similar sums may be merged."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
from softlearn.circuit.layout import NodeList, lay_out
from softlearn.leaf.pooling import entropy_of


@dataclass
class Parts:
    """Nodes, children first.

    Attributes
    ----------
    most
        The nats that sums which are made one may lose together; below 0 only equal ones are.
    """

    most: float
    kind: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    weights: list[Floats] = field(default_factory=list)
    leaf: list[int] = field(default_factory=list)  # of the old circuit; -1 of inner nodes
    known: dict[object, int] = field(default_factory=dict)
    # Of sums: how many rows use them, what was lost by making them one, and all with some children.
    mass: dict[int, float] = field(default_factory=dict)
    lost: dict[int, float] = field(default_factory=dict)
    over: dict[tuple[int, ...], list[int]] = field(default_factory=dict)

    def add(
        self, kind: int, key: object, children: list[int], weights: Floats, leaf: int = -1
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
        """Return the number of a product; one of a single child is that child."""
        if len(children) == 1:
            return children[0]
        ordered = sorted(children)
        return self.add(PRODUCT, tuple(ordered), ordered, np.ones(len(ordered)))

    def add_sum(self, children: list[int], weights: Floats, mass: float) -> int:
        """Return the number of a sum that some mass of rows uses, or of one that is nearly it."""
        ordered, shares = _totals(children, weights)
        if len(ordered) == 1:
            return ordered[0]
        over = self.over.setdefault(tuple(ordered), [])
        for other in over if self.most >= 0.0 else ():
            if self._join(other, shares, mass):
                return other
        found = self.add(SUM, (tuple(ordered), shares.tobytes()), ordered, shares)
        if found not in self.mass:
            over.append(found)
        self.mass[found] = self.mass.get(found, 0.0) + mass
        return found

    def _join(self, other: int, shares: Floats, mass: float) -> bool:
        """Make a sum one with another if that loses little, and return whether it was."""
        before = self.mass[other]
        total = before + mass
        both = np.stack([self.weights[other], shares])
        whole = (np.array([before, mass]) / total) @ both
        entropy = float(np.array([before, mass]) @ entropy_of(both))
        lost = self.lost.get(other, 0.0) + max(0.0, total * float(entropy_of(whole)) - entropy)
        if lost > self.most:
            return False
        self.weights[other], self.mass[other], self.lost[other] = whole, total, lost
        return True

    def laid_out(self, circuit: Circuit, root: int) -> Circuit:
        """Return the circuit of all that is below a node; its leaves are some of another's."""
        root = self._without_chains(root)
        nodes = self._below(root)
        place = {node: position for position, node in enumerate(nodes)}
        of_leaf = np.maximum([self.leaf[node] for node in nodes], 0)
        edges = [(place[node], place[child]) for node in nodes for child in self.children[node]]
        ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
        return lay_out(
            circuit.schema,
            NodeList(
                kind=np.array([self.kind[node] for node in nodes], dtype=np.uint8),
                parent=ends[:, 0],
                child=ends[:, 1],
                weight=np.concatenate([np.zeros(0), *(self.weights[node] for node in nodes)]),
                column=circuit.leaf_column[of_leaf],
                family=circuit.leaf_family[of_leaf],
                n_params=np.diff(circuit.param_start)[of_leaf],
                first_param=circuit.param_start[:-1][of_leaf],
                params=circuit.params,
            ),
        )

    def _below(self, root: int) -> list[int]:
        """Return a node and all that are below it, children first."""
        needed = [False] * (root + 1)
        needed[root] = True
        for node in range(root, -1, -1):
            if needed[node]:
                for child in self.children[node]:
                    needed[child] = True
        return [node for node in range(root + 1) if needed[node]]

    def _without_chains(self, root: int) -> int:
        """Let sums below one sum alone, and products below one product, become a part of it.

        Return the root, which may be another if nothing but one child is left of it.
        """
        nodes = self._below(root)
        n_parents = np.bincount(
            [child for node in nodes for child in self.children[node]], minlength=root + 1
        )
        stands_for = list(range(root + 1))
        for node in nodes:
            if self.kind[node] == LEAF:
                continue
            children: list[int] = []
            weights: list[Floats] = []
            for child, weight in zip(self.children[node], self.weights[node], strict=True):
                below = stands_for[child]
                if self.kind[below] == self.kind[node] and n_parents[below] == 1:
                    children += self.children[below]
                    weights.append(weight * self.weights[below])
                else:
                    children.append(below)
                    weights.append(np.array([weight]))
            merged, shares = children, np.concatenate(weights)
            if self.kind[node] == SUM:
                merged, shares = _totals(children, shares)
            self.children[node], self.weights[node] = merged, shares
            if len(merged) == 1:
                stands_for[node] = merged[0]
        return stands_for[root]


def _totals(children: list[int], weights: Floats) -> tuple[list[int], Floats]:
    """Return the different children in order, and the weight of each."""
    total: dict[int, float] = {}
    for child, weight in zip(children, weights.tolist(), strict=True):
        total[child] = total.get(child, 0.0) + weight
    ordered = sorted(total)
    return ordered, np.array([total[child] for child in ordered])
