"""Lay a grown tree out as a flat circuit, without recursion and without the build form."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Offsets
from softlearn.circuit import LEAF, PRODUCT, Circuit, NodeList, lay_out, validate
from softlearn.learn.leaves import FinishedLeaves
from softlearn.learn.pieces import OPEN, Piece
from softlearn.table.schema import Schema


def assemble(tree: Piece, finished: FinishedLeaves, schema: Schema) -> Circuit:
    """Return the circuit of a grown tree; a product inside a product is merged with it.

    The tree is turned round, so that children come first, without open nodes and merged products.
    """
    parent, merged = _past_merged(tree)
    leaf_of = np.cumsum(tree.kind == LEAF) - 1  # (nodes,) position among the leaves
    kept = np.flatnonzero(~merged & (tree.kind != OPEN))
    order = kept[::-1]
    place = np.full(tree.kind.size, -1)
    place[order] = np.arange(order.size)
    below = kept[1:]  # all but the root
    is_leaf, leaf = tree.kind[order] == LEAF, leaf_of[order]
    circuit = lay_out(
        schema,
        NodeList(
            kind=tree.kind[order],
            parent=place[parent[below]],
            child=place[below],
            weight=tree.weight[below],
            column=tree.column[order],
            family=np.where(is_leaf, finished.family[leaf], -1),
            n_params=np.where(is_leaf, np.diff(finished.param_start)[leaf], 0),
            first_param=finished.param_start[leaf],
            params=finished.params,
        ),
    )
    validate(circuit)
    return circuit


def _past_merged(tree: Piece) -> tuple[Offsets, Bools]:
    """Return each node's parent that stays, and which products go because theirs is a product."""
    parent = tree.parent.copy()
    is_product = tree.kind == PRODUCT
    merged = is_product & (parent >= 0) & is_product[parent]
    while (too_low := (parent >= 0) & merged[parent]).any():
        parent[too_low] = parent[parent[too_low]]
    return parent, merged
