"""Write a circuit as the text of a PSDD and its column tree (vtree), if it is a PSDD."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import NamedTuple

from softlearn.circuit.flat import SUM, Circuit
from softlearn.circuit.psdd_text import COLUMNS
from softlearn.circuit.scopes import scopes
from softlearn.errors import SoftlearnError

_PSDD_HEAD = """c PSDD written by softlearn; nodes begin at 0, children come first
c L id vtree literal
c T id vtree variable log(probability)
c D id vtree n (prime sub log(probability))*
"""
_VTREE_HEAD = """c vtree written by softlearn; nodes begin at 0, variables at 1, children come first
c L id variable
c I id left right
"""


class Element(NamedTuple):
    """A branch: a part over the left columns, one over the right, and its probability."""

    parts: tuple[int, int]
    weight: float


class Node(NamedTuple):
    """A leaf over one column, or a choice between branches.

    Attributes
    ----------
    scope
        The columns, one bit each.
    possible
        Two bits per column: whether it may have its first and its second level.
    levels
        At leaves: the probabilities of both levels.
    elements
        At inner nodes.
    """

    scope: int
    possible: int
    levels: tuple[float, float] = (0.0, 0.0)
    elements: tuple[Element, ...] = ()


def psdd_texts(circuit: Circuit) -> tuple[str, str]:
    """Return the texts of the ``.psdd`` and the ``.vtree`` file of a circuit.

    Raises
    ------
    SoftlearnError
        If the circuit is no PSDD; the message says why.
    """
    wide = [column for column in circuit.schema if column.n_levels != 2]
    if wide:
        raise SoftlearnError(
            f"a .psdd file holds columns of two levels only, and column {wide[0].name!r} is "
            f"{wide[0].kind} with {wide[0].n_levels or 'no'} levels; save it as .safetensors"
        )
    found = _Nodes(circuit)
    places = _places(found)
    return _psdd(found, places, circuit), _vtree(found, places)


class _Nodes:
    """The nodes of a circuit with two parts in every product, and how columns are cut."""

    def __init__(self, circuit: Circuit) -> None:
        self.nodes: list[Node] = []
        self.cuts: dict[int, tuple[int, int]] = {}  # by scope: left and right
        self._names = circuit.schema.names
        self._lowest = sum(1 << (2 * i) for i in range(len(circuit.schema)))
        scope, number = scopes(circuit), list[int]()
        params = circuit.params.tolist()
        for leaf in range(circuit.n_leaves):
            low, high = params[circuit.param_start[leaf] : circuit.param_start[leaf + 1]]
            number.append(self._add_leaf(int(circuit.leaf_column[leaf]), low, high))
        starts, child = circuit.edge_start.tolist(), circuit.child.tolist()
        weight, kind = circuit.weight.tolist(), circuit.kind.tolist()
        for node in range(circuit.n_leaves, circuit.n_nodes):
            edges = range(starts[node], starts[node + 1])
            below = [number[child[edge]] for edge in edges]
            if kind[node] == SUM:
                number.append(self._add_sum(scope[node], below, [weight[edge] for edge in edges]))
            else:
                number.append(self._add_product(below))
        self.root = number[-1]
        self._must_exclude_each_other()

    def _add_leaf(self, column: int, low: float, high: float) -> int:
        possible = (int(low > 0.0) | 2 * int(high > 0.0)) << (2 * column)
        self.nodes.append(Node(1 << column, possible, (low, high)))
        return len(self.nodes) - 1

    def _add_product(self, below: list[int]) -> int:
        """Add a product; of more than two parts the first is left, and the others are right."""
        last = below[-1]
        for part in reversed(below[:-1]):
            scope = self.nodes[part].scope | self.nodes[last].scope
            last = self._add(scope, (Element((part, last), 1.0),))
        return last

    def _add_sum(self, scope: int, below: list[int], weights: list[float]) -> int:
        """Add a sum; sums below it become part of it."""
        some = [(self.nodes[one], w) for one, w in zip(below, weights, strict=True) if w > 0.0]
        if scope.bit_count() == 1:
            column = scope.bit_length() - 1
            low, high = (sum(w * node.levels[level] for node, w in some) for level in (0, 1))
            return self._add_leaf(column, low, high)
        every = (Element(e.parts, w * e.weight) for node, w in some for e in node.elements)
        return self._add(scope, tuple(element for element in every if element.weight > 0.0))

    def _add(self, scope: int, elements: tuple[Element, ...]) -> int:
        """Add a choice; all choices over the same columns cut them alike."""
        possible, branches = 0, []
        for (one, two), weight in elements:
            cut = self.nodes[one].scope, self.nodes[two].scope
            known = self.cuts.setdefault(scope, cut)
            if cut not in (known, known[::-1]):
                raise SoftlearnError(
                    f"the circuit is no PSDD: it cuts the same columns in different ways, once "
                    f"beside {self._named(known[0])} and once beside {self._named(cut[0])}"
                )
            branches.append(Element((one, two) if cut == known else (two, one), weight))
            possible |= self.nodes[one].possible | self.nodes[two].possible
        self.nodes.append(Node(scope, possible, elements=tuple(branches)))
        return len(self.nodes) - 1

    def _must_exclude_each_other(self) -> None:
        """Turn cuts round whose right parts exclude each other instead of the left ones."""
        allowed: dict[int, list[bool]] = {}
        for node in self.nodes:
            sides = allowed.setdefault(node.scope, [True, True])
            for side in (0, 1):
                parts = [self.nodes[element.parts[side]] for element in node.elements]
                sides[side] &= all(self._are_apart(a, b) for a, b in combinations(parts, 2))
            if sides == [False, False]:
                raise SoftlearnError(
                    "the circuit is no PSDD: branches over "
                    f"{self._named(node.scope)} may be possible at the same time, as those of a "
                    "mixture are; save it as .safetensors"
                )
        turned = {scope for scope, sides in allowed.items() if not sides[0]}
        self.cuts = {s: cut[::-1] if s in turned else cut for s, cut in self.cuts.items()}
        for place, node in enumerate(self.nodes):
            if node.scope in turned:
                self.nodes[place] = node._replace(
                    elements=tuple(Element(e.parts[::-1], e.weight) for e in node.elements)
                )

    def _are_apart(self, one: Node, two: Node) -> bool:
        """Return whether two nodes over the same columns differ for certain in one of them."""
        both = one.possible & two.possible
        shared = (both | both >> 1) & self._lowest
        either = (one.possible | one.possible >> 1) & self._lowest
        return shared != either

    def _named(self, scope: int) -> str:
        names = [repr(name) for i, name in enumerate(self._names) if scope >> i & 1]
        return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def _places(found: _Nodes) -> dict[int, int]:
    """Return the number of each part of the columns in the tree, children first."""
    order, stack = [], [found.nodes[found.root].scope]
    while stack:
        scope = stack.pop()
        order.append(scope)
        stack.extend(found.cuts.get(scope, ()))
    return {scope: number for number, scope in enumerate(reversed(order))}


def _vtree(found: _Nodes, places: dict[int, int]) -> str:
    lines = [f"vtree {len(places)}"]
    for scope, number in places.items():
        if scope.bit_count() == 1:
            lines.append(f"L {number} {scope.bit_length()}")
        else:
            left, right = found.cuts[scope]
            lines.append(f"I {number} {places[left]} {places[right]}")
    return _VTREE_HEAD + "\n".join(lines) + "\n"


def _psdd(found: _Nodes, places: dict[int, int], circuit: Circuit) -> str:
    used = {found.root}
    for number in range(found.root, -1, -1):
        if number in used:
            used |= {part for element in found.nodes[number].elements for part in element.parts}
    ids = {number: place for place, number in enumerate(sorted(used))}
    about = json.dumps(circuit.schema.to_dict(), ensure_ascii=True)
    lines = [f"{COLUMNS}{about}", f"psdd {len(ids)}"]
    lines += [_line(found.nodes[number], ids, number, places) for number in sorted(used)]
    return _PSDD_HEAD + "\n".join(lines) + "\n"


def _line(node: Node, ids: dict[int, int], number: int, places: dict[int, int]) -> str:
    place, variable = places[node.scope], node.scope.bit_length()
    if node.elements:
        parts = [
            f"{ids[prime]} {ids[sub]} {math.log(weight)!r}"
            for (prime, sub), weight in node.elements
        ]
        return f"D {ids[number]} {place} {len(parts)} {' '.join(parts)}"
    low, high = node.levels
    if not low or not high:
        return f"L {ids[number]} {place} {variable if high else -variable}"
    # Near 1 the logarithm is that of what is missing, or its digits would be lost.
    logarithm = math.log1p(-low) if low < high else math.log(high)
    return f"T {ids[number]} {place} {variable} {logarithm!r}"
