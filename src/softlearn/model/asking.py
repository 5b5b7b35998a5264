"""Translate conditions by column name into evidence for queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from datetime import datetime
from typing import TypeAlias

import numpy as np

from softlearn.arrays import Bools
from softlearn.circuit import cells_of
from softlearn.errors import EvidenceError
from softlearn.leaf import Interval, Listed
from softlearn.query import Evidence
from softlearn.table import Column, Schema, encode_value
from softlearn.table.column import LARGEST_EXACT_INTEGER

Conditions: TypeAlias = Mapping[str, object]  # {column: value, set of levels, (lo, hi) or None}


def as_event(conditions: Conditions, schema: Schema) -> Evidence:
    """Return one row of evidence whose probability can be asked for.

    A single value of an integer column has a probability, and so have values of other columns that
    stand out. Any other number or time has probability zero, and is refused.
    """
    evidence = as_condition(conditions, schema)
    intervals = dict(evidence.intervals)
    for position, column in enumerate(schema):
        value = float(evidence.values[position, 0])
        if column.is_discrete or math.isnan(value):
            continue
        if not _has_probability(column, value):
            raise _point_event(column, conditions[column.name])
        intervals[position] = _interval(column, (value, value))
        evidence.values[position, 0] = np.nan
    for position, listed in evidence.listed.items():
        for value in listed.values.tolist():
            if not _has_probability(schema.columns[position], value):
                raise _point_event(schema.columns[position], value)
    return Evidence(evidence.values, evidence.sets, intervals, evidence.listed)


def _has_probability(column: Column, value: float) -> bool:
    """Return whether a single number may be an event of its own."""
    if column.kind == "integer" or math.isinf(value):
        return True
    cells = cells_of(column)
    return cells is not None and bool(cells.is_point[cells.code(np.array([value]))[0]])


def as_condition(conditions: Conditions, schema: Schema) -> Evidence:
    """Return one row of evidence to condition on; a single value means its density."""
    if not isinstance(conditions, Mapping):
        raise EvidenceError(
            f"conditions are given as {{column: value}}, not as a {_type_name(conditions)}"
        )
    values = np.full((len(schema), 1), np.nan)
    sets: dict[int, Bools] = {}
    intervals: dict[int, Interval] = {}
    listed: dict[int, Listed] = {}
    for name, what in conditions.items():
        position = schema.index(name)
        column = schema.columns[position]
        if isinstance(what, Set | list) and column.scale is not None:
            listed[position] = _numbers(column, what)
        elif isinstance(what, Set | list):
            sets[position] = _levels(column, what)
        elif not isinstance(what, tuple):
            values[position] = _point(column, what)
        elif column.is_discrete:
            sets[position] = _levels_between(column, what)
        else:
            intervals[position] = _interval(column, what)
    return Evidence(values, sets, intervals, listed)


def _point(column: Column, what: object) -> float:
    """Return one value; a whole number must be one that float64 can tell from its neighbours."""
    value = read_cell(column, what)
    if column.kind == "integer" and LARGEST_EXACT_INTEGER < abs(value) < math.inf:
        raise EvidenceError(
            f"column {column.name!r}: whole numbers beyond 2**53 are not exact; ask for an interval"
        )
    return value


def read_cell(column: Column, what: object) -> float:
    """Return one value as circuits read it; times may be ISO text."""
    if column.kind == "datetime" and isinstance(what, str):
        try:
            what = datetime.fromisoformat(what)
        except ValueError:
            raise EvidenceError(
                f"column {column.name!r}: {what!r} is not a time; write it like '2024-12-31' "
                "or '2024-12-31T18:30'"
            ) from None
    return encode_value(column, what)


def _numbers(column: Column, what: Set[object] | list[object]) -> Listed:
    """Return the listed numbers of a column with a scale; None is a missing cell."""
    if not what:
        raise EvidenceError(
            f"column {column.name!r}: an empty set of values is impossible; name at least one"
        )
    if None in what and column.missing != "modelled":
        raise EvidenceError(
            f"column {column.name!r}: its missing cells are not modelled, so they have no "
            "probability; fit with missing='modelled'"
        )
    numbers = [math.inf if value is None else read_cell(column, value) for value in what]
    if any(map(math.isnan, numbers)):
        raise EvidenceError(f"column {column.name!r}: write None for a missing cell, not NaN")
    return Listed(np.unique(numbers))


def _levels(column: Column, what: Set[object] | list[object]) -> Bools:
    """Return the mask of the named levels, (1, levels)."""
    if not column.is_discrete:
        raise EvidenceError(
            f"column {column.name!r} is {column.kind}: give an interval (lo, hi), which includes "
            f"both ends, not a {_type_name(what)}"
        )
    codes = [_level(column, level) for level in what]
    if not codes:
        raise EvidenceError(
            f"column {column.name!r}: an empty set of levels is impossible; name at least one"
        )
    if any(map(math.isnan, codes)):
        raise EvidenceError(f"column {column.name!r}: a set holds levels only, no missing value")
    mask = np.zeros((1, column.n_levels), dtype=bool)
    mask[0, np.array(codes, dtype=np.intp)] = True
    return mask


def _level(column: Column, level: object) -> float:
    """Return the code of a level; None is one where missing cells are modelled."""
    if level is None and None in column.levels:
        return float(column.n_levels - 1)
    return read_cell(column, level)


def _levels_between(column: Column, what: tuple[object, ...]) -> Bools:
    """Return the mask of the levels of a numeric label that lie in an interval, (1, levels)."""
    if not isinstance(column.levels[0], int | float) or column.kind == "boolean":
        raise EvidenceError(
            f"column {column.name!r} is {column.kind}: a tuple is an interval (lo, hi) of numbers; "
            "name levels as a set, such as {" + ", ".join(map(repr, column.levels[:2])) + "}"
        )
    number = Column(column.name, "numeric")
    lo, hi = _ends(number, what)
    levels = np.array([math.nan if x is None else x for x in column.levels], dtype=np.float64)
    mask = (levels >= lo) & (levels <= hi)
    if not mask.any():
        raise EvidenceError(f"column {column.name!r}: none of its levels lies in {what!r}")
    return mask[None]


def _interval(column: Column, what: tuple[object, ...]) -> Interval:
    """Return the interval of a continuous column; whole numbers fill half a unit on each side."""
    lo, hi = _ends(column, what)
    if column.scale is not None:
        return Interval(np.array([lo]), np.array([hi]))
    if column.kind == "integer":
        lo, hi = _ceil(lo), _floor(hi)
        if lo <= hi:  # half a unit may vanish beside 2**53
            below = min(lo - 0.5, math.nextafter(lo, -math.inf))
            return Interval(
                np.array([below]), np.array([max(hi + 0.5, math.nextafter(hi, math.inf))])
            )
    if lo >= hi:
        holds = "no whole number" if column.kind == "integer" else "a single value, not an interval"
        raise EvidenceError(f"column {column.name!r}: {what!r} holds {holds}")
    return Interval(np.array([lo]), np.array([hi]))


def _ends(column: Column, what: tuple[object, ...]) -> tuple[float, float]:
    """Return both ends of an interval as floats; None is an open end."""
    if len(what) != 2:
        raise EvidenceError(f"column {column.name!r}: an interval is (lo, hi), not {what!r}")
    lo = -math.inf if _is_open(what[0], -math.inf) else read_cell(column, what[0])
    hi = math.inf if _is_open(what[1], math.inf) else read_cell(column, what[1])
    if math.isnan(lo) or math.isnan(hi):
        raise EvidenceError(f"column {column.name!r}: write None for an open end, not {what!r}")
    if lo > hi:
        raise EvidenceError(f"column {column.name!r}: {what!r} ends before it begins; swap them")
    return lo, hi


def _is_open(end: object, infinity: float) -> bool:
    return end is None or (isinstance(end, float) and end == infinity)


def _ceil(bound: float) -> float:
    return bound if math.isinf(bound) else float(math.ceil(bound))


def _floor(bound: float) -> float:
    return bound if math.isinf(bound) else float(math.floor(bound))


def _point_event(column: Column, what: object) -> EvidenceError:
    """Return the error for an event of probability zero that the caller did not mean."""
    return EvidenceError(
        f"column {column.name!r} is {column.kind}: any single value, such as {what!r}, has "
        f"probability zero. Ask for an interval {{{column.name!r}: (lo, hi)}}, with None for an "
        "open end, or use score_samples for the density."
    )


def _type_name(what: object) -> str:
    return type(what).__name__
