"""Pieces of a growing tree: flat arrays of nodes, some of which are still open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from softlearn.arrays import AnyArray, Floats, Kinds, Offsets
from softlearn.circuit import LEAF, PRODUCT, SUM
from softlearn.learn.leaves import LeafParams

OPEN: Final = 3  # the kind of a node of which nothing is known yet


@dataclass(frozen=True, eq=False)
class Piece:
    """Some nodes of the tree; a node comes before its children, which keep their order.

    Attributes
    ----------
    kind
        (nodes,) leaf, product, sum, or open: another piece will grow there.
    parent
        (nodes,) -1 for the first.
    weight
        (nodes,) of the edge from the parent; 1 below a product.
    column, family
        (nodes,) of the leaves; anything elsewhere.
    n_params
        (nodes,) how many parameters a node has; 0 if it is no leaf.
    params
        The leaves' parameters, behind each other.
    grown
        What has grown at the open nodes.
    """

    kind: Kinds
    parent: Offsets
    weight: Floats
    column: AnyArray
    family: AnyArray
    n_params: AnyArray
    params: Floats
    grown: dict[int, Piece] = field(default_factory=dict)

    @property
    def n_nodes(self) -> int:
        """Number of nodes that are there."""
        return int(np.count_nonzero(self.kind != OPEN))


def leaves_alone(leaves: LeafParams) -> Piece:
    """Return a leaf, or a product of leaves."""
    if leaves.columns.size > 1:
        return a_product(leaves, 0)
    return _piece(np.array([LEAF]), np.array([-1]), np.ones(1), leaves)


def a_product(leaves: LeafParams | None, n_open: int) -> Piece:
    """Return a product of leaves and open nodes, in this order."""
    n_leaves = 0 if leaves is None else leaves.columns.size
    kind = np.concatenate([[PRODUCT], np.full(n_leaves, LEAF), np.full(n_open, OPEN)])
    return _piece(kind, _below_first(kind.size), np.ones(kind.size), leaves)


def a_sum(weights: Iterable[float]) -> Piece:
    """Return a sum of open nodes."""
    weight = np.array([1.0, *weights])
    kind = np.full(weight.size, OPEN)
    kind[0] = SUM
    return _piece(kind, _below_first(kind.size), weight, None)


def one_open() -> Piece:
    """Return the open node that everything grows from."""
    return _piece(np.array([OPEN]), np.array([-1]), np.ones(1), None)


def _below_first(n: int) -> Offsets:
    parent = np.zeros(n, np.int64)
    parent[0] = -1
    return parent


def _piece(kind: AnyArray, parent: Offsets, weight: Floats, leaves: LeafParams | None) -> Piece:
    column, family, n_params = np.full(kind.size, -1), np.full(kind.size, -1), np.zeros(kind.size)
    params = np.zeros(0)
    if leaves is not None:
        own = kind == LEAF
        column[own], family[own] = leaves.columns, leaves.family
        n_params[own] = [values.size for values in leaves.params]
        params = np.concatenate(leaves.params)
    return Piece(kind, parent, weight, column, family, n_params.astype(np.int64), params)
