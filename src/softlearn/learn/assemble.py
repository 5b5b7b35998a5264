"""Lay a grown tree out as a flat circuit, without recursion and without the build form."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Offsets
from softlearn.circuit import PRODUCT, Circuit, NodeList, lay_out, validate
from softlearn.learn.pieces import OPEN, Piece
from softlearn.table.schema import Schema


def assemble(root: Piece, schema: Schema) -> Circuit:
    """Return the circuit of a grown tree; a product inside a product is merged with it."""
    circuit = _circuit(_joined(root), schema)
    validate(circuit)
    return circuit


def _joined(root: Piece) -> Piece:
    """Return all pieces as one, in which open nodes are left over that nothing hangs on."""
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
    parent = np.concatenate([piece.parent + n for piece, n in zip(pieces, first, strict=True)])
    weight = np.concatenate([piece.weight for piece in pieces])
    parent[first], weight[first] = above, edge
    return Piece(
        kind=np.concatenate([piece.kind for piece in pieces]),
        parent=parent,
        weight=weight,
        column=np.concatenate([piece.column for piece in pieces]),
        family=np.concatenate([piece.family for piece in pieces]),
        n_params=np.concatenate([piece.n_params for piece in pieces]),
        params=np.concatenate([piece.params for piece in pieces]),
    )


def _circuit(tree: Piece, schema: Schema) -> Circuit:
    """Turn the tree round, so that children come first, without open nodes and merged products."""
    parent, merged = _past_merged(tree)
    kept = np.flatnonzero(~merged & (tree.kind != OPEN))
    order = kept[::-1]
    place = np.full(tree.kind.size, -1)
    place[order] = np.arange(order.size)
    below = kept[1:]  # all but the root
    return lay_out(
        schema,
        NodeList(
            kind=tree.kind[order],
            parent=place[parent[below]],
            child=place[below],
            weight=tree.weight[below],
            column=tree.column[order],
            family=tree.family[order],
            n_params=tree.n_params[order],
            first_param=(np.cumsum(tree.n_params) - tree.n_params)[order],
            params=tree.params,
        ),
    )


def _past_merged(tree: Piece) -> tuple[Offsets, Bools]:
    """Return each node's parent that stays, and which products go because theirs is a product."""
    parent = tree.parent.copy()
    is_product = tree.kind == PRODUCT
    merged = is_product & (parent >= 0) & is_product[parent]
    while (too_low := (parent >= 0) & merged[parent]).any():
        parent[too_low] = parent[parent[too_low]]
    return parent, merged
