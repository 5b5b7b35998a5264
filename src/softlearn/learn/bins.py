"""Cut every column into a few levels for the independence tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets
from softlearn.learn.training import Training

FINE_BINS = 64  # made once for the whole table, at quantiles of each number
# What a node makes of the codes: numbers are cut at quantiles of its own rows and rare levels taken
# together, so that a pair's table has this much weight a cell and can be tested at all. With six
# bins throughout, the circuits of vowel and segment stop at a third of their size.
MOST_NODE_BINS = 4  # of a number
_WEIGHT_PER_CELL = 2.5
_KEPT_LEVELS = 32  # the most frequent levels of a column; the others are tested as one
_MISSING = 255
_ROWS_TOGETHER = 8192  # whose indicators are multiplied at a time: sums stay exact, memory small


@dataclass(frozen=True, eq=False)
class TableBins:
    """Small codes for all cells, from which a node's tests are made.

    Attributes
    ----------
    codes
        (rows, columns) uint8; 255 is missing.
    n_levels
        (columns,) number of codes in use.
    numeric
        (columns,) columns whose codes are fine bins that a node joins to quantiles.
    """

    codes: AnyArray
    n_levels: AnyArray
    numeric: Bools

    def tables(
        self, rows: Ids, weights: Floats, columns: Ids, *, coarse: bool
    ) -> tuple[AnyArray, Offsets]:
        """Return the weight of all pairs of the node's levels, (levels, levels).

        The second tells where each column's levels begin. Unless ``coarse``, discrete columns keep
        all their levels.
        """
        codes = self.codes[rows][:, columns]
        levels = self.n_levels[columns].copy()
        for i in np.flatnonzero(self.numeric[columns] | (coarse & (levels > 2))):
            is_number = bool(self.numeric[columns[i]])
            joined = _joined(codes[:, i], weights, int(levels[i]), is_number=is_number)
            codes[:, i] = joined[codes[:, i]]
            levels[i] = int(joined[: levels[i]].max(initial=0)) + 1
        groups = np.concatenate([[0], np.cumsum(levels)])
        tables = np.zeros((int(groups[-1]), int(groups[-1])))
        for first in range(0, rows.size, _ROWS_TOGETHER):
            some = slice(first, first + _ROWS_TOGETHER)
            dense = _one_hot(codes[some], groups)
            tables += (dense * weights[some, None].astype(np.float32)).T @ dense
        return tables, groups

    def ranks(self, rows: Ids, columns: Ids) -> tuple[AnyArray, Bools]:
        """Return the codes of cells, (columns, rows), -1 where missing, and which are ranks."""
        codes = np.ascontiguousarray(self.codes[rows][:, columns].T).astype(np.int64)
        codes[codes == _MISSING] = -1
        return codes, self.numeric[columns]


def _one_hot(codes: AnyArray, groups: Offsets) -> AnyArray:
    """Return indicators of levels, (rows, levels), without any where a cell is missing."""
    dense = np.zeros((codes.shape[0], int(groups[-1])), np.float32)
    row, column = np.nonzero(codes != _MISSING)
    dense[row, groups[column] + codes[row, column]] = 1.0
    return dense


def bin_table(training: Training) -> TableBins:
    """Return the codes of all cells, made once."""
    schema, weights = training.schema, training.weights
    codes = np.full((training.n_rows, len(schema)), _MISSING, np.uint8)
    n_levels = np.ones(len(schema), np.int64)
    for i, column in enumerate(schema.columns):
        cells = training.values[i]
        seen = ~np.isnan(cells)
        if not seen.any():
            continue
        make = _level_codes if column.is_discrete else _fine_codes
        codes[seen, i] = make(cells[seen], weights[seen])
        n_levels[i] = int(codes[seen, i].max()) + 1
    return TableBins(codes, n_levels, ~np.array([column.is_discrete for column in schema.columns]))


def _level_codes(cells: Floats, weights: Floats) -> AnyArray:
    """Return the codes of levels; rare levels of a column with very many share one."""
    code = cells.astype(np.int64)
    if code.max() < _KEPT_LEVELS:
        return code.astype(np.uint8)
    mass = np.bincount(code, weights=weights).astype(np.float64)
    return _most_frequent(mass, _KEPT_LEVELS)[code]


def _fine_codes(cells: Floats, weights: Floats) -> AnyArray:
    """Return the bin of each number; equal numbers share a bin."""
    distinct, position = np.unique(cells, return_inverse=True)
    if distinct.size <= FINE_BINS:
        return position.astype(np.uint8)
    return _quantile_bins(np.bincount(position, weights=weights).astype(np.float64), FINE_BINS)[
        position
    ]


def _joined(codes: AnyArray, weights: Floats, n_codes: int, *, is_number: bool) -> AnyArray:
    """Return for each code its bin among the node's rows; missing stays missing."""
    mass = np.bincount(codes, weights=weights, minlength=_MISSING + 1)[:n_codes].astype(np.float64)
    n_bins = max(2, int(np.sqrt(mass.sum() / _WEIGHT_PER_CELL)))
    joined = np.full(_MISSING + 1, _MISSING, np.uint8)
    if is_number:
        joined[:n_codes] = _quantile_bins(mass, min(n_bins, MOST_NODE_BINS))
    else:
        joined[:n_codes] = _most_frequent(mass, n_bins)
    return joined


def _most_frequent(mass: Floats, n_kept: int) -> AnyArray:
    """Return codes of levels of which all but the heaviest share one."""
    if mass.size <= n_kept:
        return np.arange(mass.size, dtype=np.uint8)
    small = np.full(mass.size, n_kept - 1)
    small[np.argsort(-mass, kind="stable")[: n_kept - 1]] = np.arange(n_kept - 1)
    return small.astype(np.uint8)


def _quantile_bins(mass: Floats, n_bins: int) -> AnyArray:
    """Return the bin of each of the ordered cells, about equally much weight in each bin."""
    total = mass.sum()
    if total <= 0.0:
        return np.zeros(mass.size, np.uint8)
    middle = (np.cumsum(mass) - mass / 2.0) / total
    bins = np.minimum((middle * n_bins).astype(np.int64), n_bins - 1)
    # Bins that no cell falls into are closed up.
    return (np.cumsum(np.concatenate([[0], np.diff(bins) > 0]))).astype(np.uint8)
