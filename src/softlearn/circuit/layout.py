"""Number the nodes of a circuit, tree or graph: leaves by family, children before parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.circuit.flat import LEAF, Circuit
from softlearn.table.schema import Schema


@dataclass(frozen=True, eq=False)
class NodeList:
    """The nodes of a circuit in any order that has children before their parents.

    Attributes
    ----------
    kind
        (nodes,) leaf, product or sum; the root is last.
    parent, child, weight
        (edges,) the nodes at both ends, and 1 below a product. A node's children keep the order
        in which its edges come; the edges of several nodes may be mixed.
    column, family
        (nodes,) of the leaves; anything elsewhere.
    n_params, first_param
        (nodes,) how many parameters a leaf has, and where they begin; anything elsewhere.
    params
        The parameters of all leaves.
    """

    kind: AnyArray
    parent: AnyArray
    child: AnyArray
    weight: Floats
    column: AnyArray
    family: AnyArray
    n_params: AnyArray
    first_param: AnyArray
    params: Floats

    @staticmethod
    def of(circuit: Circuit) -> NodeList:
        """Return the nodes of a circuit as they are numbered."""
        rest = np.zeros(circuit.n_nodes - circuit.n_leaves, np.int64)
        return NodeList(
            circuit.kind,
            circuit.edge_owner,
            circuit.child,
            circuit.weight,
            np.concatenate([circuit.leaf_column, rest]),
            np.concatenate([circuit.leaf_family, rest]),
            np.concatenate([np.diff(circuit.param_start), rest]),
            np.concatenate([circuit.param_start[:-1], rest]),
            circuit.params,
        )

    @staticmethod
    def below_one_root(parts: Sequence[NodeList], kind: int, weights: Floats) -> NodeList:
        """Return the nodes of all parts and a new root, the parent of theirs."""
        node = starts([part.kind.size for part in parts])
        param = starts([part.params.size for part in parts])[:-1]
        n_edges = [part.parent.size for part in parts]
        moved = np.concatenate([np.repeat(node[:-1], n_edges), np.zeros(len(parts), np.int64)])

        def joined(name: str, *last: AnyArray) -> AnyArray:
            return np.concatenate([*(getattr(part, name) for part in parts), *last])

        none = np.zeros(1, np.int64)
        return NodeList(
            kind=joined("kind", np.array([kind])),
            parent=joined("parent", np.repeat(node[-1], len(parts))) + moved,
            child=joined("child", node[1:] - 1) + moved,
            weight=joined("weight", weights),
            column=joined("column", none),
            family=joined("family", none),
            n_params=joined("n_params", none),
            first_param=joined("first_param", none) + np.append(np.repeat(param, np.diff(node)), 0),
            params=joined("params"),
        )


def lay_out(schema: Schema, nodes: NodeList) -> Circuit:
    """Return the flat circuit, not validated; leaves of a family and inner nodes keep their order.

    This is the one place that gives nodes their numbers.
    """
    is_leaf = nodes.kind == LEAF
    leaves = np.flatnonzero(is_leaf)
    leaves = leaves[np.argsort(nodes.family[leaves], kind="stable")]
    order = np.concatenate([leaves, np.flatnonzero(~is_leaf)])
    number = np.empty(order.size, np.int32)
    number[order] = np.arange(order.size)
    owner = number[nodes.parent]
    edges = np.argsort(owner, kind="stable")
    n_params = nodes.n_params[leaves]
    return Circuit(
        schema=schema,
        kind=nodes.kind[order],
        edge_start=starts(np.bincount(owner, minlength=order.size)),
        child=number[nodes.child[edges]],
        weight=nodes.weight[edges],
        leaf_column=nodes.column[leaves],
        leaf_family=nodes.family[leaves],
        param_start=starts(n_params),
        params=nodes.params[_ranges(nodes.first_param[leaves], n_params)],
    )


def starts(lengths: AnyArray | list[int]) -> Offsets:
    """Return where parts of these lengths begin behind each other, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _ranges(first: AnyArray, length: AnyArray) -> Offsets:
    """Return the positions first, first + 1, ... of each part, part after part."""
    begin = starts(length)
    return np.arange(begin[-1]) + np.repeat(first - begin[:-1], length)
