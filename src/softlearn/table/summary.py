"""Summaries of a table's columns; those of parts merge to the summary of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError, TableError
from softlearn.table.cells import Cells
from softlearn.table.content import as_kind_needs
from softlearn.table.distinct import Distinct
from softlearn.table.frames import open_frame
from softlearn.table.joining import (
    Bins,
    Ends,
    are_within,
    ends_of,
    joined,
    one_value_each,
)
from softlearn.table.resolution import Decimals
from softlearn.table.storing import stored_alike

MOST_LEVELS = 2**20  # most distinct texts of a column of a table in parts


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The distinct cells of a column.

    Attributes
    ----------
    cells
        Each observed value once, in ascending order; how they are stored; and the levels. If values
        are joined, the lowest of each bin.
    weight
        (values,) of the rows that hold each value; may be 0.
    n_observed
        Rows whose cell is not missing.
    missing
        The weight of the rows whose cell is.
    written
        The decimals of all numbers, if values have been joined; else None.
    highest, dropped
        (values,) the highest of each bin, if values are joined; and how many bits are ignored.
    ends
        The lowest and highest values, if values are joined; else None.
    place
        Where the cells were read, for messages.
    """

    cells: Cells
    weight: Floats
    n_observed: int
    missing: float
    written: Decimals | None = None
    highest: Floats | None = None
    dropped: int = 0
    ends: Ends | None = None
    place: str = ""

    @property
    def bins(self) -> Bins:
        """The values, joined or not."""
        low = self.cells.values
        high = low if self.highest is None else self.highest
        return Bins(low, high, self.weight, self.dropped)

    def distinct(self, kind: str) -> Distinct:
        """Return the distinct values of rows with a weight, read as a kind of column."""
        read = as_kind_needs(self.cells, kind)
        if read is not self.cells:  # text that is times
            return Distinct.of(read.values, self.weight)
        seen = self.weight > 0.0
        return Distinct(read.values[seen], self.weight[seen], self.written)

    def bounded(self, most: int) -> ColumnSummary:
        """Return a summary of at most so many values; numbers are joined by their leading bits."""
        values, is_label = self.cells.values, self.cells.stored == "categorical"
        if is_label and len(self.cells.levels) > MOST_LEVELS:
            raise TableError(
                f"column {self.cells.name!r} holds more than {MOST_LEVELS:,} different texts: "
                "leave it out if it is an identifier, or store it as what it is, such as times"
            )
        if is_label or values.size <= most:
            return self
        return self.with_bins(joined([self.bins], most))

    def with_bins(self, bins: Bins) -> ColumnSummary:
        """Return the summary with its values joined in bins."""
        values = self.cells.values
        return replace(
            self,
            cells=replace(self.cells, values=bins.low),
            weight=bins.weight,
            highest=bins.high,
            dropped=bins.dropped,
            ends=self.ends or ends_of(values, self.weight),
            written=self.written or Decimals.of(values),
        )

    def settled(self) -> ColumnSummary:
        """Return the summary with one value for each bin."""
        if self.ends is None:
            return self
        value, weight = one_value_each(self.bins, self.ends)
        cells = replace(self.cells, values=value)
        return replace(self, cells=cells, weight=weight, highest=None, dropped=0, ends=None)


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A summary of some rows of a table."""

    columns: tuple[ColumnSummary, ...]
    library: str
    numbered: bool
    n_rows: int
    weight: float  # of all rows
    place: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(column.cells.name for column in self.columns)

    def bounded(self, most: int) -> TableSummary:
        """Return a summary with at most so many values of each column."""
        return replace(self, columns=tuple(column.bounded(most) for column in self.columns))

    def settled(self) -> TableSummary:
        """Return a summary with one value for each bin of joined values."""
        return replace(self, columns=tuple(column.settled() for column in self.columns))


def summarise(
    frame: object,
    counts: Floats | None = None,
    place: str = "",
    within: Mapping[str, Bins] | None = None,
) -> TableSummary:
    """Summarise the columns of some rows.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The rows; there may be none.
    counts : ndarray of shape (rows,), optional
        The count of each row, from ``WeightTotals.as_counts`` of all rows.
    place : str
        Where the rows are from, for messages about parts that do not fit.
    within : mapping of column name to bins, optional
        Only these columns, and only the values that lie within these bins.
    """
    table = open_frame(frame)
    columns = []
    for name in table.names if within is None else within:
        cells, own = table.cells(name), counts
        if within is not None:
            inside = are_within(cells.values, within[name])
            cells = replace(cells, values=cells.values[inside])
            own = None if counts is None else counts[inside]
        columns.append(_column(cells, own, place))
    weight = float(table.n_rows if counts is None else counts.sum())
    return TableSummary(tuple(columns), table.library, table.numbered, table.n_rows, weight, place)


def merge(parts: Sequence[TableSummary]) -> TableSummary:
    """Merge the summaries of all parts of a table; the result does not depend on the partition.

    Columns are in the order of the first part. Levels that are declared keep their order if all
    parts declare the same, and are sorted otherwise.
    """
    first = parts[0]
    columns = [_by_name(part, first) for part in parts]
    return TableSummary(
        tuple(_merged(list(same)) for same in zip(*columns, strict=True)),
        first.library,
        first.numbered,
        sum(part.n_rows for part in parts),
        float(sum(part.weight for part in parts)),
        first.place,
    )


def _column(cells: Cells, counts: Floats | None, place: str) -> ColumnSummary:
    gaps = np.isnan(cells.values)
    value, position = np.unique(cells.values[~gaps] + 0.0, return_inverse=True)
    counted = None if counts is None else counts[~gaps]
    weight = np.bincount(position, counted, minlength=value.size).astype(np.float64)
    missing = float(np.count_nonzero(gaps) if counts is None else counts[gaps].sum())
    n_observed = int(np.count_nonzero(~gaps))
    return ColumnSummary(replace(cells, values=value), weight, n_observed, missing, place=place)


def _by_name(part: TableSummary, first: TableSummary) -> list[ColumnSummary]:
    """Return the columns of a part in the order of the first one."""
    for one, other in ((first, part), (part, first)):
        lost = [name for name in one.names if name not in other.names]
        if lost:
            raise TableError(
                f"{other.place} has no column {lost[0]!r}, which {one.place} has; all parts of a "
                "table have the same columns"
            )
    if part.library != first.library:
        raise TableError(
            f"{first.place} is a table of {first.library}, {part.place} of {part.library}"
        )
    found = dict(zip(part.names, part.columns, strict=True))
    return [found[name] for name in first.names]


def _merged(parts: list[ColumnSummary]) -> ColumnSummary:
    """Return one column's cells of all parts."""
    stored = reduce(_alike, parts)
    like = stored.cells
    whole = ColumnSummary(
        like,
        stored.weight,
        sum(part.n_observed for part in parts),
        float(sum(part.missing for part in parts)),
        _written(parts),
        place=stored.place,
    )
    if whole.written is not None:
        bins = joined([part.bins for part in parts])
        return replace(whole, ends=_merged_ends(parts)).with_bins(bins)
    values = np.concatenate([_codes(part.cells, like) for part in parts])
    value, position = np.unique(values, return_inverse=True)
    weights = np.concatenate([part.weight for part in parts])
    weight = np.bincount(position, weights, minlength=value.size).astype(np.float64)
    return replace(whole, cells=replace(like, values=value), weight=weight)


def _merged_ends(parts: list[ColumnSummary]) -> Ends:
    known = [part.ends or Ends(part.cells.values, part.weight) for part in parts]
    values, weights = zip(*known, strict=True)
    return ends_of(np.concatenate(values), np.concatenate(weights))


def _alike(a: ColumnSummary, b: ColumnSummary) -> ColumnSummary:
    """Return a column that is stored so that it holds the cells of both; its values are a's."""
    try:
        cells = stored_alike(a.cells, b.cells)
    except SoftlearnError as error:
        raise TableError(
            f"{a.place} and {b.place} do not fit together: {error}; store it alike in all parts"
        ) from None
    speaks = a if a.n_observed or not b.n_observed else b
    return replace(speaks, cells=replace(cells, values=speaks.cells.values))


def _codes(cells: Cells, like: Cells) -> Floats:
    """Return the values of a part, with its levels numbered as in the whole."""
    if cells.levels == like.levels or not cells.values.size:
        return cells.values
    code_of = {level: float(code) for code, level in enumerate(like.levels)}
    return cells.look_up(np.array([code_of[level] for level in cells.levels]))


def _written(parts: list[ColumnSummary]) -> Decimals | None:
    """Return the decimals of all numbers, if values of some part were joined."""
    if all(part.written is None for part in parts):
        return None
    how: list[Decimals] = [
        part.written or Decimals.of(part.cells.values) for part in parts if part.cells.values.size
    ]
    merged: Callable[[Decimals, Decimals], Decimals] = Decimals.merged
    return reduce(merged, how)
