"""Lay a grown tree out as a flat circuit, without recursion and without the build form."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Offsets
from softlearn.circuit import LEAF, PRODUCT, Circuit, validate
from softlearn.learn.leaves import FinishedLeaves
from softlearn.learn.pieces import OPEN, Piece
from softlearn.table.schema import Schema


def assemble(tree: Piece, finished: FinishedLeaves, schema: Schema) -> Circuit:
    """Return the circuit of a grown tree; a product inside a product is merged with it.

    Leaves are numbered first, by family, then the other nodes, children before parents.
    """
    parent, merged = _past_merged(tree)
    is_leaf = tree.kind == LEAF
    leaf_nodes = np.flatnonzero(is_leaf)
    order = np.arange(leaf_nodes.size)[::-1]
    order = order[np.argsort(finished.family[order], kind="stable")]
    inner = np.flatnonzero(~is_leaf & ~merged & (tree.kind != OPEN))[::-1]
    node = np.concatenate([leaf_nodes[order], inner])
    new_id = np.full(tree.kind.size, -1)
    new_id[node] = np.arange(node.size)
    below = np.sort(node)[1:]  # all but the root
    below = below[np.argsort(new_id[parent[below]], kind="stable")]
    n_children = np.bincount(new_id[parent[below]], minlength=node.size)
    width = np.diff(finished.param_start)[order]
    circuit = Circuit(
        schema=schema,
        kind=tree.kind[node],
        edge_start=np.concatenate([[0], np.cumsum(n_children)]),
        child=new_id[below],
        weight=tree.weight[below],
        leaf_column=tree.column[leaf_nodes[order]],
        leaf_family=finished.family[order],
        param_start=np.concatenate([[0], np.cumsum(width)]),
        params=finished.params[_param_positions(finished.param_start[order], width)],
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


def _param_positions(first: Offsets, width: Offsets) -> Offsets:
    """Return where the parameters of the leaves stand, leaf by leaf."""
    shift = first - (np.cumsum(width) - width)
    return np.repeat(shift, width) + np.arange(int(width.sum()))
