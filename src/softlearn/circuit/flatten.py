"""Convert between the build form and the flat form, without recursion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final

import numpy as np

from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
from softlearn.circuit.layout import NodeList, lay_out, starts
from softlearn.circuit.nodes import Leaf, Node, Product, Sum, Weighted
from softlearn.circuit.properties import validate
from softlearn.errors import CircuitError
from softlearn.leaf import FAMILIES, SCALED, family_named
from softlearn.table.schema import Column, Level, Schema

_INNER: Final = (Product, Sum)  # made once: ``Product | Sum`` in a loop builds a type each time


def flatten(root: Node, schema: Schema | None = None) -> Circuit:
    """Return the flat form of the circuit under ``root``, validated.

    A product inside a product is merged into it when nobody else uses it, so that ``a * b * c``
    is one product of three. Shared sub-circuits stay shared.

    Parameters
    ----------
    root
        The build form.
    schema
        The columns and their levels; by default read off the leaves, in order of appearance.
    """
    order, children = _ordered(root)
    leaves = [node for node in order if isinstance(node, Leaf)]
    if schema is None:
        schema = _schema_of(leaves)
    circuit = lay_out(schema, _node_list(schema, order, children))
    validate(circuit)
    return circuit


def build_form(circuit: Circuit) -> list[Node]:
    """Return the readable node of each flat node; the last one is the root."""
    nodes: list[Node] = []
    params, starts = circuit.params.tolist(), circuit.param_start.tolist()
    for leaf, (column, family) in enumerate(
        zip(circuit.leaf_column.tolist(), circuit.leaf_family.tolist(), strict=True)
    ):
        about = circuit.schema.columns[column]
        own = tuple(params[starts[leaf] : starts[leaf + 1]])
        nodes.append(Leaf(about.name, FAMILIES[family].name, own, _named_values(about)))
    edges, children = circuit.edge_start.tolist(), circuit.child.tolist()
    weights = circuit.weight.tolist()
    for node in range(circuit.n_leaves, circuit.n_nodes):
        mine = slice(edges[node], edges[node + 1])
        below = tuple(nodes[c] for c in children[mine])
        is_sum = circuit.kind[node] == SUM
        nodes.append(Sum(tuple(weights[mine]), below) if is_sum else Product(below))
    return nodes


def _ordered(root: Node) -> tuple[list[Node], dict[int, tuple[Node, ...]]]:
    """Return all nodes, children first, and the children of each inner node by its id."""
    parents = _parent_counts(root)
    order: list[Node] = []
    children: dict[int, tuple[Node, ...]] = {}
    done: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in done:
            continue
        if isinstance(node, Leaf) or id(node) in children:  # nothing below it is left to do
            done.add(id(node))
            order.append(node)
            continue
        _must_be_inner(node)
        below = tuple(_merged(node, parents))
        children[id(node)] = below
        stack.append(node)
        stack.extend(reversed(below))
    return order, children


def _must_be_inner(node: object) -> None:
    if isinstance(node, Weighted):
        raise CircuitError(
            ["a weighted branch is not a circuit: add the other branches, or drop the weight"]
        )
    if not isinstance(node, _INNER):
        raise CircuitError([f"a circuit is made of nodes, not of {type(node).__name__}"])
    if not node.children:
        raise CircuitError([f"a {type(node).__name__.lower()} without children"])


def _parent_counts(root: Node) -> Counter[int]:
    """Count the edges into each inner node, by id; an id is safe while the root is alive."""
    parents: Counter[int] = Counter({id(root): 1})
    stack = [root]
    while stack:
        for child in _children(stack.pop()):
            if isinstance(child, Leaf):
                continue
            parents[id(child)] += 1
            if parents[id(child)] == 1:
                stack.append(child)
    return parents


def _children(node: Node) -> tuple[Node, ...]:
    return node.children if isinstance(node, _INNER) else ()


def _merged(node: Node, parents: Counter[int]) -> Iterator[Node]:
    """Yield the children, looking through products inside a product that nobody else uses."""
    if not isinstance(node, Product):
        yield from _children(node)
        return
    stack = list(reversed(node.children))
    while stack:
        child = stack.pop()
        if isinstance(child, Product) and parents[id(child)] == 1:
            stack.extend(reversed(child.children))
        else:
            yield child


@cache
def _family_id(name: str) -> int:
    return FAMILIES.index(family_named(name))


def _schema_of(leaves: list[Leaf]) -> Schema:
    """Read the columns off the leaves: every level that any leaf of a column names."""
    levels: dict[str, dict[tuple[type, Level], Level]] = {}
    for leaf in leaves:
        known = levels.setdefault(leaf.column, {})
        if leaf.family != SCALED.name:
            known.update({(type(level), level): level for level in leaf.levels})
    return Schema(tuple(_column(name, tuple(found.values())) for name, found in levels.items()))


def _column(name: str, levels: tuple[Level, ...]) -> Column:
    """Return the column that hand-written leaves speak of."""
    if not levels:
        return Column(name, "numeric", reason="its leaves are continuous")
    if all(isinstance(level, int) and level in {0, 1} for level in levels):  # bool is an int too
        both: tuple[Level, ...] = (False, True) if isinstance(levels[0], bool) else (0, 1)
        return Column(name, "boolean", both, reason="its leaves name only two truth values")
    return Column(name, "categorical", levels, reason="its leaves name these levels")


def _node_list(
    schema: Schema, order: list[Node], children: dict[int, tuple[Node, ...]]
) -> NodeList:
    """Return the nodes in the order given, children first."""
    position = {id(node): i for i, node in enumerate(order)}
    below = [children.get(id(node), ()) for node in order]
    weights = [
        node.weights if isinstance(node, Sum) else (1.0,) * len(own)
        for node, own in zip(order, below, strict=True)
    ]
    _same_lengths(order, weights, below)
    params, columns = _leaf_arrays(schema, [node for node in order if isinstance(node, Leaf)])
    is_leaf = np.array([isinstance(node, Leaf) for node in order])
    column, n_params = np.zeros((2, len(order)), np.int64)
    column[is_leaf], n_params[is_leaf] = columns, [len(own) for own in params]
    return NodeList(
        kind=np.array([_kind(node) for node in order]),
        parent=np.repeat(np.arange(len(order)), [len(own) for own in below]),
        child=np.array([position[id(child)] for own in below for child in own], np.int64),
        weight=np.array([weight for own in weights for weight in own], np.float64),
        column=column,
        family=np.array(
            [_family_id(node.family) if isinstance(node, Leaf) else 0 for node in order]
        ),
        n_params=n_params,
        first_param=starts(n_params)[:-1],
        params=np.array([value for own in params for value in own], np.float64),
    )


def _kind(node: Node) -> int:
    if isinstance(node, Leaf):
        return LEAF
    return SUM if isinstance(node, Sum) else PRODUCT


def _same_lengths(
    nodes: list[Node], weights: list[tuple[float, ...]], below: list[tuple[Node, ...]]
) -> None:
    wrong = [
        f"{node!r} has {len(own)} weights for {len(kids)} children"
        for node, own, kids in zip(nodes, weights, below, strict=True)
        if len(own) != len(kids)
    ]
    if wrong:
        raise CircuitError(wrong)


def _leaf_arrays(schema: Schema, leaves: list[Leaf]) -> tuple[list[tuple[float, ...]], list[int]]:
    """Return each leaf's parameters and the position of its column."""
    position = {column.name: i for i, column in enumerate(schema.columns)}
    wrong = [
        f"{leaf!r}: the schema has no column of that name"
        for leaf in leaves
        if leaf.column not in position
    ]
    if wrong:
        raise CircuitError(wrong)
    columns = [position[leaf.column] for leaf in leaves]
    params = [
        _params(leaf, schema.columns[column]) for leaf, column in zip(leaves, columns, strict=True)
    ]
    return params, columns


def _params(leaf: Leaf, column: Column) -> tuple[float, ...]:
    """Return the leaf's parameters in the order of the schema's levels, or of its atoms."""
    levels = _named_values(column)
    if leaf.levels == levels or (not leaf.levels and leaf.family != SCALED.name):
        return leaf.params
    n_named = len(leaf.levels)
    if n_named != len(leaf.params) and leaf.family != SCALED.name:
        raise CircuitError([f"{leaf!r} has {len(leaf.params)} probabilities for {n_named} levels"])
    own = dict(zip(leaf.levels, leaf.params, strict=False))
    unknown = [level for level in own if level not in levels]
    if unknown:
        noun = "atoms" if leaf.family == SCALED.name else "levels"
        raise CircuitError([f"{leaf!r} names {noun} that the schema lacks: {unknown}"])
    return (*(own.get(level, 0.0) for level in levels), *leaf.params[n_named:])


def _named_values(column: Column) -> tuple[Level, ...]:
    """Return the values that leaves have a probability for each: levels, or atoms of a scale."""
    if column.scale is None:
        return column.levels
    return (*column.scale.atoms, *((None,) if column.missing == "modelled" else ()))
