"""Lay a grown tree out as a flat circuit, without recursion and without the build form."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import Bools, Offsets
from softlearn.circuit import LEAF, PRODUCT, SUM, Circuit, NodeList, lay_out, validate
from softlearn.circuit.draft import Draft
from softlearn.kernels.grow.work import KEPT
from softlearn.leaf import FAMILIES
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import FinishedLeaves
from softlearn.learn.pieces import OPEN, Piece
from softlearn.learn.trees import TreeBuilder
from softlearn.stats.states import SomeRows
from softlearn.stats.table import TrainingTable
from softlearn.table.schema import Schema


def assemble(tree: Piece, finished: FinishedLeaves, schema: Schema) -> Circuit:
    """Return the circuit of a grown tree; a product inside a product is merged with it.

    The order is reversed, so that children come first; open nodes and merged products are dropped.
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


def assemble_with_trees(
    tree: Piece, finished: FinishedLeaves, table: TrainingTable, config: GrowConfig
) -> Circuit:
    """Return the circuit of a grown tree, with a Chow–Liu tree for each slice that was kept."""
    parent, merged = _past_merged(tree)
    draft = Draft(table.schema)
    new_id = np.full(tree.kind.size, -1)
    leaves = np.flatnonzero(tree.kind == LEAF)
    width = np.diff(finished.param_start)
    shape = finished.family * (width.max(initial=0) + 1) + width
    for one in np.unique(shape):
        some = np.flatnonzero(shape == one)
        places = finished.param_start[some][:, None] + np.arange(width[some[0]])
        family, params = FAMILIES[finished.family[some[0]]], finished.params[places]
        new_id[leaves[some]] = draft.add_leaves(tree.column[leaves[some]], family, params)
    builder = TreeBuilder(draft, table, config)
    with threadpool_limits(1, user_api="blas"):  # the matrices are small
        for node in np.flatnonzero(tree.kind == KEPT).tolist():
            new_id[node] = builder.add(_kept_rows(tree, node))
    inner = np.flatnonzero(((tree.kind == PRODUCT) & ~merged) | (tree.kind == SUM))[::-1]
    if not inner.size:
        return draft.circuit(int(new_id.max()))
    new_id[inner] = draft.n_nodes + np.arange(inner.size)
    below = np.flatnonzero((new_id >= 0) & (parent >= 0))
    below = below[np.argsort(new_id[parent[below]], kind="stable")]
    n_children = np.bincount(new_id[parent[below]], minlength=new_id.max() + 1)[new_id[inner]]
    draft.add_nodes(tree.kind[inner], n_children, new_id[below], tree.weight[below])
    return draft.circuit(int(new_id[inner[-1]]))


def _kept_rows(tree: Piece, node: int) -> SomeRows:
    """Return the slice whose rows a node keeps."""
    kept = tree.statistics[tree.place[node] :]
    n_rows, n_columns = int(kept[0]), int(kept[1])
    rows, weights, columns = np.split(kept[2 : 2 + 2 * n_rows + n_columns], [n_rows, 2 * n_rows])
    return SomeRows(rows.astype(np.int32), weights, columns.astype(np.int32))


def _past_merged(tree: Piece) -> tuple[Offsets, Bools]:
    """Return the remaining parent of each node, and which products are merged with their parent."""
    parent = tree.parent.copy()
    is_product = tree.kind == PRODUCT
    merged = is_product & (parent >= 0) & is_product[parent]
    while (too_low := (parent >= 0) & merged[parent]).any():
        parent[too_low] = parent[parent[too_low]]
    return parent, merged
