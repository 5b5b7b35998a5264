"""Choose the next change: the largest gain per edge that does not harm held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush
from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.learn.psdd.changes import Clone, Split, clone, shares_of_groups, split
from softlearn.learn.psdd.growing import NONE, Growing

_MOST_REFUSED: Final = 3  # how many splits of the rows of an edge are tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of the search.

    Attributes
    ----------
    price
        The gain that each additional edge must have, in nats.
    min_rows
        The smallest weight of rows of an edge that is split or cloned for.
    max_edges
        The approximate maximum number of edges.
    """

    price: float
    min_rows: float
    max_edges: float


@dataclass(order=True)
class _Candidate:
    """A clone for the rows of an edge, or the best split of these rows."""

    order: float  # minus the gain per edge
    number: int
    edge: int = field(compare=False)
    node: int = field(compare=False)  # to be cloned; NONE for splits
    state: int = field(compare=False, default=NONE)  # to be split by: a level of a column
    refused: list[int] = field(compare=False, default_factory=list)  # such states
    measured: int = field(compare=False, default=NONE)  # after how many changes


class _Worth(NamedTuple):
    """The gain of copies, in nats, for training and held-out rows; how many, and where."""

    train: float
    held: float
    n_more: float  # edges
    copied: Set[int]  # places


class Search:
    """Changes a circuit until no change has enough gain."""

    def __init__(self, grown: Growing, limits: Limits) -> None:
        self.grown, self.limits = grown, limits
        self.n_edges = grown.n_edges
        self.has_held_out = bool(grown.weights[1].any())
        self._n_changes = 0
        self._n_candidates = 0
        self._changed = np.zeros(grown.tree.left.size, np.int64)  # when each place was
        self._heap: list[_Candidate] = []
        self._below = cache(grown.tree.all_below)
        self._consider(range(grown.n_edges))

    def run(self, watch: Callable[[float], None]) -> None:
        """Change the circuit until no change pays; report the gain of each change."""
        while self._heap and self.n_edges < self.limits.max_edges:
            best = heappop(self._heap)
            if not self._is_there(best):
                continue
            changed = self._changed[self._below(self.grown.place_of(best.edge))]
            if best.measured < changed.max():
                self._measure(best)
                continue
            worth = self._worth(best)
            if self.has_held_out and worth.held <= 0.0:
                best.refused.append(best.state)
                if best.node == NONE and len(best.refused) < _MOST_REFUSED:
                    self._measure(best)
                continue
            watch(-best.order)
            self._change(best, worth.copied)

    def _consider(self, edges: Iterable[int]) -> None:
        """Queue splits of edges, and clones of the nodes that they lead to."""
        grown = self.grown
        for edge in edges:
            if grown.children[edge][1] == NONE or grown.train(edge) < self.limits.min_rows:
                continue
            for node in (NONE, *grown.children[edge]):
                if node == NONE or len(grown.parents[node]) > 1:
                    self._n_candidates += 1
                    self._measure(_Candidate(0.0, self._n_candidates, edge, node))

    def _is_there(self, one: _Candidate) -> bool:
        """Return whether a queued candidate is still possible."""
        grown = self.grown
        if grown.owner(one.edge) == NONE or grown.train(one.edge) < self.limits.min_rows:
            return False
        is_shared = one.node != NONE and len(grown.parents[one.node]) > 1
        return one.node == NONE or (is_shared and one.node in grown.children[one.edge])

    def _measure(self, one: _Candidate) -> None:
        """Measure the gain of a candidate, and queue it if that is enough."""
        one.measured = self._n_changes
        if one.node == NONE:
            one.state, gain = self._best_split(one)
        else:
            worth = self._worth(one)
            gain = worth.train / max(worth.n_more, 1.0)
        if gain >= self.limits.price:
            one.order = -gain
            heappush(self._heap, one)

    def _best_split(self, one: _Candidate) -> tuple[int, float]:
        """Return the level of a column that gains most per edge."""
        from softlearn.kernels.psdd.gains import split_gains  # noqa: PLC0415 - loads Numba

        grown, cells, price = self.grown, self.grown.cells, self.limits.price
        rows, place = grown.rows(one.edge), grown.place_of(one.edge)
        tree = grown.tree
        low = int(cells.start[tree.first[place]])
        gain, n_more, own = split_gains(
            rows, grown.weights[0], grown.passed, cells, tree.places, place, price
        )
        per_edge = gain / np.maximum(n_more, 1.0)
        least = self.limits.min_rows / 2.0
        is_tried = cells.is_tried[low : low + own.size]
        per_edge[~is_tried | (own < least) | (grown.train(one.edge) - own < least)] = 0.0
        per_edge[[state - low for state in one.refused]] = 0.0
        best = int(np.argmax(per_edge))
        return low + best, float(per_edge[best])

    def _worth(self, one: _Candidate) -> _Worth:
        """Return the gain of a candidate for training and for held-out rows."""
        from softlearn.kernels.psdd.gains import copy_gains  # noqa: PLC0415 - loads Numba

        grown, tree, rows = self.grown, self.grown.tree, self.grown.rows(one.edge)
        if one.node == NONE:
            column, level = self._column_and_level(one.state)
            group = (grown.cells.code[rows, column] == level).astype(np.int32)
            places = self._below(grown.place_of(one.edge))[:-1]
            must = (tree.first <= column) & (column < tree.end)
        else:
            group = np.zeros(rows.size, np.int32)
            places = self._below(grown.places[one.node])
            must = np.arange(tree.left.size) == places[-1]
        gains = copy_gains(rows, group, grown.weights, grown.passed, places, grown.smoothing)
        chosen = self._chosen(places, gains, must)
        train, held, n_more = gains[:, np.isin(places, list(chosen))].sum(axis=1).tolist()
        if one.node == NONE:
            n_held = np.bincount(group, grown.weights[1, rows], 2)
            held += float((n_held * np.log(shares_of_groups(grown, rows, group))).sum())
        return _Worth(train, held, n_more, chosen)

    def _chosen(self, places: Offsets, gains: Floats, must: Bools) -> set[int]:
        """Return the places where copies pay, or are required."""
        tree, net = self.grown.tree, dict[int, float]()
        own = (gains[0] - self.limits.price * gains[2]).tolist()
        for place, value in zip(places.tolist(), own, strict=True):  # children first
            below = net.get(int(tree.left[place]), 0.0) + net.get(int(tree.right[place]), 0.0)
            net[place] = value + below if must[place] or value + below > 0.0 else 0.0
        chosen = set[int]()
        for place in reversed(places.tolist()):  # parents first
            above = int(tree.parent[place])
            is_wanted = must[place] or net[place] > 0.0
            if is_wanted and (above in chosen or above not in net):
                chosen.add(place)
        return chosen

    def _column_and_level(self, state: int) -> tuple[int, int]:
        start = self.grown.cells.start
        column = int(np.searchsorted(start, state, "right")) - 1
        return column, state - int(start[column])

    def _change(self, one: _Candidate, places: Set[int]) -> None:
        """Carry a change out, and consider the new edges."""
        grown, before = self.grown, self.grown.n_edges
        changed = [grown.place_of(one.edge), *places]
        if one.node == NONE:
            split(grown, Split(one.edge, *self._column_and_level(one.state)), places)
        else:
            clone(grown, Clone(one.edge, one.node), places)
        self._n_changes += 1
        self._changed[changed] = self._n_changes
        self.n_edges += grown.n_edges - before
        self._consider(range(before, grown.n_edges))
