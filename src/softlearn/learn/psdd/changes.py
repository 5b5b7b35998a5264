"""Change a growing PSDD: split the rows of an edge, or clone nodes."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.learn.psdd.growing import NONE, Growing


class Split(NamedTuple):
    """The rows of an edge are divided into those with a level of a column and the others."""

    edge: int
    column: int  # its position in the order of the tree
    level: int


class Clone(NamedTuple):
    """A node is copied for the rows that reach it by one of several edges."""

    edge: int
    node: int


def split(grown: Growing, change: Split, places: Set[int]) -> None:
    """Divide the rows of an edge; both groups get separate nodes at some places."""
    edge, node = change.edge, grown.owner(change.edge)
    place, rows = grown.places[node], grown.rows(change.edge)
    group = (grown.cells.code[rows, change.column] == change.level).astype(np.int32)
    made = []
    for own, share in enumerate(shares_of_groups(grown, rows, group).tolist()):
        copies = _Copies(grown, rows[group == own], places, change, bool(own))
        below = copies.of(grown.children[edge][0]), copies.of(grown.children[edge][1])
        assert NONE not in below, "a level is split off that is impossible there"
        made.append((copies, grown.add_edge(node, below, grown.share(edge) * share)))
    for copies, new in made:  # only now, because the priors of all copies are the old probabilities
        copies.move_rows()
        grown.move(place, copies.rows, [(edge, new)])
    grown.drop(edge)
    grown.weigh([node])


def shares_of_groups(grown: Growing, rows: Ids, group: Ids) -> Floats:
    """Return the shares of two groups in the rows learnt from, none of them 0."""
    n = np.bincount(group, grown.weights[0, rows], 2)
    return np.asarray((n + 0.5) / (n.sum() + 1.0))


def clone(grown: Growing, change: Clone, places: Set[int]) -> None:
    """Give the rows of an edge separate nodes at some places."""
    copies = _Copies(grown, grown.rows(change.edge), places)
    new = copies.of(change.node)
    copies.move_rows()
    grown.lead(change.edge, change.node, new)


class _Copies:
    """The copies of nodes that one group of rows gets."""

    def __init__(
        self,
        grown: Growing,
        rows: Ids,
        places: Set[int],
        by: Split | None = None,
        has_level: bool = True,
    ) -> None:
        self.grown, self.rows, self.places = grown, rows, places
        self.by, self.has_level = by, has_level
        self.copies: dict[int, int] = {}
        self.moved: dict[int, list[tuple[int, int]]] = {}  # by place: old edges and new ones
        self.reached: dict[int, set[int]] = {}

    def of(self, node: int) -> int:
        """Return the copy of a node, the node itself, or NONE if no such row is possible."""
        if node in self.copies:
            return self.copies[node]
        place = self.grown.places[node]
        is_above = self._is_above(place)
        if not is_above and (place not in self.places or not self._is_reached(node, place)):
            return node
        kept = []
        for edge in self.grown.edges[node]:
            below = self._below(edge, is_above)
            if below is not None:
                kept.append((edge, below))
        self.copies[node] = self._add(node, kept) if kept else NONE
        return self.copies[node]

    def move_rows(self) -> None:
        """Move the rows to the new edges."""
        for place, moved in self.moved.items():
            self.grown.move(place, self.rows, moved)

    def _is_above(self, place: int) -> bool:
        """Return whether the column that rows are split by is at or below a place."""
        tree, by = self.grown.tree, self.by
        return by is not None and bool(tree.first[place] <= by.column < tree.end[place])

    def _is_reached(self, node: int, place: int) -> bool:
        if place not in self.reached:
            self.reached[place] = self.grown.nodes_passed(place, self.rows)
        return node in self.reached[place]

    def _below(self, edge: int, is_above: bool) -> tuple[int, int] | None:
        """Return where a copy of an edge leads, or None if these rows cannot take it."""
        prime, sub = self.grown.children[edge]
        if sub == NONE:
            is_own = self.by is None or (prime == self.by.level) == self.has_level
            return (prime, NONE) if is_own or not is_above else None
        below = self.of(prime), self.of(sub)
        return None if NONE in below else below

    def _add(self, node: int, kept: list[tuple[int, tuple[int, int]]]) -> int:
        grown, place = self.grown, self.grown.places[node]
        prior = np.array([grown.share(edge) for edge, _ in kept])
        if not prior.sum() > 0.0:
            prior[:] = 1.0
        new = grown.add_node(place, [below for _, below in kept], prior)
        grown.weigh([new])
        old = [edge for edge, _ in kept]
        self.moved.setdefault(place, []).extend(zip(old, grown.edges[new], strict=True))
        return new
