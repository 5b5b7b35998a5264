"""Chow–Liu trees as parts of a circuit: a tree of the columns of some weighted rows.

A column with children is a sum over its states for each state of its parent; a column without is
a leaf for each state of its parent. The states of a discrete column are its levels, so that at most
one child of a sum is possible for a row. Those of a number are bins of its rows, and its leaf in a
bin is estimated from these, but reaches beyond: which bin a number is from stays hidden, and the
circuit is a mixture over it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.circuit.draft import Draft, add_trees
from softlearn.leaf import CATEGORICAL
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import family_of, finish_column, pseudo_counts
from softlearn.stats.groups import group_statistics, with_pseudo_rows
from softlearn.stats.mutual_information import (
    PairSums,
    mutual_information,
    pair_sums,
    spanning_tree,
)
from softlearn.stats.states import SomeRows, States, all_rows, state_of_level, states_of
from softlearn.stats.table import TrainingTable


class Measured(NamedTuple):
    """What a tree of some rows is chosen from."""

    states: States
    pairs: PairSums
    information: Floats  # (columns, columns)


def measure(table: TrainingTable, data: SomeRows, smoothing: float = 0.0) -> Measured:
    """Return the states of some rows, the tables of all pairs, and their information."""
    states = states_of(table, data)
    pairs = pair_sums(states)
    return Measured(states, pairs, mutual_information(pairs, smoothing))


class TreeBuilder:
    """Adds the trees of slices of a table to a draft; trees share the leaves of single levels."""

    def __init__(self, draft: Draft, table: TrainingTable, config: GrowConfig) -> None:
        self.draft = draft
        self.table = table
        self.config = config
        self._spread: dict[int, Floats] = {}
        self._of_states: dict[int, Offsets] = {}

    def add(self, data: SomeRows, measured: Measured | None = None) -> int:
        """Add the tree of some rows; return the id of its first node."""
        found = measure(self.table, data, self.config.smoothing) if measured is None else measured
        numeric = self.table.codes.numeric[data.columns]
        parent = spanning_tree(found.information, _fitness_as_root(found.information, numeric))
        has_children = np.zeros(parent.size, dtype=bool)
        has_children[parent[parent >= 0]] = True
        tables: list[Floats | None] = []
        nodes: list[Offsets] = []
        for j, above in enumerate(parent.tolist()):
            column = int(data.columns[j])
            table = None
            if has_children[j] or not numeric[j]:
                table = self._table(found.pairs, column, j, above)
            if not numeric[j]:
                nodes.append(self._of_levels(column, None if has_children[j] else table))
            else:
                of = j if has_children[j] else above
                nodes.append(self._of_numbers(data, found.states, column, of))
            tables.append(table)
        return add_trees(self.draft, parent.tolist(), tables, nodes)

    def add_level(self, column: int, state: int) -> int:
        """Return the id of the leaf of one state of a discrete column."""
        return int(self._of_levels(column, None)[state])

    def shares(self, column: int) -> Floats:
        """Return the part of each level in its state, (states, levels); 0 in all other states."""
        if column not in self._spread:
            state = state_of_level(self.table, column)
            weights = self.table.level_weights(column)
            belongs = (np.arange(state.max() + 1)[:, None] == state).astype(np.float64)
            mass = weights + pseudo_counts(weights, self.config)
            self._spread[column] = _normalised(belongs * mass, belongs)
        return self._spread[column]

    def _table(self, pairs: PairSums, column: int, j: int, above: int) -> Floats:
        """Return the probabilities of a column's states given each of its parent's, smoothed."""
        margin = pairs.weights[pairs.start[j] : pairs.start[j + 1]]
        if margin.sum() <= 0.0 and not self.table.codes.numeric[column]:
            state = state_of_level(self.table, column)
            margin = np.bincount(state, self.table.level_weights(column)).astype(np.float64)
        counts = pairs.table(above, j) if above >= 0 else margin[None]
        raised = counts + pseudo_counts(margin, self.config)
        return _normalised(raised, margin if margin.any() else 1.0)

    def _of_levels(self, column: int, table: Floats | None) -> Offsets:
        """Return leaves of a discrete column: of a table's rows, or of each state."""
        if table is not None:
            return self.draft.add_leaves(column, CATEGORICAL, table @ self.shares(column))
        if column not in self._of_states:
            found = self.draft.add_leaves(column, CATEGORICAL, self.shares(column))
            self._of_states[column] = found
        return self._of_states[column]

    def _of_numbers(self, data: SomeRows, states: States, column: int, of: int) -> Offsets:
        """Add leaves of a number, one for each state of one of the columns, or a single one."""
        whole = self._whole(column, data)
        if not whole.any():
            whole = self._whole(column, all_rows(self.table))
        found = whole
        if of >= 0:
            groups = states.codes[of], int(states.n_states[of])
            found = group_statistics(self.table, column, data, *groups)
        n_levels = int(self.table.n_levels[column])
        found = with_pseudo_rows(found, whole[0], self.config.smoothing, n_levels)
        params = finish_column(found, column, self.table, self.config)
        return self.draft.add_leaves(
            column, family_of(self.table.schema, self.config, column), params
        )

    def _whole(self, column: int, data: SomeRows) -> Floats:
        """Return the statistics of a number in some rows, (1, statistics)."""
        return group_statistics(self.table, column, data, np.zeros(data.rows.size, np.uint8), 1)


def _fitness_as_root(information: Floats, numeric: AnyArray) -> Floats:
    """Return how well each column suits as a root: levels first, and what tells most."""
    total = information.sum(axis=1) - information.diagonal()
    return np.asarray(np.where(numeric, total, total + total.sum() + 1.0))


def _normalised(rows: Floats, otherwise: Floats | float) -> Floats:
    """Return rows that add to 1; those that are all 0 are as ``otherwise``."""
    filled = np.where(rows.sum(axis=1, keepdims=True) > 0.0, rows, otherwise)
    return np.asarray(filled / filled.sum(axis=1, keepdims=True))
