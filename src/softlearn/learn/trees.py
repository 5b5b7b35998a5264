"""Chow–Liu trees as parts of a circuit: a tree of the columns of some weighted rows.

For each state of its parent, a column with children is a sum over its own states, and a column
without children is a leaf. The states of a discrete column are its levels, so that at most one
child of a sum is possible for a row. Those of a number are bins. Its leaf in a bin is estimated
from the rows in the bin, but has probability outside it too, so the circuit is a mixture over bins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets
from softlearn.circuit.draft import Draft, add_trees
from softlearn.leaf import CATEGORICAL
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import family_of, finish_column, pseudo_counts
from softlearn.stats.bins import KEPT_LEVELS
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
    """A tree of some rows, and the statistics of its parameters."""

    states: States
    pairs: PairSums
    parent: Offsets  # (columns,) -1 for roots


class TreeBuilder:
    """Adds the trees of slices of a table to a draft; trees share the leaves of single levels."""

    def __init__(self, draft: Draft, table: TrainingTable, config: GrowConfig) -> None:
        self.draft = draft
        self.table = table
        self.config = config
        self._spread: dict[int, Floats] = {}
        self._of_states: dict[int, Offsets] = {}

    def add(self, data: SomeRows) -> int:
        """Add the tree of some rows; return the id of its first node."""
        states = states_of(self.table, data)
        pairs = pair_sums(states)
        information = mutual_information(pairs, self.config.smoothing)
        numeric = self.table.codes.numeric[data.columns]
        parent = spanning_tree(information, _fitness_as_root(information, numeric))
        return self.add_tree(data, Measured(states, pairs, parent))

    def add_tree(self, data: SomeRows, found: Measured) -> int:
        """Add a tree whose parameters are estimated from some rows; return its first node's id."""
        parent, columns = found.parent, data.columns
        numeric = self.table.codes.numeric[columns]
        has_children = np.zeros(parent.size, dtype=bool)
        has_children[parent[parent >= 0]] = True
        tables: list[Floats | None] = [None] * parent.size
        nodes: list[Offsets] = [np.zeros(0, np.int64)] * parent.size
        for places in _of_one_shape(found, has_children | ~numeric):
            some = self._tables(found, columns, places)
            for place, table in zip(places.tolist(), some, strict=True):
                tables[place] = table
            childless = ~has_children[places]
            ends = places[childless]
            if ends.size:
                ids = self._of_tables(columns[ends], some[childless])
                for place, own in zip(ends.tolist(), ids, strict=True):
                    nodes[place] = own
        for place in np.flatnonzero(has_children & ~numeric).tolist():
            nodes[place] = self.of_levels(int(columns[place]))
        for place in np.flatnonzero(numeric).tolist():
            of = place if has_children[place] else int(parent[place])
            nodes[place] = self._of_numbers(data, found.states, int(columns[place]), of)
        return add_trees(self.draft, parent.tolist(), tables, nodes)

    def of_levels(self, column: int) -> Offsets:
        """Return the ids of the leaves of a discrete column's states."""
        if column not in self._of_states:
            found = self.draft.add_leaves(column, CATEGORICAL, self.shares(column))
            self._of_states[column] = found
        return self._of_states[column]

    def shares(self, column: int) -> Floats:
        """Return P(level | state) of each level, (states, levels); 0 in all other states."""
        if column not in self._spread:
            state = state_of_level(self.table, column)
            weights = self.table.level_weights(column)
            belongs = (np.arange(state.max() + 1)[:, None] == state).astype(np.float64)
            mass = weights + pseudo_counts(weights, self.config)
            self._spread[column] = _normalised(belongs * mass, belongs)
        return self._spread[column]

    def tables_of(self, columns: Ids, found: Measured) -> list[Floats]:
        """Return the probabilities of each column's states given its parent's, smoothed."""
        tables = [np.zeros((0, 0))] * columns.size
        for places in _of_one_shape(found, np.ones(columns.size, dtype=bool)):
            some = self._tables(found, columns, places)
            for place, table in zip(places.tolist(), some, strict=True):
                tables[place] = table
        return tables

    def _tables(self, found: Measured, columns: Ids, places: Offsets) -> Floats:
        """Return the probabilities of columns' states given their parents', smoothed.

        The shape is (columns, states of the parent or 1, states); all have the same.
        """
        sums, start = found.pairs
        own = start[places][:, None] + np.arange(start[places[0] + 1] - start[places[0]])
        margin = sums[own, own]
        for k in np.flatnonzero(margin.sum(axis=1) <= 0.0):  # no row has a cell: as the column
            column = int(columns[places[k]])
            if not self.table.codes.numeric[column]:
                state = state_of_level(self.table, column)
                margin[k] = np.bincount(state, self.table.level_weights(column))
        above = found.parent[places]
        counts = margin[:, None]
        if above[0] >= 0:
            given = start[above][:, None] + np.arange(start[above[0] + 1] - start[above[0]])
            counts = sums[given[:, :, None], own[:, None, :]]
        raised = counts + pseudo_counts(margin, self.config)[:, None]
        otherwise = np.where(margin.sum(axis=1, keepdims=True) > 0.0, margin, 1.0)
        return _normalised(raised, otherwise[:, None])

    def _of_tables(self, columns: Ids, tables: Floats) -> Offsets:
        """Add leaves of discrete columns for each row of their tables; return ids, (n, rows)."""
        n, n_rows, n_states = tables.shape
        if n_states < KEPT_LEVELS:  # every level is a state
            params = tables.reshape(n * n_rows, n_states)
            ids = self.draft.add_leaves(np.repeat(columns, n_rows), CATEGORICAL, params)
            return ids.reshape(n, n_rows)
        return np.stack(
            [
                self.draft.add_leaves(column, CATEGORICAL, table @ self.shares(column))
                for column, table in zip(columns.tolist(), tables, strict=True)
            ]
        )

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


def tree_score(states: States, information: Floats, price: float) -> float:
    """Return the log-likelihood of the rows' tree, minus the penalty of its parameters."""
    parent = spanning_tree(information)
    linked = np.flatnonzero(parent >= 0)
    above = parent[linked]
    gain = information[linked, above].sum() - information.diagonal().sum()
    n_params = float((states.n_states - 1).sum())
    n_params += float(((states.n_states[above] - 1) * (states.n_states[linked] - 1)).sum())
    return float(states.weights.sum() * gain - price * n_params)


def _fitness_as_root(information: Floats, numeric: AnyArray) -> Floats:
    """Return the preference of each column as a root: discrete ones first, then by information."""
    total = information.sum(axis=1) - information.diagonal()
    return np.asarray(np.where(numeric, total, total + total.sum() + 1.0))


def _of_one_shape(found: Measured, which: Bools) -> Iterator[Offsets]:
    """Yield groups of columns with equal numbers of states, and of states of their parents."""
    n_states, parent = found.states.n_states, found.parent
    n_given = np.where(parent >= 0, n_states[parent], 0)
    shape = n_given * (n_states.max() + 1) + n_states
    for one in np.unique(shape[which]):
        yield np.flatnonzero(which & (shape == one))


def _normalised(rows: Floats, otherwise: Floats) -> Floats:
    """Return rows that add to 1 along the last axis; rows that are all 0 become ``otherwise``."""
    filled = np.where(rows.sum(axis=-1, keepdims=True) > 0.0, rows, otherwise)
    return np.asarray(filled / filled.sum(axis=-1, keepdims=True))
