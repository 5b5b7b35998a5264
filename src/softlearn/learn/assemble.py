"""Lay a grown tree out as a flat circuit, without recursion and without the build form."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Bools, Offsets
from softlearn.circuit import LEAF, PRODUCT, Circuit, validate
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
    """Give the nodes a circuit's numbers: leaves by family, then children before parents."""
    parent, merged = _past_merged(tree)
    is_leaf = tree.kind == LEAF
    leaves = np.flatnonzero(is_leaf)[::-1]
    leaves = leaves[np.argsort(tree.family[leaves], kind="stable")]
    inner = np.flatnonzero(~is_leaf & ~merged & (tree.kind != OPEN))[::-1]
    node = np.concatenate([leaves, inner])
    new_id = np.full(tree.kind.size, -1)
    new_id[node] = np.arange(node.size)
    below = np.sort(node)[1:]  # all but the root
    below = below[np.argsort(new_id[parent[below]], kind="stable")]
    n_children = np.bincount(new_id[parent[below]], minlength=node.size)
    return Circuit(
        schema=schema,
        kind=tree.kind[node],
        edge_start=np.concatenate([[0], np.cumsum(n_children)]),
        child=new_id[below],
        weight=tree.weight[below],
        leaf_column=tree.column[leaves],
        leaf_family=tree.family[leaves],
        param_start=np.concatenate([[0], np.cumsum(tree.n_params[leaves])]),
        params=tree.params[_param_positions(tree.n_params, leaves)],
    )


def _past_merged(tree: Piece) -> tuple[Offsets, Bools]:
    """Return each node's parent that stays, and which products go because theirs is a product."""
    parent = tree.parent.copy()
    is_product = tree.kind == PRODUCT
    merged = is_product & (parent >= 0) & is_product[parent]
    while (too_low := (parent >= 0) & merged[parent]).any():
        parent[too_low] = parent[parent[too_low]]
    return parent, merged


def _param_positions(n_params: AnyArray, leaves: Offsets) -> Offsets:
    """Return where the parameters of the leaves stand, leaf by leaf."""
    first, width = (np.cumsum(n_params) - n_params)[leaves], n_params[leaves]
    shift = first - (np.cumsum(width) - width)
    return np.repeat(shift, width) + np.arange(int(width.sum()))
