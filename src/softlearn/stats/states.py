"""A few states per column, for trees of columns: levels, or bins of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Kinds, Offsets
from softlearn.stats.bins import FINE_BINS, KEPT_LEVELS, MISSING, most_frequent, quantile_bins
from softlearn.stats.table import TrainingTable

MOST_BINS: Final = 8  # of a number
_ROWS_PER_CELL = 10.0  # a pair of numbers has this much weight in each cell of its table


class SomeRows(NamedTuple):
    """Some rows of a table with their weights, over some columns."""

    rows: Ids
    weights: Floats
    columns: Ids


def all_rows(table: TrainingTable, weights: Floats | None = None) -> SomeRows:
    """Return all rows over all columns, optionally with other weights; 0 leaves a row out."""
    weights = table.weights if weights is None else weights
    rows = np.flatnonzero(weights > 0.0).astype(np.int32)
    return SomeRows(rows, weights[rows], np.arange(len(table.schema), dtype=np.int32))


@dataclass(frozen=True, eq=False)
class States:
    """The states of some rows over some columns.

    Attributes
    ----------
    codes
        (columns, rows) the state of each cell, 255 where missing.
    n_states
        (columns,) one for each level of a discrete column, even if no row has it; if there are very
        many levels, the rare ones share a state.
    weights
        (rows,).
    """

    codes: Kinds
    n_states: Offsets
    weights: Floats

    @property
    def start(self) -> Offsets:
        """Where the states of each column begin if all are concatenated, (columns + 1,)."""
        return np.concatenate([[0], np.cumsum(self.n_states)])

    @property
    def varies(self) -> Bools:
        """Which columns are in more than one state, (columns,)."""
        highest = np.where(self.codes == MISSING, 0, self.codes).max(axis=1, initial=0)
        return np.asarray(highest > self.codes.min(axis=1, initial=MISSING))

    def take(self, some: SomeRows) -> States:
        """Return the states of some of the rows and columns, with other weights."""
        codes = self.codes[some.columns]
        if some.rows.size < self.weights.size:
            codes = codes[:, some.rows]
        return States(codes, self.n_states[some.columns], some.weights)


def state_of_level(table: TrainingTable, column: int) -> AnyArray:
    """Return the state of each level of a discrete column."""
    mass = table.level_weights(column)
    n_seen = int(table.codes.n_codes[column])
    if mass.size <= KEPT_LEVELS:
        return np.arange(mass.size)
    seen = np.flatnonzero(mass)
    if not seen.size or seen[-1] < KEPT_LEVELS:
        return np.minimum(np.arange(mass.size), KEPT_LEVELS - 1)
    states = np.full(mass.size, n_seen - 1)
    states[: seen[-1] + 1] = most_frequent(mass[: seen[-1] + 1], KEPT_LEVELS)
    return states


def states_of(table: TrainingTable, some: SomeRows) -> States:
    """Return the states of some rows.

    Numbers are cut at quantiles of these rows, into fewer bins if there are few rows.
    """
    rows, weights, columns = some
    codes = table.codes.codes[columns]
    if rows.size < table.n_rows:
        codes = codes[:, rows]
    n_levels = np.array([column.n_levels for column in table.schema.columns])[columns]
    n_states = np.minimum(n_levels, KEPT_LEVELS).astype(np.int64)
    n_bins = int(np.clip(np.sqrt(weights.sum() / _ROWS_PER_CELL), 2, MOST_BINS))
    for j in np.flatnonzero(table.codes.numeric[columns]):
        codes[j], n_states[j] = _bins(codes[j], weights, n_bins)
    return States(codes, n_states, weights)


def _bins(codes: Kinds, weights: Floats, n_bins: int) -> tuple[AnyArray, int]:
    """Join the fine bins of a number to a few of about equal weight."""
    seen = codes != MISSING
    mass = np.bincount(codes[seen], weights[seen], FINE_BINS).astype(np.float64)
    present = np.flatnonzero(mass)
    coarse = np.full(MISSING + 1, MISSING, np.uint8)
    if not present.size:
        return coarse[codes], 1
    coarse[present] = quantile_bins(mass[present], n_bins)
    return coarse[codes], int(coarse[present[-1]]) + 1
