"""The training table: different rows with their weights, laid out for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets, States
from softlearn.circuit import cells_of
from softlearn.errors import SoftlearnError
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.grow.work import N_MOMENTS, GrowTable
from softlearn.leaf import Cells
from softlearn.stats.bins import (
    MISSING,
    Codes,
    bin_codes,
    histogram_edges,
    is_spread,
    pair_codes,
)
from softlearn.stats.duplicates import merge_duplicates
from softlearn.stats.rows import Csr, indicator_matrix
from softlearn.table.schema import Schema


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """What learners read.

    Attributes
    ----------
    weights
        (rows,) no two rows are alike; each has the weight of all rows of the table that are like
        it.
    keys
        (rows,) hashes of the rows' cells.
    single_of
        (columns,) position among the columns of two levels without a missing cell, -1 for others.
    ones
        Which rows have the second level of those columns: uint8 (columns, rows), or compressed
        rows.
    n_levels
        (columns,) a column with a scale has one for each atom and one for all other cells, if it
        has atoms; plain numbers have none.
    levels_of
        (columns,) position among the other columns with levels, -1 for the rest.
    levels
        (those columns, rows) the level of each cell, -1 where missing.
    number_of
        (columns,) position among the columns that have numbers, -1 for the others.
    numbers
        (columns with numbers, rows), standardised; for a column with a scale the normal scores of
        cells that are no atoms. NaN where there is none.
    centre, spread
        (columns,) mean and standard deviation of plain numbers; 0 and 1 for other columns.
    has_gaps
        (columns,) whether cells are missing.
    codes_of_cells
        For the tests of independence; None if all columns are single, see ``codes``.
    edges
        Of the columns whose leaves are histograms.
    n_bins
        (columns,) of a histogram, or coarse bins of a scale's cells; 0 for other columns.
    bins
        (columns with bins, rows) the bin of each cell, 255 where missing and for atoms.
    """

    schema: Schema
    weights: Floats
    keys: States
    single_of: Offsets
    ones: Kinds | Csr
    n_levels: Offsets
    levels_of: Offsets
    levels: Ids
    number_of: Offsets
    numbers: Floats
    centre: Floats
    spread: Floats
    has_gaps: Bools
    codes_of_cells: Codes | None
    edges: dict[int, Floats]
    n_bins: Offsets
    bins: Kinds

    @property
    def n_rows(self) -> int:
        """Number of different rows."""
        return self.weights.size

    @cached_property
    def codes(self) -> Codes:
        """Small codes of all cells; of a table of single columns they are its zeros and ones."""
        if self.codes_of_cells is not None:
            return self.codes_of_cells
        n_columns = len(self.schema)
        n_codes, numeric = np.full(n_columns, 2), np.zeros(n_columns, bool)
        if not isinstance(self.ones, Csr):
            return Codes(self.ones, n_codes, numeric)
        codes = np.zeros((n_columns, self.n_rows), np.uint8)
        codes[self.ones.feature, np.repeat(np.arange(self.n_rows), np.diff(self.ones.start))] = 1
        return Codes(codes, n_codes, numeric)

    @cached_property
    def arrays(self) -> GrowTable:
        """The table as the kernels read it."""
        csr = Csr(np.zeros(1, np.int64), np.zeros(0, np.int32))
        dense = np.zeros((0, 0), np.uint8)
        if isinstance(self.ones, Csr):
            csr = self.ones
        else:
            dense = self.ones
        return GrowTable(
            dense=dense,
            start=csr.start,
            feature=csr.feature,
            single_of=self.single_of,
            levels=self.levels,
            levels_of=self.levels_of,
            n_levels=self.n_levels,
            number_of=self.number_of,
            numbers=self.numbers,
            codes=np.zeros((0, 0), np.uint8) if self.codes_of_cells is None else self.codes.codes,
            n_codes=self.codes.n_codes,
            numeric=self.codes.numeric,
            has_gaps=self.has_gaps,
            bins=self.bins,
            bins_of=_position(self.n_bins > 0),
            n_bins=self.n_bins,
            n_statistics=self.n_levels + N_MOMENTS * (self.number_of >= 0) + self.n_bins,
            weights=self.weights,
            keys=self.keys,
        )

    def level_weights(self, column: int) -> Floats:
        """Return the weight of each level of a column, (levels,)."""
        if self.single_of[column] < 0:
            level = self.levels[self.levels_of[column]]
            seen = level >= 0
            counts = np.bincount(level[seen], self.weights[seen], self.n_levels[column])
            return counts.astype(np.float64)
        if isinstance(self.ones, Csr):
            row = np.repeat(np.arange(self.n_rows), np.diff(self.ones.start))
            ones = self.weights[row[self.ones.feature == self.single_of[column]]].sum()
        else:
            ones = self.ones[self.single_of[column]] @ self.weights
        return np.array([self.weights.sum() - ones, ones])

    def take(self, rows: Ids, weights: Floats, columns: Ids) -> RowData:
        """Return some rows, with their weights in a node, over some columns."""
        from softlearn.kernels.grow.doors import take_rows  # noqa: PLC0415 - loads Numba

        return take_rows(self.arrays, rows, weights, columns)


def training_table(
    values: Floats, weights: Floats, schema: Schema, with_histograms: Bools | None = None
) -> TrainingTable:
    """Merge rows that are alike and lay out the rest for learning.

    Rows of weight zero are absent; the order of the rows makes no difference.

    Parameters
    ----------
    values
        (columns, rows) codes of levels, or numbers; NaN where missing.
    weights
        (rows,).
    schema
        The columns.
    with_histograms
        (columns,) which columns of plain numbers have histograms as leaves; none by default.
    """
    if not (weights > 0.0).all():
        values, weights = values[:, weights > 0.0], weights[weights > 0.0]
    values, weights, keys = merge_duplicates(_in_cells(values, schema), weights)
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
    has_gaps: Bools = np.any(np.isnan(values), axis=1)
    single = (n_levels == 2) & ~has_gaps
    single &= np.array([column.is_discrete for column in schema.columns])
    has_levels = (n_levels > 0) & ~single
    has_number = np.array([number is not None for number in numbers])
    rows = [number for number in numbers if number is not None]
    binned = plain & (with_histograms if with_histograms is not None else False)
    edges = {int(i): histogram_edges(values[i], weights) for i in np.flatnonzero(binned)}
    bins, n_bins = _bins(values, schema, edges)
    return TrainingTable(
        schema=schema,
        weights=weights,
        keys=keys,
        single_of=_position(single),
        ones=indicator_matrix(
            np.array([levels[i] == 1.0 for i in np.flatnonzero(single)], bool).reshape(
                -1, weights.size
            )
        ),
        n_levels=n_levels,
        levels_of=_position(has_levels),
        levels=_level_codes([levels[i] for i in np.flatnonzero(has_levels)], weights.size),
        number_of=_position(has_number),
        numbers=np.array(rows).reshape(len(rows), weights.size),
        centre=centre,
        spread=spread,
        has_gaps=has_gaps,
        codes_of_cells=None if single.all() else pair_codes(values, weights, schema),
        edges=edges,
        n_bins=n_bins,
        bins=bins,
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


def _bins(values: Floats, schema: Schema, edges: dict[int, Floats]) -> tuple[Kinds, Offsets]:
    """Return the bins of histograms and of cells, and how many each column has."""
    found, n_bins = [], np.zeros(len(schema), np.int64)
    for i, column in enumerate(schema.columns):
        cells = cells_of(column)
        if cells is not None:
            known = ~np.isnan(values[i])
            bin_of = np.where(cells.atom, MISSING, cells.bin_of)
            own = np.where(known, bin_of[np.where(known, values[i], 0.0).astype(np.intp)], MISSING)
            found.append(own.astype(np.uint8))
            n_bins[i] = cells.n_bins
        elif i in edges:
            found.append(bin_codes(values[i], edges[i]))
            n_bins[i] = edges[i].size - 1
    return np.array(found, np.uint8).reshape(len(found), values.shape[1]), n_bins


def _position(which: Bools) -> Offsets:
    """Return each column's position among some of them, -1 for the others."""
    return np.where(which, np.cumsum(which) - 1, -1)


def _level_codes(levels: list[Floats], n_rows: int) -> Ids:
    """Return the levels as whole numbers, -1 where missing."""
    cells = np.array(levels).reshape(len(levels), n_rows)
    return np.where(np.isnan(cells), -1.0, cells).astype(np.int32)
