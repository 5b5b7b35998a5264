"""Lay a grown tree out as a flat circuit, without recursion and without the build form."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import LEAF, PRODUCT, SUM, Circuit, validate
from softlearn.learn.grow import Branch
from softlearn.learn.leaves import LeafParams
from softlearn.table.schema import Schema


def assemble(root: Branch | LeafParams, schema: Schema) -> Circuit:
    """Return the circuit of a grown tree; a product inside a product is merged with it."""
    layout = _Layout()
    layout.add(root)
    circuit = layout.circuit(schema)
    validate(circuit)
    return circuit


@dataclass
class _Layout:
    """Leaves and inner nodes as they are found; ids of inner nodes are counted from 0."""

    columns: list[int] = field(default_factory=list)
    families: list[int] = field(default_factory=list)
    params: list[Floats] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    weights: list[tuple[float, ...]] = field(default_factory=list)
    # Children of inner nodes: leaf i is written as ~i, inner node i as i.
    children: list[list[int]] = field(default_factory=list)

    def add(self, root: Branch | LeafParams) -> None:
        """Add everything below a node and then the node itself."""
        ids: dict[int, int] = {}
        stack: list[tuple[Branch | LeafParams, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if isinstance(node, Branch) and not expanded:
                stack.append((node, True))
                stack.extend((child, False) for child in _parts(node) if isinstance(child, Branch))
            elif isinstance(node, Branch):
                ids[id(node)] = self._inner(node, ids)
            elif node.columns.size > 1:  # only the root gets here
                self._append(PRODUCT, self._leaves(node), ())
            else:
                self._leaves(node)

    def _inner(self, node: Branch, ids: dict[int, int]) -> int:
        below = []
        for child in _parts(node):
            if isinstance(child, Branch):
                below.append(ids[id(child)])
                continue
            leaves = self._leaves(child)
            if node.weights is not None and len(leaves) > 1:
                leaves = [self._append(PRODUCT, leaves, ())]
            below += leaves
        kind = PRODUCT if node.weights is None else SUM
        return self._append(kind, below, node.weights or ())

    def _append(self, kind: int, below: list[int], weights: tuple[float, ...]) -> int:
        self.kinds.append(kind)
        self.children.append(below)
        self.weights.append(weights or (1.0,) * len(below))
        return len(self.kinds) - 1

    def _leaves(self, node: LeafParams) -> list[int]:
        first = len(self.columns)
        self.columns += node.columns.tolist()
        self.families += node.family.tolist()
        self.params += node.params
        return [~i for i in range(first, len(self.columns))]

    def circuit(self, schema: Schema) -> Circuit:
        """Return the arrays, leaves sorted by family."""
        n_leaves = len(self.columns)
        order = np.argsort(self.families, kind="stable")
        rank = np.empty(n_leaves, np.int64)
        rank[order] = np.arange(n_leaves)
        flat = np.array([c for below in self.children for c in below], dtype=np.int64)
        child = np.where(flat < 0, rank[np.where(flat < 0, ~flat, 0)], n_leaves + flat)
        params = [self.params[i] for i in order.tolist()]
        lengths = [0] * n_leaves + [len(below) for below in self.children]
        return Circuit(
            schema=schema,
            kind=np.array([LEAF] * n_leaves + self.kinds),
            edge_start=np.concatenate([[0], np.cumsum(lengths)]),
            child=child,
            weight=np.array([w for own in self.weights for w in own]),
            leaf_column=np.array(self.columns)[order],
            leaf_family=np.array(self.families)[order],
            param_start=np.concatenate([[0], np.cumsum([p.size for p in params])]),
            params=np.concatenate(params),
        )


def _parts(node: Branch) -> list[Branch | LeafParams]:
    """Return the children, looking through products inside a product."""
    if node.weights is not None:
        return [child for child in node.children if child is not None]
    parts: list[Branch | LeafParams] = []
    stack = [child for child in reversed(node.children) if child is not None]
    while stack:
        child = stack.pop()
        if isinstance(child, Branch) and child.weights is None:
            stack.extend(c for c in reversed(child.children) if c is not None)
        else:
            parts.append(child)
    return parts
