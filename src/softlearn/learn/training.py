"""The training table: different rows with their weights, ready to be cut into slices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets
from softlearn.numeric_policy import ROUNDING
from softlearn.stats.rows import Listing, WeightedRows
from softlearn.table.schema import Schema

# With fewer ones than this share the indicators are listed; benchmarks/learning: the dense pass
# costs about as much as a listed one at this density.
_LISTED_BELOW = 0.12


@dataclass(frozen=True, eq=False)
class Training:
    """What learners read.

    Attributes
    ----------
    values
        (columns, rows) codes of levels or numbers, NaN where missing; no two rows are alike.
    weights
        (rows,) the weight of all rows of the table that are like it.
    features
        (columns + 1,) where each column's indicators begin; numeric columns have none.
    single
        (columns,) columns with one indicator: two levels, no missing cell.
    indicators
        uint8 matrix (features, rows), or a listing of its ones.
    number_of
        (columns,) position among the numeric columns, -1 for discrete ones.
    numbers
        (numeric columns, rows), standardised.
    centre, spread
        (columns,) mean and standard deviation of the numeric columns.
    """

    schema: Schema
    values: Floats
    weights: Floats
    features: Offsets
    single: Bools
    indicators: AnyArray | Listing
    number_of: Offsets
    numbers: Floats
    centre: Floats
    spread: Floats

    @property
    def n_rows(self) -> int:
        """Number of different rows."""
        return self.weights.size

    @cached_property
    def is_binary(self) -> bool:
        """Whether all columns have two levels, and no cell is missing."""
        return bool(self.single.all())

    def take(self, rows: Ids, weights: Floats, columns: Ids) -> WeightedRows:
        """Return some rows, with their weights in a node, over some columns."""
        discrete = columns[self.number_of[columns] < 0]
        width = np.diff(self.features)[discrete]
        groups = np.concatenate([[0], np.cumsum(width)])
        offset = np.repeat(self.features[discrete] - groups[:-1], width)
        indicators = self._indicators_of(rows, offset + np.arange(groups[-1]))
        numeric = self.number_of[columns[self.number_of[columns] >= 0]]
        numbers = self.numbers[numeric[:, None], rows]
        return WeightedRows(weights, indicators, groups, self.single[discrete], numbers)

    def _indicators_of(self, rows: Ids, features: AnyArray) -> AnyArray | Listing:
        from softlearn.kernels.slices import gather, select  # noqa: PLC0415 - loads Numba

        if isinstance(self.indicators, Listing):
            new = np.full(int(self.features[-1]), -1, np.int32)
            new[features] = np.arange(features.size)
            return Listing(*select(self.indicators.start, self.indicators.feature, rows, new))
        indicators = np.empty((features.size, rows.size), np.float32)
        gather(self.indicators, features.astype(np.int32), rows, indicators)
        return indicators


def training_table(values: Floats, weights: Floats, schema: Schema) -> Training:
    """Merge rows that are alike and lay out the rest for learning.

    Rows of weight zero are absent; the order of the rows makes no difference.
    """
    if not (weights > 0.0).all():
        values, weights = values[:, weights > 0.0], weights[weights > 0.0]
    values, weights = _merge_duplicates(values, weights)
    discrete = np.array([column.is_discrete for column in schema.columns])
    n_levels = np.array([column.n_levels for column in schema.columns])
    single = discrete & (n_levels == 2) & ~np.isnan(values).any(axis=1)
    width = np.where(single, 1, n_levels)
    features = np.concatenate([[0], np.cumsum(width)])
    number_of = np.where(discrete, -1, np.cumsum(~discrete) - 1)
    centre, spread = _moments(values, weights, ~discrete)
    numbers = (values[~discrete] - centre[~discrete, None]) / spread[~discrete, None]
    return Training(
        schema,
        values,
        weights,
        features,
        single,
        _indicators(values, features, single, discrete),
        number_of,
        np.ascontiguousarray(numbers),
        centre,
        spread,
    )


def _moments(values: Floats, weights: Floats, numeric: Bools) -> tuple[Floats, Floats]:
    """Return the weighted mean and deviation of numeric columns; 0 and 1 for the others."""
    centre, spread = np.zeros(values.shape[0]), np.ones(values.shape[0])
    for column in np.flatnonzero(numeric):
        seen = ~np.isnan(values[column])
        x, w = values[column, seen], weights[seen]
        if x.size:
            centre[column] = np.average(x, weights=w)
            deviation = np.sqrt(np.average((x - centre[column]) ** 2, weights=w))
            spread[column] = deviation if is_spread(deviation, abs(centre[column])) else 1.0
    return centre, spread


def is_spread(width: float, size: float) -> bool:
    """Return whether numbers of this size differ by more than rounding."""
    return width > ROUNDING * size


def _indicators(
    values: Floats, features: Offsets, single: Bools, discrete: Bools
) -> AnyArray | Listing:
    """Return the indicators of all levels, dense or listed, whichever is faster to walk."""
    n_rows, n_features = values.shape[1], int(features[-1])
    ones = []
    for column in np.flatnonzero(discrete):
        cells = values[column]
        # A single indicator is set by level 1; otherwise level k sets indicator k.
        rows = np.flatnonzero(cells == 1.0 if single[column] else ~np.isnan(cells))
        level = 0 if single[column] else cells[rows].astype(np.int32)
        ones.append((rows, np.broadcast_to(features[column] + level, rows.shape)))
    row = np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in ones)])
    feature = np.concatenate([np.empty(0, np.int32), *(found for _, found in ones)])
    if row.size >= _LISTED_BELOW * n_rows * n_features:
        dense = np.zeros((n_features, n_rows), np.uint8)
        dense[feature, row] = 1
        return dense
    row_start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))])
    by_row = np.argsort(row, kind="stable")
    return Listing(row_start.astype(np.int64), feature[by_row].astype(np.int32))


def _merge_duplicates(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the different rows, ordered by their contents alone, and their weights."""
    from softlearn.kernels.duplicates import are_like, row_hashes  # noqa: PLC0415 - loads Numba

    values = np.ascontiguousarray(values)
    bits = values.view(np.uint64)
    _, first, group = np.unique(row_hashes(values, bits), return_index=True, return_inverse=True)
    if not are_like(values, bits, first[group]):  # two contents, one hash
        numbers = np.where(np.isnan(values), np.inf, values + 0.0)  # −0.0 is 0.0
        contents = np.ascontiguousarray(numbers.T).view(np.dtype((np.void, 8 * len(numbers))))
        _, first, group = np.unique(contents.ravel(), return_index=True, return_inverse=True)
    merged = np.take(values, first, axis=1)
    order = np.lexsort((weights, group))  # so that the sums do not depend on the rows' order
    total = np.bincount(group[order], weights=weights[order])
    return merged, total.astype(np.float64)
