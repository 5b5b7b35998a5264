"""The training table: different rows with their weights, ready to be cut into slices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets
from softlearn.circuit import cells_of
from softlearn.errors import SoftlearnError
from softlearn.leaf import Cells
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
        (columns, rows) codes of levels or cells, or plain numbers; NaN where missing. No two rows
        are alike.
    weights
        (rows,) the weight of all rows of the table that are like it.
    features
        (columns + 1,) where each column's indicators begin. A column with a scale has one for each
        atom and one for all other cells, if it has atoms; plain numbers have none.
    single
        (columns,) columns with one indicator: two levels, no missing cell.
    indicators
        uint8 matrix (features, rows), or a listing of its ones.
    number_of
        (columns,) position among the columns that have numbers, -1 for the others.
    numbers
        (columns with numbers, rows), standardised; for a column with a scale the normal scores of
        cells that are no atoms. NaN where there is none.
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
        discrete = columns[np.diff(self.features)[columns] > 0]
        width = np.diff(self.features)[discrete]
        groups = np.concatenate([[0], np.cumsum(width)])
        offset = np.repeat(self.features[discrete] - groups[:-1], width)
        indicators = self._indicators_of(rows, offset + np.arange(groups[-1]))
        numeric = self.number_of[columns[self.number_of[columns] >= 0]]
        numbers = self.numbers[numeric[:, None], rows]
        return WeightedRows(weights, indicators, groups, self.single[discrete], numbers)

    def _indicators_of(self, rows: Ids, features: AnyArray) -> AnyArray | Listing:
        from softlearn.kernels.grow.slices import gather, select  # noqa: PLC0415 - loads Numba

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
    values, weights = _merge_duplicates(_in_cells(values, schema), weights)
    plain = np.array([not column.is_discrete and column.scale is None for column in schema.columns])
    centre, spread = _moments(values, weights, plain)
    numbers, levels, n_levels = [], [], np.empty(len(schema), np.int64)
    for i, column in enumerate(schema.columns):
        cells = cells_of(column)
        level, number = values[i], None
        n_levels[i] = column.n_levels
        if cells is not None:
            level, number, n_levels[i] = _atoms_and_scores(cells, values[i])
        elif plain[i]:
            number = (values[i] - centre[i]) / spread[i]
        levels.append(level)
        numbers.append(number)
    single = (n_levels == 2) & ~np.isnan(values).any(axis=1)
    single &= np.array([column.is_discrete for column in schema.columns])
    features = np.concatenate([[0], np.cumsum(np.where(single, 1, n_levels))])
    has_number = np.array([number is not None for number in numbers])
    rows = [number for number in numbers if number is not None]
    return Training(
        schema,
        values,
        weights,
        features,
        single,
        _indicators(levels, features, single, weights.size),
        np.where(has_number, np.cumsum(has_number) - 1, -1),
        np.array(rows).reshape(len(rows), weights.size),
        centre,
        spread,
    )


def _in_cells(values: Floats, schema: Schema) -> Floats:
    """Return the values with those of columns with a scale replaced by their cells."""
    coded = values
    for i, column in enumerate(schema.columns):
        cells = cells_of(column)
        if cells is None:
            continue
        code = cells.code(values[i])
        known = ~np.isnan(values[i])
        if (known & (code < 0)).any():
            worst = float(values[i][known & (code < 0)][0])
            raise SoftlearnError(
                f"column {column.name!r} holds {worst:g}, outside the bounds of its scale"
            )
        coded = coded.copy() if coded is values else coded
        coded[i] = np.where(known, code, np.nan)
    return coded


def _atoms_and_scores(cells: Cells, codes: Floats) -> tuple[Floats, Floats | None, int]:
    """Return a column's levels (each atom, and the rest), its scores, and the number of levels."""
    n_atoms = int(cells.atom.sum())
    level_of = np.where(cells.atom, np.cumsum(cells.atom) - 1, n_atoms).astype(np.float64)
    score_of = np.where(cells.atom, np.nan, cells.score)
    known = ~np.isnan(codes)
    position = np.where(known, codes, 0.0).astype(np.intp)
    score = np.where(known, score_of[position], np.nan)
    level = np.where(known, level_of[position], np.nan)
    has_scores = not np.isnan(score).all() or n_atoms == 0
    return level, score if has_scores else None, n_atoms + 1 if n_atoms else 0


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
    levels: list[Floats], features: Offsets, single: Bools, n_rows: int
) -> AnyArray | Listing:
    """Return the indicators of all levels, dense or listed, whichever is faster to walk."""
    n_features = int(features[-1])
    ones = []
    for column in np.flatnonzero(np.diff(features) > 0):
        cells = levels[column]
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
    from softlearn.kernels.grow.duplicates import are_like, row_hashes  # noqa: PLC0415 - loads Numba

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
