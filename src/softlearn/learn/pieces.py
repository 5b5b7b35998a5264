"""Pieces of a growing tree: flat arrays of nodes, some of which are still open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from softlearn.arrays import AnyArray, Floats, Kinds, Offsets

OPEN: Final = 3  # the kind of a node of which nothing is known yet


@dataclass(frozen=True, eq=False)
class Piece:
    """Some nodes of the tree; parents come before children, whose order is kept.

    Attributes
    ----------
    kind
        (nodes,) leaf, product, sum, or open: another piece will grow there.
    parent
        (nodes,) -1 for the first.
    weight
        (nodes,) of the edge from the parent; 1 below a product.
    column
        (nodes,) of the leaves; anything elsewhere.
    place
        (nodes,) where the statistics of a leaf begin; anything elsewhere.
    statistics
        The statistics of all leaves, concatenated.
    grown
        The pieces that have grown at the open nodes.
    """

    kind: Kinds
    parent: Offsets
    weight: Floats
    column: AnyArray
    place: Offsets
    statistics: Floats
    grown: dict[int, Piece] = field(default_factory=dict)

    @property
    def n_nodes(self) -> int:
        """Number of nodes that are there."""
        return int(np.count_nonzero(self.kind != OPEN))


def one_open() -> Piece:
    """Return the open node that everything grows from."""
    nowhere = np.array([-1])
    return Piece(np.array([OPEN], np.uint8), nowhere, np.ones(1), nowhere, nowhere, np.zeros(0))


def joined(root: Piece) -> Piece:
    """Return all pieces as one; nodes at which nothing has grown stay open."""
    pieces, first, above, edge = [], [], [], []
    stack, n_nodes = [(root, -1, 1.0)], 0
    while stack:
        piece, its_parent, its_weight = stack.pop()
        pieces.append(piece)
        first.append(n_nodes)
        above.append(its_parent)
        edge.append(its_weight)
        for place in sorted(piece.grown, reverse=True):
            node = n_nodes + int(piece.parent[place])
            stack.append((piece.grown[place], node, float(piece.weight[place])))
        n_nodes += piece.kind.size
    n_before = np.cumsum([0, *(piece.statistics.size for piece in pieces[:-1])])
    parent = np.concatenate([piece.parent + n for piece, n in zip(pieces, first, strict=True)])
    places = np.concatenate([piece.place + n for piece, n in zip(pieces, n_before, strict=True)])
    weight = np.concatenate([piece.weight for piece in pieces])
    parent[first], weight[first] = above, edge
    return Piece(
        kind=np.concatenate([piece.kind for piece in pieces]),
        parent=parent,
        weight=weight,
        column=np.concatenate([piece.column for piece in pieces]),
        place=places,
        statistics=np.concatenate([piece.statistics for piece in pieces]),
    )
