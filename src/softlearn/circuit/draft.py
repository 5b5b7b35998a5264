"""A circuit under construction: nodes are added in blocks, children before parents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
from softlearn.circuit.layout import NodeList, lay_out
from softlearn.circuit.properties import validate
from softlearn.leaf import FAMILIES, Family
from softlearn.table.schema import Schema


class Draft:
    """Nodes in the order in which they were added; a node's id is its position."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.n_nodes = 0
        self._kind: list[AnyArray] = []
        self._n_children: list[AnyArray] = []
        self._child: list[AnyArray] = []
        self._weight: list[AnyArray] = []
        self._column: list[AnyArray] = []  # of the leaves alone, as the next three
        self._family: list[AnyArray] = []
        self._n_params: list[AnyArray] = []
        self._params: list[AnyArray] = []

    def add_leaves(self, column: int | AnyArray, family: Family, params: Floats) -> Offsets:
        """Add leaves over one column or one each; their parameters are (leaves, n); return ids."""
        n, width = params.shape
        self._column.append(np.broadcast_to(column, n))
        self._family.append(np.full(n, FAMILIES.index(family)))
        self._n_params.append(np.full(n, width))
        self._params.append(params.ravel())
        return self.add_nodes(np.full(n, LEAF), np.zeros(n, np.int64), np.zeros(0), np.zeros(0))

    def add_nodes(
        self, kind: AnyArray, n_children: AnyArray, child: AnyArray, weight: AnyArray
    ) -> Offsets:
        """Add nodes with their edges behind each other; return their ids."""
        ids = np.arange(self.n_nodes, self.n_nodes + kind.size)
        self.n_nodes += kind.size
        self._kind.append(kind)
        self._n_children.append(n_children)
        self._child.append(child)
        self._weight.append(weight)
        return ids

    def add_sums(self, children: Offsets, weights: Floats) -> Offsets:
        """Add sums by weights, (sums, children); return their ids.

        The children are (sums, children) too, or (children,) if all sums have the same.
        """
        n_sums, n_children = weights.shape
        child = np.broadcast_to(children, weights.shape).ravel()
        return self.add_nodes(
            np.full(n_sums, SUM), np.full(n_sums, n_children), child, weights.ravel()
        )

    def add_products(self, children: Offsets) -> Offsets:
        """Add products of the nodes in each row, (products, children); return their ids."""
        n_products, n_children = children.shape
        sizes, ones = np.full(n_products, n_children), np.ones(children.size)
        return self.add_nodes(np.full(n_products, PRODUCT), sizes, children.ravel(), ones)

    def add_sum(self, children: Sequence[int], weights: Sequence[float] | Floats) -> int:
        """Add a sum; return its id, or that of its only child."""
        if len(children) == 1:
            return children[0]
        return self._add_one(SUM, children, np.asarray(weights))

    def add_product(self, children: Sequence[int]) -> int:
        """Add a product; return its id, or that of its only child."""
        if len(children) == 1:
            return children[0]
        return self._add_one(PRODUCT, children, np.ones(len(children)))

    def _add_one(self, kind: int, children: Sequence[int], weights: Floats) -> int:
        n_children = np.array([len(children)])
        return int(self.add_nodes(np.array([kind]), n_children, np.array(children), weights)[0])

    def circuit(self, root: int) -> Circuit:
        """Return the validated circuit below a node; what cannot be reached from it is left out."""
        kind, n_children = np.concatenate(self._kind), np.concatenate(self._n_children)
        child = np.concatenate(self._child).astype(np.int64)
        start = np.concatenate([[0], np.cumsum(n_children)])
        kept = _reachable(root, start, child)
        is_leaf, node = kind == LEAF, np.flatnonzero(kept)
        leaf_of = np.where(is_leaf, np.cumsum(is_leaf) - 1, 0)[node]
        place = np.full(kind.size, -1)
        place[node] = np.arange(node.size)
        edges = _stretches(start[node], n_children[node])
        n_params = np.concatenate(self._n_params)
        circuit = lay_out(
            self.schema,
            NodeList(
                kind=kind[node],
                parent=np.repeat(place[node], n_children[node]),
                child=place[child[edges]],
                weight=np.concatenate(self._weight)[edges],
                column=np.concatenate(self._column)[leaf_of],
                family=np.concatenate(self._family)[leaf_of],
                n_params=n_params[leaf_of],
                first_param=(np.cumsum(n_params) - n_params)[leaf_of],
                params=np.concatenate(self._params),
            ),
        )
        validate(circuit)
        return circuit


def add_trees(
    draft: Draft,
    parent: Sequence[int],
    tables: Sequence[Floats | None],
    nodes: Sequence[Offsets],
) -> int:
    """Add trees of places that each are in one of some states; return the id of their product.

    A place without children has one node for each state of its parent. Any other place has
    one node for each of its own states and a table: the probability of its states (the
    columns) given each state of its parent (the rows). Roots have one row, or one node.

    Parameters
    ----------
    draft
        Where the nodes are, and where sums and products are added.
    parent
        The position of each place's parent, -1 for roots.
    tables
        For each place with children its table.
    nodes
        For each place the ids of its nodes.
    """
    below: list[list[int]] = [[] for _ in parent]
    for place, above in enumerate(parent):
        if above >= 0:
            below[above].append(place)
    given = list(nodes)  # for each place, a node for each state of its parent
    for place in reversed(_parents_first(parent, below)):
        table = tables[place]
        if table is None or not below[place]:
            continue
        n_given, n_states = table.shape
        parts = np.stack([nodes[place], *(given[one] for one in below[place])], axis=1)
        products = np.arange(draft.n_nodes, draft.n_nodes + n_states)
        kind = np.repeat([PRODUCT, SUM], [n_states, n_given])
        n_children = np.repeat([parts.shape[1], n_states], [n_states, n_given])
        child = np.concatenate([parts.ravel(), np.tile(products, n_given)])
        weight = np.concatenate([np.ones(parts.size), table.ravel()])
        given[place] = draft.add_nodes(kind, n_children, child, weight)[n_states:]
    return draft.add_product([int(given[i][0]) for i, above in enumerate(parent) if above < 0])


def _parents_first(parent: Sequence[int], below: list[list[int]]) -> list[int]:
    """Return all places, each after its parent."""
    level = [place for place, above in enumerate(parent) if above < 0]
    order = []
    while level:
        order += level
        level = list(chain.from_iterable(below[place] for place in level))
    return order


def _reachable(root: int, start: Offsets, child: Offsets) -> Bools:
    """Return which nodes are below the root or it, (nodes,)."""
    kept = np.zeros(start.size - 1, dtype=bool)
    kept[root] = True
    newest = np.array([root])
    while newest.size:
        reached = child[_stretches(start[newest], start[newest + 1] - start[newest])]
        newest = np.unique(reached[~kept[reached]])
        kept[newest] = True
    return kept


def _stretches(first: Offsets, length: Offsets) -> Offsets:
    """Return the whole numbers from each first one on, so many each, behind each other."""
    shift = first - (np.cumsum(length) - length)
    return np.repeat(shift, length) + np.arange(int(length.sum()))
