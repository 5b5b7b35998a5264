"""What is known of each row: of each column nothing, a value, a set of levels or an interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import EvidenceError
from softlearn.kernels.program import WEIGHTED_CODE
from softlearn.leaf import Interval
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
        rows whose value is NaN; from -inf to inf says nothing, ``lo > hi`` is impossible.
    """

    values: Floats
    sets: Mapping[int, Bools] = field(default_factory=dict)
    intervals: Mapping[int, Interval] = field(default_factory=dict)

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
        )

    def repeat(self, n: int) -> Evidence:
        """Return every row ``n`` times, copies side by side."""
        return self.rows(np.repeat(np.arange(self.n_rows), n))

    def unobserved(self) -> Bools:
        """Return where no single value is known, (columns, rows)."""
        return np.isnan(self.values)

    def _speaks_of(self, position: int) -> bool:
        known = not np.isnan(self.values[position]).all()
        return known or position in self.sets or position in self.intervals

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
        for column, values in zip(schema.columns, self.values, strict=True):
            if not column.is_discrete and np.isinf(values).any():
                raise EvidenceError(f"column {column.name!r}: infinite value")
            if column.n_levels >= WEIGHTED_CODE:  # too many for the kernels to read as codes
                _check_codes(column, values[~np.isnan(values)])

    def must_fit(self, schema: Schema) -> None:
        """Raise an ``EvidenceError`` that names the column, if anything does not fit."""
        self.must_suit(schema)
        for column, values in zip(schema.columns, self.values, strict=True):
            if column.is_discrete:
                _check_codes(column, values[~np.isnan(values)])


def intersect(schema: Schema, a: Evidence, b: Evidence) -> Evidence:
    """Return rows for which both hold; a contradiction becomes an impossible region."""
    if a.values.shape != b.values.shape:
        raise EvidenceError(f"{a.n_rows} and {b.n_rows} rows of evidence do not combine")
    values = np.where(np.isnan(a.values), b.values, a.values)
    sets: dict[int, Bools] = {**b.sets, **a.sets}
    intervals: dict[int, Interval] = {**b.intervals, **a.intervals}
    for position, column in enumerate(schema.columns):
        if not (a._speaks_of(position) and b._speaks_of(position)):
            continue
        if column.is_discrete:
            sets[position] = a.allowed_levels(position, column.n_levels) & b.allowed_levels(
                position, column.n_levels
            )
            values[position] = np.nan
        else:
            left, right = a._hull(position), b._hull(position)
            lo, hi = np.maximum(left.lo, right.lo), np.minimum(left.hi, right.hi)
            intervals[position] = Interval(lo, hi)
            values[position, lo > hi] = np.nan
    return Evidence(values, sets, intervals)


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
