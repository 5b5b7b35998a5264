"""Evidence: for each row and column nothing, a value, a set of levels or an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.errors import EvidenceError
from softlearn.kernels.circuit.program import WEIGHTED_CODE
from softlearn.leaf import Interval, Listed, Members, Region
from softlearn.table.schema import Column, Schema


@dataclass(frozen=True, eq=False)
class Evidence:
    """A batch of rows, each with its own evidence.

    Attributes
    ----------
    values
        (columns, rows): the level's code, or the number; NaN where it is not known.
    sets
        For a discrete column, (rows, levels): True for the levels that are still possible.
        It counts in the rows whose value is NaN; all True says nothing.
    intervals
        For a continuous column, the bounds ``lo`` and ``hi``, each (rows,). They count in the
        rows whose value is NaN; ``lo > hi`` is impossible. From -inf to inf is no restriction, but
        where missing cells are modelled it excludes them; there, bounds of NaN are no restriction.
    listed
        For a column with a scale, the numbers that are possible in all rows whose value is NaN.
        They do not count beside intervals.

    In a column of numbers whose missing cells are modelled, the value infinity says that the cell
    is missing.
    """

    values: Floats
    sets: Mapping[int, Bools] = field(default_factory=dict)
    intervals: Mapping[int, Interval] = field(default_factory=dict)
    listed: Mapping[int, Listed] = field(default_factory=dict)

    @staticmethod
    def nothing(n_columns: int, n_rows: int = 1) -> Evidence:
        """Return rows without evidence."""
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
        """Return the set, interval or list of a column in some rows; None if there is none."""
        if position in self.sets:
            return Members(self.sets[position][rows])
        return self.numbers(position, rows)

    def numbers(self, position: int, rows: Offsets) -> Interval | Listed | None:
        """Return the numbers of a column that are possible in some rows; None for all numbers."""
        if position in self.intervals:
            return Interval(*(bound[rows] for bound in self.intervals[position]))
        return self.listed.get(position)

    @property
    def partly_known(self) -> list[int]:
        """The columns with a set, an interval or a list."""
        return [*self.sets, *self.intervals, *self.listed]

    def _has_evidence(self, position: int) -> bool:
        return not np.isnan(self.values[position]).all() or position in self.partly_known

    def allowed_levels(self, position: int, n_levels: int) -> Bools:
        """Return which levels of a discrete column are possible, (rows, levels)."""
        mask = self.sets.get(position, np.ones((self.n_rows, n_levels), dtype=bool)).copy()
        known = np.flatnonzero(~np.isnan(self.values[position]))
        mask[known] = self.values[position, known][:, None] == np.arange(n_levels)
        return mask

    def _lists(self, position: int) -> bool:
        return position in self.listed and position not in self.intervals

    def _bounds(self, position: int) -> Interval:
        """Return the interval of a column of numbers in each row; NaN where none is known."""
        nothing = np.full(self.n_rows, np.nan)
        known = self.intervals.get(position, Interval(nothing, nothing))
        hidden = ~np.isnan(self.values[position])
        return Interval(*(np.where(hidden, np.nan, bound) for bound in known))

    def _allows(self, position: int, value: Floats) -> Bools:
        """Return whether a value of a column of numbers is left possible in each row."""
        lo, hi = self._bounds(position)
        allowed = np.isnan(lo) | ((value >= lo) & (value <= hi) & (value < np.inf))
        if self._lists(position):
            allowed = np.isin(value, self.listed[position].values)
        own = self.values[position]
        return np.where(np.isnan(own), allowed, own == value)

    def check_all_but_codes(self, schema: Schema) -> None:
        """Raise an ``EvidenceError`` unless shapes, sets, intervals and numbers fit the schema.

        Codes of levels are not checked: that is left to the reader of the rows, or to ``check``.
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
            if not column.is_discrete:
                has_missing = column.missing == "modelled"
                infinite = np.isneginf(values) if has_missing else np.isinf(values)
                if infinite.any():
                    raise EvidenceError(f"column {column.name!r}: infinite value")
            elif column.n_levels >= WEIGHTED_CODE:  # too many for the kernels to read as codes
                _check_codes(column, values[~np.isnan(values)])

    def check(self, schema: Schema) -> None:
        """Raise an ``EvidenceError`` that names the column, unless the evidence fits the schema."""
        self.check_all_but_codes(schema)
        for column, values in zip(schema.columns, self.values, strict=True):
            if column.is_discrete:
                _check_codes(column, values[~np.isnan(values)])


def without_missing(
    schema: Schema, evidence: Evidence, columns: Sequence[int] | None = None
) -> Evidence:
    """Return the evidence with missing cells excluded, where these are modelled.

    This concerns some columns, by default all.
    """
    present = Evidence.nothing(len(schema), evidence.n_rows)
    sets, intervals = {}, {}
    for position in range(len(schema)) if columns is None else columns:
        column = schema.columns[position]
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
    """Combine the evidence of two batches row by row; contradictions become impossible regions."""
    if a.values.shape != b.values.shape:
        raise EvidenceError(f"{a.n_rows} and {b.n_rows} rows of evidence cannot be combined")
    values = np.where(np.isnan(a.values), b.values, a.values)
    sets: dict[int, Bools] = {**b.sets, **a.sets}
    intervals: dict[int, Interval] = {**b.intervals, **a.intervals}
    listed: dict[int, Listed] = {**b.listed, **a.listed}
    for position, column in enumerate(schema.columns):
        if not (a._has_evidence(position) and b._has_evidence(position)):
            continue
        if column.is_discrete:
            sets[position] = a.allowed_levels(position, column.n_levels) & b.allowed_levels(
                position, column.n_levels
            )
            values[position] = np.nan
            continue
        values[position] = _values_of_both(a, b, position)
        intervals.pop(position, None)
        listed.pop(position, None)
        found = _numbers_of_both(column, a, b, position, ~np.isnan(values[position]))
        if isinstance(found, Listed):
            listed[position] = found
        else:
            intervals[position] = found
    return Evidence(values, sets, intervals, listed)


def _values_of_both(a: Evidence, b: Evidence, position: int) -> Floats:
    """Return the values of a column of numbers that are known in one batch and possible in both."""
    one, other = a.values[position], b.values[position]
    value = np.where(np.isnan(one), other, one)
    allowed = a._allows(position, value) & b._allows(position, value)
    return np.where(allowed, value, np.nan)


def _numbers_of_both(
    column: Column, a: Evidence, b: Evidence, position: int, known: Bools
) -> Interval | Listed:
    """Return the numbers that are possible in both, in rows without a common known value."""
    impossible = ~known & ~(np.isnan(a.values[position]) & np.isnan(b.values[position]))
    free = ~known & ~impossible
    one, other = a._bounds(position), b._bounds(position)
    lo, hi = np.fmax(one.lo, other.lo), np.fmin(one.hi, other.hi)
    lists = [side.listed[position].values for side in (a, b) if side._lists(position)]
    if lists and free.any():
        if impossible.any():
            raise EvidenceError(
                f"column {column.name!r}: a list of numbers cannot be combined with values "
                "that contradict it in only some rows"
            )
        return _listed_by_both(column, lists, Interval(lo[free], hi[free]))
    if column.missing != "modelled":  # no restriction is the whole line
        lo, hi = np.where(np.isnan(lo), -np.inf, lo), np.where(np.isnan(hi), np.inf, hi)
    return Interval(np.where(impossible, np.inf, lo), np.where(impossible, -np.inf, hi))


def _listed_by_both(column: Column, lists: list[Floats], bounds: Interval) -> Listed:
    """Return the listed numbers that are possible in all rows; rows that differ are refused."""
    values = lists[0] if len(lists) == 1 else np.intersect1d(lists[0], lists[1])
    inside = np.isnan(bounds.lo)[:, None] | (
        (values >= bounds.lo[:, None]) & (values <= bounds.hi[:, None]) & (values < np.inf)
    )
    if (inside != inside[0]).any():
        raise EvidenceError(
            f"column {column.name!r}: a list of numbers cannot be combined with intervals that "
            "differ between rows"
        )
    return Listed(values[inside[0]])


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
    shapes = {bound.shape for bound in interval}
    nothing = [np.isnan(bound) for bound in interval]
    fits = shapes == {(n_rows,)}
    if fits and column.missing == "modelled":
        fits = bool((nothing[0] == nothing[1]).all())
    elif fits:
        fits = not np.any(nothing)
    if not fits:
        raise EvidenceError(f"column {column.name!r}: an interval needs two bounds in each row")


def _column(schema: Schema, position: int) -> Column:
    if not 0 <= position < len(schema):
        raise EvidenceError(f"evidence about column {position}, but there are {len(schema)}")
    return schema.columns[position]
