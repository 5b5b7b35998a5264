"""The training table: distinct rows with their weights, laid out for the kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, States
from softlearn.circuit import cells_of
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.grow.work import GrowTable
from softlearn.leaf import Cells
from softlearn.stats.bins import MISSING, Codes, bin_codes
from softlearn.stats.buckets import (
    BUCKET_ROWS,
    CodedRows,
    bucket_cuts,
    count_buckets,
    different_rows_of,
)
from softlearn.stats.facts import merge, summarise
from softlearn.stats.layout import Layout, layout_of
from softlearn.stats.merging import merged_in_order
from softlearn.stats.rows import Csr, indicator_matrix
from softlearn.table.schema import Schema


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingTable(Layout):
    """The training table in the form that learners read.

    Attributes
    ----------
    weights
        (rows,) the total weight of each distinct row.
    keys
        (rows,) hashes of the rows' cells, in order.
    ones
        Which rows have the second level of the two-level columns without a missing cell: uint8
        (columns, rows), or compressed rows.
    levels
        (columns with levels, rows) the level of each cell, -1 where missing.
    numbers
        (columns with numbers, rows), standardised; for columns with a scale, the normal scores of
        cells that are not atoms. NaN where missing and for atoms.
    codes_of_cells
        (columns, rows) codes for the tests of independence, 255 where missing; None if all columns
        have two levels and no missing cells, see ``codes``.
    bins
        (columns with bins, rows) the bin of each cell, 255 where missing and for atoms.
    """

    weights: Floats
    keys: States
    ones: Kinds | Csr
    levels: Ids
    numbers: Floats
    codes_of_cells: Kinds | None
    bins: Kinds

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return self.weights.size

    @cached_property
    def codes(self) -> Codes:
        """The codes of all cells for the tests of independence; 0 and 1 for two-level columns."""
        codes = self.ones if self.codes_of_cells is None else self.codes_of_cells
        if isinstance(codes, Csr):
            row = np.repeat(np.arange(self.n_rows), np.diff(codes.start))
            feature = codes.feature
            codes = np.zeros((len(self.schema), self.n_rows), np.uint8)
            codes[feature, row] = 1
        return Codes(codes, self.n_codes, self.numeric)

    @cached_property
    def arrays(self) -> GrowTable:
        """The table in the form that the kernels read."""
        csr = Csr(np.zeros(1, np.int64), np.zeros(0, np.int32))
        dense = np.zeros((0, 0), np.uint8)
        if isinstance(self.ones, Csr):
            csr = self.ones
        else:
            dense = self.ones
        codes = self.codes_of_cells
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
            codes=np.zeros((0, 0), np.uint8) if codes is None else codes,
            n_codes=self.n_codes,
            numeric=self.numeric,
            has_gaps=self.has_gaps,
            bins=self.bins,
            bins_of=np.where(self.n_bins > 0, np.cumsum(self.n_bins > 0) - 1, -1),
            n_bins=self.n_bins,
            n_statistics=self.n_statistics,
            weights=self.weights,
            keys=self.keys,
        )

    def take(self, rows: Ids, weights: Floats, columns: Ids) -> RowData:
        """Return some rows and columns, with the rows' weights in a node."""
        from softlearn.kernels.grow.from_python import take_rows  # noqa: PLC0415 - loads Numba

        return take_rows(self.arrays, rows, weights, columns)


def training_table(
    values: Floats, weights: Floats, schema: Schema, with_histograms: Bools | None = None
) -> TrainingTable:
    """Merge equal rows and return the table laid out for learning.

    Rows of weight zero are dropped; the order of the rows does not matter.

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
    rows = different_rows_of([(values, weights)], schema)
    return table_of(rows, schema, with_histograms)


def table_of(
    rows: CodedRows,
    schema: Schema,
    with_histograms: Bools | None = None,
    bucket_rows: int = BUCKET_ROWS,
) -> TrainingTable:
    """Lay out distinct rows, which are in the order of their keys."""
    facts = merged_in_order(
        (summarise(bucket, schema) for bucket in in_buckets(rows, bucket_rows)), merge
    )
    return laid_out(rows, layout_of(facts, schema, with_histograms))


def in_buckets(rows: CodedRows, bucket_rows: int) -> Iterator[CodedRows]:
    """Yield the rows of each bucket."""
    cuts = bucket_cuts(rows.keys, count_buckets(rows.weights.size, bucket_rows))
    for first, end in pairwise(cuts.tolist()):
        some = slice(first, end)
        yield CodedRows(rows.values[:, some], rows.weights[some], rows.keys[some])


def laid_out(rows: CodedRows, layout: Layout) -> TrainingTable:
    """Lay out some rows of a table, given the layout of the whole table."""
    n_rows = rows.weights.size
    ones, levels, numbers, bins = [], [], [], []
    for i, column in enumerate(layout.schema.columns):
        cells, own = cells_of(column), rows.values[i]
        level, number = own, (own - layout.centre[i]) / layout.spread[i]
        if cells is not None:
            level, number = _atoms_and_scores(cells, own)
        if layout.single_of[i] >= 0:
            ones.append(level == 1.0)
        if layout.levels_of[i] >= 0:
            levels.append(level)
        if layout.number_of[i] >= 0:
            numbers.append(number)
        if layout.n_bins[i] > 0:
            bins.append(_bins(cells, own) if cells is not None else bin_codes(own, layout.edges[i]))
    codes = None
    if (layout.single_of < 0).any():
        coding = zip(layout.code_maps, rows.values, strict=True)
        codes = np.array([one.codes(own) for one, own in coding])
    return TrainingTable(
        **{one.name: getattr(layout, one.name) for one in fields(Layout)},
        weights=rows.weights,
        keys=rows.keys,
        ones=indicator_matrix(np.array(ones, bool).reshape(len(ones), n_rows), dense=layout.dense),
        levels=_whole(np.array(levels).reshape(len(levels), n_rows)),
        numbers=np.array(numbers).reshape(len(numbers), n_rows),
        codes_of_cells=codes,
        bins=np.array(bins, np.uint8).reshape(len(bins), n_rows),
    )


def no_rows_of(layout: Layout) -> GrowTable:
    """Return a table without rows, which describes the columns to kernels."""
    nothing = np.zeros((len(layout.schema), 0))
    return laid_out(CodedRows(nothing, np.zeros(0), np.zeros(0, np.uint64)), layout).arrays


def _atoms_and_scores(cells: Cells, codes: Floats) -> tuple[Floats, Floats]:
    """Return each row's level (an atom, or the rest) and score; NaN where it has none."""
    n_atoms = int(cells.atom.sum())
    level_of = np.where(cells.atom, np.cumsum(cells.atom) - 1, n_atoms).astype(np.float64)
    score_of = np.where(cells.atom, np.nan, cells.score)
    known = ~np.isnan(codes)
    position = np.where(known, codes, 0.0).astype(np.intp)
    score = np.where(known, score_of[position], np.nan)
    level = np.where(known, level_of[position], np.nan)
    return level, score


def _bins(cells: Cells, codes: Floats) -> Kinds:
    """Return the coarse bin of each row's cell, 255 where missing and for atoms."""
    known = ~np.isnan(codes)
    bin_of = np.where(cells.atom, MISSING, cells.bin_of)
    found = np.where(known, bin_of[np.where(known, codes, 0.0).astype(np.intp)], MISSING)
    return found.astype(np.uint8)


def _whole(levels: Floats) -> Ids:
    """Return levels as whole numbers, -1 where missing."""
    return np.where(np.isnan(levels), -1.0, levels).astype(np.int32)
