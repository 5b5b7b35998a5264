"""What is known of each row: of each column nothing, a value, a set of levels or an interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.errors import EvidenceError
from softlearn.kernels.program import WEIGHTED_CODE
from softlearn.leaf import Interval, Listed, Members, Region
from softlearn.table.schema import Column, Schema


@dataclass(frozen=True, eq=False)
class Evidence:
    """A batch of rows, each with its own knowledge.

    Attributes
    ----------
    values
        (columns, rows): the level's code, or the number; NaN where it is not known.
    sets
        For a discrete column, (rows, levels): True for the levels that are still possible.
        It counts in the rows whose value is NaN; all True says nothing.
    intervals
        For a continuous column, the bounds ``lo`` and ``hi``, each (rows,). They count in the
        rows whose value is NaN; ``lo > hi`` is impossible. From -inf to inf says nothing but, where
        missing cells are modelled, that the cell is not missing.
    listed
        For a column with a scale, the numbers that are possible in all rows whose value is NaN.

    In a column of numbers whose missing cells are modelled, the value infinity says that the cell
    is missing.
    """

    values: Floats
    sets: Mapping[int, Bools] = field(default_factory=dict)
    intervals: Mapping[int, Interval] = field(default_factory=dict)
    listed: Mapping[int, Listed] = field(default_factory=dict)

    @staticmethod
    def nothing(n_columns: int, n_rows: int = 1) -> Evidence:
        """Return rows about which nothing is known."""
        return Evidence(np.full((n_columns, n_rows), np.nan))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[1])

    def rows(self, which: slice | np.ndarray[tuple[int], np.dtype[np.intp]]) -> Evidence:
        """Return some of the rows; positions may repeat."""
        return Evidence(
            np.ascontiguousarray(self.values[:, which]),
            {column: mask[which] for column, mask in self.sets.items()},
            {c: Interval(i.lo[which], i.hi[which]) for c, i in self.intervals.items()},
            self.listed,
        )

    def repeat(self, n: int) -> Evidence:
        """Return every row ``n`` times, copies side by side."""
        return self.rows(np.repeat(np.arange(self.n_rows), n))

    def unobserved(self) -> Bools:
        """Return where no single value is known, (columns, rows)."""
        return np.isnan(self.values)

    def region(self, position: int, rows: Offsets) -> Region | None:
        """Return what some rows know of a column whose value they lack; None for nothing."""
        if position in self.sets:
            return Members(self.sets[position][rows])
        return self.numbers(position, rows)

    def numbers(self, position: int, rows: Offsets) -> Interval | Listed | None:
        """Return the numbers that some rows leave possible in a column; None for all of them."""
        if position in self.intervals:
            return Interval(*(bound[rows] for bound in self.intervals[position]))
        return self.listed.get(position)

    @property
    def partly_known(self) -> list[int]:
        """The columns of which some row may know a region."""
        return [*self.sets, *self.intervals, *self.listed]

    def _speaks_of(self, position: int) -> bool:
        return not np.isnan(self.values[position]).all() or position in self.partly_known

    def allowed_levels(self, position: int, n_levels: int) -> Bools:
        """Return which levels of a discrete column are possible, (rows, levels)."""
        mask = self.sets.get(position, np.ones((self.n_rows, n_levels), dtype=bool)).copy()
        known = np.flatnonzero(~np.isnan(self.values[position]))
        mask[known] = self.values[position, known][:, None] == np.arange(n_levels)
        return mask

    def _hull(self, position: int) -> Interval:
        """Return the bounds of a continuous column; a value is an interval of length zero."""
        value = self.values[position]
        known = self.intervals.get(position)
        lo = np.full(self.n_rows, -np.inf) if known is None else known.lo
        hi = np.full(self.n_rows, np.inf) if known is None else known.hi
        return Interval(np.where(np.isnan(value), lo, value), np.where(np.isnan(value), hi, value))

    def must_suit(self, schema: Schema) -> None:
        """Raise an ``EvidenceError`` unless shapes, sets, intervals and numbers fit the schema.

        Codes of levels are left to whoever reads the rows next; ``must_fit`` checks them too.
        """
        if self.values.ndim != 2 or self.values.dtype != np.float64:
            raise EvidenceError("evidence needs a float64 matrix of values, (columns, rows)")
        if self.values.shape[0] != len(schema):
            raise EvidenceError(
                f"evidence has {self.values.shape[0]} columns, the circuit has {len(schema)}"
            )
        for position, mask in self.sets.items():
            _check_set(schema, position, mask, self.n_rows)
        for position, interval in self.intervals.items():
            _check_interval(schema, position, interval, self.n_rows)
        for position in self.listed:
            column = _column(schema, position)
            if column.scale is None:
                raise EvidenceError(f"column {column.name!r} has no scale: give an interval")
        for column, values in zip(schema.columns, self.values, strict=True):
            has_missing = column.missing == "modelled"
            infinite = np.isneginf(values) if has_missing else np.isinf(values)
            if not column.is_discrete and infinite.any():
                raise EvidenceError(f"column {column.name!r}: infinite value")
            if column.n_levels >= WEIGHTED_CODE:  # too many for the kernels to read as codes
                _check_codes(column, values[~np.isnan(values)])

    def must_fit(self, schema: Schema) -> None:
        """Raise an ``EvidenceError`` that names the column, if anything does not fit."""
        self.must_suit(schema)
        for column, values in zip(schema.columns, self.values, strict=True):
            if column.is_discrete:
                _check_codes(column, values[~np.isnan(values)])


def without_missing(schema: Schema, evidence: Evidence) -> Evidence:
    """Return rows that also know that no cell is missing, where missing cells are modelled."""
    present = Evidence.nothing(len(schema), evidence.n_rows)
    sets, intervals = {}, {}
    for position, column in enumerate(schema.columns):
        if column.missing != "modelled":
            continue
        if column.is_discrete:
            mask = np.arange(column.n_levels) < column.n_levels - 1
            sets[position] = np.tile(mask, (evidence.n_rows, 1))
        else:
            end = np.full(evidence.n_rows, np.inf)
            intervals[position] = Interval(-end, end)
    if not sets and not intervals:
        return evidence
    return intersect(schema, evidence, Evidence(present.values, sets, intervals))


def intersect(schema: Schema, a: Evidence, b: Evidence) -> Evidence:
    """Return rows for which both hold; a contradiction becomes an impossible region."""
    if a.values.shape != b.values.shape:
        raise EvidenceError(f"{a.n_rows} and {b.n_rows} rows of evidence do not combine")
    values = np.where(np.isnan(a.values), b.values, a.values)
    sets: dict[int, Bools] = {**b.sets, **a.sets}
    intervals: dict[int, Interval] = {**b.intervals, **a.intervals}
    listed: dict[int, Listed] = {**b.listed, **a.listed}
    for position, column in enumerate(schema.columns):
        if not (a._speaks_of(position) and b._speaks_of(position)):
            continue
        if column.is_discrete:
            sets[position] = a.allowed_levels(position, column.n_levels) & b.allowed_levels(
                position, column.n_levels
            )
            values[position] = np.nan
            continue
        left, right = a._hull(position), b._hull(position)
        lo, hi = np.maximum(left.lo, right.lo), np.minimum(left.hi, right.hi)
        if position in listed:
            found = _listed_by_both(a, b, position, Interval(lo, hi))
            listed[position] = found
            beyond = ~np.isnan(values[position]) & ~np.isin(values[position], found.values)
            if not beyond.any():
                intervals.pop(position, None)
                continue
            # A row that knows another value is impossible, which an empty interval says; it takes
            # the place of the list, which no row needs if all know a value.
            if np.isnan(values[position]).any():
                raise EvidenceError(
                    f"column {column.name!r}: a list of numbers cannot be combined with values "
                    "that only some rows know"
                )
            listed.pop(position)
            lo, hi = np.where(beyond, np.inf, lo), np.where(beyond, -np.inf, hi)
        intervals[position] = Interval(lo, hi)
        values[position, lo > hi] = np.nan
    return Evidence(values, sets, intervals, listed)


def _listed_by_both(a: Evidence, b: Evidence, position: int, hull: Interval) -> Listed:
    """Return the numbers that both allow; what is said of intervals is the same in all rows."""
    lists = [one.listed[position].values for one in (a, b) if position in one.listed]
    values = lists[0] if len(lists) == 1 else np.intersect1d(lists[0], lists[1])
    unknown = np.isnan(a.values[position]) & np.isnan(b.values[position])
    bounded = position in a.intervals or position in b.intervals
    if bounded and unknown.any():
        first = int(np.argmax(unknown))
        values = values[(values >= hull.lo[first]) & (values <= hull.hi[first])]
    return Listed(values)


def _check_codes(column: Column, known: Floats) -> None:
    if np.isinf(known).any():
        raise EvidenceError(f"column {column.name!r}: infinite value")
    odd = (known < 0) | (known >= column.n_levels) | (known != np.floor(known))
    if odd.any():
        raise EvidenceError(
            f"column {column.name!r}: {known[odd][0]:g} is not the code of a level "
            f"(0 to {column.n_levels - 1})"
        )


def _check_set(schema: Schema, position: int, mask: Bools, n_rows: int) -> None:
    column = _column(schema, position)
    if not column.is_discrete:
        raise EvidenceError(f"column {column.name!r} is {column.kind}: give an interval, not a set")
    if mask.dtype != np.bool_ or mask.shape != (n_rows, column.n_levels):
        raise EvidenceError(
            f"column {column.name!r}: a set is a bool matrix of shape "
            f"({n_rows}, {column.n_levels}), found {mask.dtype} {mask.shape}"
        )


def _check_interval(schema: Schema, position: int, interval: Interval, n_rows: int) -> None:
    column = _column(schema, position)
    if column.is_discrete:
        raise EvidenceError(f"column {column.name!r} is {column.kind}: give a set, not an interval")
    for bound in interval:
        if bound.shape != (n_rows,) or np.isnan(bound).any():
            raise EvidenceError(f"column {column.name!r}: an interval needs two bounds in each row")


def _column(schema: Schema, position: int) -> Column:
    if not 0 <= position < len(schema):
        raise EvidenceError(f"evidence about column {position}, but there are {len(schema)}")
    return schema.columns[position]
