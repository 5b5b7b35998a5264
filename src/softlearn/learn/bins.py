"""Cut every column into a few levels for the independence tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids
from softlearn.learn.training import Training
from softlearn.stats.independence import PairTables

FINE_BINS = 64  # made once for the whole table, at quantiles of each number
# What a node makes of the codes: numbers are cut at quantiles of its own rows and rare levels taken
# together, so that a pair's table has this much weight a cell and can be tested at all. With six
# bins throughout, the circuits of vowel and segment stop at a third of their size.
MOST_NODE_BINS = 4  # of a number
WEIGHT_PER_CELL = 2.5
_KEPT_LEVELS = 32  # the most frequent levels of a column; the others are tested as one
MISSING = 255
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
    weights
        (rows,) the rows' own weights, of which a node has a share.
    """

    codes: AnyArray
    n_levels: AnyArray
    numeric: Bools
    weights: Floats

    def tables(self, rows: Ids, weights: Floats, columns: Ids, *, coarse: bool) -> PairTables:
        """Return what the tests of all pairs of columns need to know of a node.

        Unless ``coarse``, discrete columns keep all their levels.
        """
        from softlearn.kernels.grow.bins import join_codes, write_features  # noqa: PLC0415 - loads Numba

        numeric, n_codes = self.numeric[columns], self.n_levels[columns]
        limits = (WEIGHT_PER_CELL, MOST_NODE_BINS, coarse)
        level, mid_rank, levels = join_codes(
            self.codes, rows, columns, weights, n_codes, numeric, *limits
        )
        groups = np.concatenate([[0], np.cumsum(levels)])
        n_features = int(groups[-1]) + 2 * np.count_nonzero(numeric)
        sums = np.zeros((n_features, n_features))
        for first in range(0, rows.size, _ROWS_TOGETHER):
            some = rows[first : first + _ROWS_TOGETHER]
            features = np.zeros((some.size, n_features), np.float32)
            write_features(self.codes, some, columns, level, mid_rank, groups, numeric, features)
            weight = weights[first : first + _ROWS_TOGETHER, None].astype(np.float32)
            sums += (features * weight).T @ features
        return PairTables(sums, groups, numeric, _rows_a_weight(weights, self.weights[rows]))

    def ranks(self, rows: Ids, columns: Ids) -> tuple[AnyArray, Bools]:
        """Return the codes of cells, (columns, rows), -1 where missing, and which are ranks."""
        codes = np.ascontiguousarray(self.codes[rows][:, columns].T).astype(np.int64)
        codes[codes == MISSING] = -1
        return codes, self.numeric[columns]


def _rows_a_weight(weights: Floats, own: Floats) -> float:
    """Return how many rows as good as whole ones a unit of the node's weight comes from.

    Means over rows of weights w vary as those over (Σ w)² / Σ w² whole rows. A row that weighs
    ``own`` in the table is so many equal rows, each of which has an equal part in the node.
    """
    return float(weights.sum() / (weights**2 / own).sum())


def bin_table(training: Training) -> TableBins:
    """Return the codes of all cells, made once."""
    schema, weights = training.schema, training.weights
    codes = np.full((training.n_rows, len(schema)), MISSING, np.uint8)
    n_levels = np.ones(len(schema), np.int64)
    for i, column in enumerate(schema.columns):
        cells = training.values[i]
        seen = ~np.isnan(cells)
        if not seen.any():
            continue
        make = _level_codes if column.is_discrete else _fine_codes
        codes[seen, i] = make(cells[seen], weights[seen])
        n_levels[i] = int(codes[seen, i].max()) + 1
    numeric = ~np.array([column.is_discrete for column in schema.columns])
    return TableBins(codes, n_levels, numeric, weights)


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


def _middles(mass: Floats) -> Floats:
    """Return for each of the ordered cells the share of the weight up to its middle."""
    middles: Floats = (np.cumsum(mass) - mass / 2.0) / mass.sum()
    return middles


def _most_frequent(mass: Floats, n_kept: int) -> AnyArray:
    """Return codes of levels of which all but the heaviest share one."""
    if mass.size <= n_kept:
        return np.arange(mass.size, dtype=np.uint8)
    small = np.full(mass.size, n_kept - 1)
    small[np.argsort(-mass, kind="stable")[: n_kept - 1]] = np.arange(n_kept - 1)
    return small.astype(np.uint8)


def _quantile_bins(mass: Floats, n_bins: int) -> AnyArray:
    """Return the bin of each of the ordered cells, about equally much weight in each bin."""
    if mass.sum() <= 0.0:
        return np.zeros(mass.size, np.uint8)
    bins = np.minimum((_middles(mass) * n_bins).astype(np.int64), n_bins - 1)
    # Bins that no cell falls into are closed up.
    return (np.cumsum(np.concatenate([[0], np.diff(bins) > 0]))).astype(np.uint8)
