"""Cutset networks: rows are split by the levels of one column after another, with trees below."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets
from softlearn.leaf import CATEGORICAL
from softlearn.learn.leaves import pseudo_counts
from softlearn.learn.trees import TreeBuilder, tree_score
from softlearn.stats.bins import MISSING
from softlearn.stats.mutual_information import mutual_information, pair_sums
from softlearn.stats.states import SomeRows, States, all_rows, states_of

_LEAST_WEIGHT = 1.0  # of a level with a branch of its own


class Branch(NamedTuple):
    """Some states of the column that a node is cut by."""

    states: Offsets
    child: int  # position among the nodes


@dataclass
class Node:
    """Rows that are modelled by a tree, or cut by a column.

    Attributes
    ----------
    some
        The rows, over the columns that no cut has used.
    depth
        Number of cuts above.
    score
        The log-likelihood of the rows, minus the penalty of the parameters.
    column
        The column that they are cut by, -1 for none.
    margin
        The weight of each state of that column.
    branches
        The branches of that column's states.
    """

    some: SomeRows
    depth: int
    score: float = 0.0
    column: int = -1
    margin: Floats = field(default_factory=lambda: np.zeros(0))
    branches: list[Branch] = field(default_factory=list)


# From the states of rows, which columns may be cut, and what gives the information of all pairs,
# to one of the columns, or -1.
Choose: TypeAlias = Callable[[States, Bools, Callable[[], Floats]], int]


class CutsetBuilder:
    """Grows cutset networks and adds them to a draft."""

    def __init__(self, trees: TreeBuilder, min_rows: float, price: float) -> None:
        """Fix the table and the choices.

        ``min_rows`` is the least weight that is cut; ``price`` is what a parameter costs in nats.
        """
        self.trees = trees
        self.min_rows = min_rows
        self.price = price
        # Numbers are binned once, so that likelihoods of different slices can be compared.
        self.states = states_of(trees.table, all_rows(trees.table))

    def add(self, weights: Floats, choose: Choose, max_depth: float) -> int:
        """Grow a network from the table's rows with these weights; return the id of its root."""
        nodes = [Node(all_rows(self.trees.table, weights), 0)]
        for node in nodes:  # which grows while it is walked
            self._cut(node, nodes, choose, max_depth)
        self._prune(nodes)
        return self._write(nodes)

    def _cut(self, node: Node, nodes: list[Node], choose: Choose, max_depth: float) -> None:
        """Score the tree of a node; cut its rows if there are enough of them."""
        some, states = node.some, self.states.take(node.some)
        is_last = some.columns.size < 2 or node.depth >= max_depth
        is_last = is_last or float(some.weights.sum()) < self.min_rows
        information = cache(lambda: mutual_information(pair_sums(states)))
        if self.price > 0.0:
            node.score = tree_score(states, information(), self.price)
        allowed = ~self.trees.table.codes.numeric[some.columns]
        place = -1 if is_last else choose(states, allowed, information)
        if place < 0:
            return
        code = states.codes[place]
        seen = code != MISSING
        margin = np.bincount(code[seen], some.weights[seen], states.n_states[place])
        node.column, node.margin = int(some.columns[place]), margin.astype(np.float64)
        others = np.delete(some.columns, place)
        for own in _branches(node.margin):
            below = self._rows_in(node, code, own, others)
            # Levels without a row are modelled like all rows, which are not cut once more for them.
            depth = node.depth + 1 if node.margin[own].any() else sys.maxsize
            node.branches.append(Branch(own, len(nodes)))
            nodes.append(Node(below, depth))

    def _rows_in(self, node: Node, code: Kinds, states: Offsets, columns: Ids) -> SomeRows:
        """Return the rows in some states; a missing cell is in all of them, by their shares."""
        if not node.margin[states].any():
            return SomeRows(node.some.rows, node.some.weights, columns)
        share = np.zeros(MISSING + 1)
        share[states] = 1.0
        share[MISSING] = node.margin[states].sum() / node.margin.sum()
        weights = node.some.weights * share[code]
        kept = weights > 0.0
        return SomeRows(node.some.rows[kept], weights[kept], columns)

    def _prune(self, nodes: list[Node]) -> None:
        """Undo cuts that do not pay for their parameters; children come after parents."""
        if self.price <= 0.0:
            return
        for node in reversed(nodes):
            if node.column < 0:
                continue
            n = node.margin
            some = n[n > 0.0]
            cut = float((some * np.log(some / n.sum())).sum()) - self.price * (n.size - 1)
            cut += sum(nodes[one.child].score for one in node.branches if n[one.states].sum() > 0.0)
            if cut > node.score:
                node.score = cut
            else:
                node.column = -1

    def _write(self, nodes: list[Node]) -> int:
        """Add all nodes that are left to the draft; return the id of the first."""
        kept = {0}
        for i, node in enumerate(nodes):
            if i in kept and node.column >= 0:
                kept.update(one.child for one in node.branches)
        ids: dict[int, int] = {}
        for i in sorted(kept, reverse=True):
            node = nodes[i]
            ids[i] = self._write_cut(node, ids) if node.column >= 0 else self.trees.add(node.some)
        return ids[0]

    def _write_cut(self, node: Node, ids: dict[int, int]) -> int:
        """Add the sum over the branches of a node."""
        draft, column = self.trees.draft, node.column
        share = node.margin + pseudo_counts(node.margin, self.trees.config)
        share /= share.sum()
        children, weights = [], []
        for states, child in node.branches:
            if states.size == 1:
                leaf = int(self.trees.of_levels(column)[states[0]])
            else:
                own = share[states] if share[states].sum() > 0.0 else np.ones(states.size)
                params = (own / own.sum()) @ self.trees.shares(column)[states]
                leaf = int(draft.add_leaves(column, CATEGORICAL, params[None])[0])
            children.append(draft.add_product([leaf, ids[child]]))
            weights.append(float(share[states].sum()))
        return draft.add_sum(children, weights)


def _branches(margin: Floats) -> list[Offsets]:
    """Return the states of each branch: one per state, but one for all rare states."""
    light = np.flatnonzero(margin < _LEAST_WEIGHT)
    found = [np.array([state]) for state in np.flatnonzero(margin >= _LEAST_WEIGHT)]
    return [*found, light] if light.size else found


def most_informative(_: States, allowed: Bools, information: Callable[[], Floats]) -> int:
    """Return the column that is most informative about all others, or -1."""
    pairs = information()
    total = np.where(allowed, pairs.sum(axis=1) - pairs.diagonal(), 0.0)
    return int(np.argmax(total)) if total.max(initial=0.0) > 0.0 else -1


def at_random(rng: np.random.Generator) -> Choose:
    """Return the choice of any column that varies."""

    def choose(states: States, allowed: Bools, _: Callable[[], Floats]) -> int:
        some = np.flatnonzero(allowed & states.varies)
        return int(rng.choice(some)) if some.size else -1

    return choose
