"""Build a flat circuit from blocks of nodes that are alike, without the build form."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
from softlearn.circuit.properties import validate
from softlearn.leaf import FAMILIES, Family
from softlearn.table.schema import Schema


class Layers:
    """Nodes in the order in which they are added, children first; the last one is the root.

    Every method adds a block of nodes and returns their numbers, which the blocks above name as
    children. A node may be the child of several.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._leaves: list[tuple[int, int, Floats]] = []  # column, family, (leaves, n)
        self._n_leaves = 0
        self._inner: list[tuple[int, Offsets, Floats]] = []  # kind, (nodes, children), weights
        self._n_inner = 0

    def leaves(self, column: int, family: Family, params: Floats) -> Offsets:
        """Add leaves over one column, with parameters (leaves, n)."""
        kind = next(i for i, known in enumerate(FAMILIES) if known.name == family.name)
        self._leaves.append((column, kind, params))
        first, self._n_leaves = self._n_leaves, self._n_leaves + params.shape[0]
        return -1 - np.arange(first, self._n_leaves)  # inner nodes count from 0 up

    def products(self, children: Offsets) -> Offsets:
        """Add products of the nodes in each row, (products, children)."""
        return self._add(PRODUCT, children, np.ones(children.shape))

    def sums(self, children: Offsets, weights: Floats) -> Offsets:
        """Add sums of the nodes in each row, (sums, children), by weights that add to 1.

        Children of one row, (children,), are shared by all sums.
        """
        return self._add(SUM, np.broadcast_to(children, weights.shape), weights)

    def _add(self, kind: int, children: Offsets, weights: Floats) -> Offsets:
        self._inner.append((kind, children, weights))
        first, self._n_inner = self._n_inner, self._n_inner + children.shape[0]
        return np.arange(first, self._n_inner)

    def circuit(self) -> Circuit:
        """Return the circuit of all nodes, leaves ordered by family; it is validated."""
        sizes = [params.shape[0] for _, _, params in self._leaves]
        family = np.repeat([kind for _, kind, _ in self._leaves], sizes)
        column = np.repeat([column for column, _, _ in self._leaves], sizes)
        order = np.argsort(family, kind="stable")
        rank = np.empty(order.size, np.int64)
        rank[order] = np.arange(order.size)
        by_family = sorted(self._leaves, key=lambda block: block[1])
        child = np.concatenate([np.zeros(0, np.int64), *(c.ravel() for _, c, _ in self._inner)])
        n_children = np.concatenate([np.zeros(order.size, np.int64), *map(_widths, self._inner)])
        circuit = Circuit(
            schema=self._schema,
            kind=np.concatenate([np.full(order.size, LEAF), *map(_kinds, self._inner)]),
            edge_start=_starts(n_children),
            child=np.where(child < 0, rank[np.maximum(-1 - child, 0)], child + order.size),
            weight=np.concatenate([np.zeros(0), *(w.ravel() for _, _, w in self._inner)]),
            leaf_column=column[order],
            leaf_family=family[order],
            param_start=_starts(
                np.repeat(
                    [p.shape[1] for _, _, p in by_family], [p.shape[0] for _, _, p in by_family]
                )
            ),
            params=np.concatenate([params.ravel() for _, _, params in by_family]),
        )
        validate(circuit)
        return circuit


def _kinds(block: tuple[int, Offsets, Floats]) -> AnyArray:
    return np.full(block[1].shape[0], block[0])


def _widths(block: tuple[int, Offsets, Floats]) -> Offsets:
    return np.full(block[1].shape[0], block[1].shape[1])


def _starts(lengths: Offsets) -> Offsets:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
