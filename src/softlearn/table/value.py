"""Convert single Python values to the floats that circuits read, and back."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal

import numpy as np

from softlearn.errors import TableError, UnknownLevelError
from softlearn.table.column import LARGEST_EXACT_INTEGER, Column, Level, preview_levels
from softlearn.table.iso import read_iso
from softlearn.table.times import moment, seconds_of, zone_of

_MAYBE_UNDEFINED = (float, np.floating, np.datetime64, np.timedelta64, datetime, Decimal)


def encode_value(column: Column, value: object) -> float:
    """Return one cell as a float, as ``encode`` would.

    Parameters
    ----------
    column : Column
        The column that the cell belongs to.
    value : object
        A level, a number (booleans count as 0 and 1), a date or datetime, also as ISO text, or a
        missing value.

    Returns
    -------
    float
        The level's code, the number, or seconds since 1970-01-01 UTC; NaN for a missing value.
    """
    if is_missing(value):
        return math.nan
    if column.is_discrete:
        return _level_code(column, value)
    return _seconds(column, value) if column.kind == "datetime" else _number(column, value)


def decode_value(column: Column, code: float) -> Level | date | None:
    """Return the Python value of one encoded cell; None for NaN.

    Integer columns give the nearest ``int``, datetime columns a ``datetime`` (in the column's time
    zone if it has one) or a ``date``.
    """
    if math.isnan(code):
        return None
    if column.is_discrete:
        if not (0 <= code < column.n_levels and code == int(code)):
            raise TableError(f"column {column.name!r} has no level with the code {code!r}")
        return column.levels[int(code)]
    if column.kind == "numeric":
        return float(code)
    try:
        return round(code) if column.kind == "integer" else moment(code, column.dtype)
    except OverflowError as error:
        raise TableError(f"column {column.name!r} cannot hold {code!r}: {error}") from None


def is_missing(value: object) -> bool:
    """Return whether a cell is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ == "NAType":  # by name: pandas may not be installed
        return True
    return isinstance(value, _MAYBE_UNDEFINED) and bool(value != value)  # noqa: PLR0124


def unknown_level(column: Column, value: object) -> UnknownLevelError:
    """Return the error for a value that is not one of the column's levels."""
    value = plain(value)
    return UnknownLevelError(
        f"column {column.name!r} holds {shown(value)}, which is none of its levels "
        f"({preview_levels(column.levels)})",
        remedy="fit again with it, or treat it as missing: unknown='missing' for a frame or an "
        "estimator, None for a single value",
        column=column.name,
        value=value,
    )


def wrong_value(column: Column, value: object, wanted: str) -> TableError:
    """Return the error for a value of the wrong type."""
    return TableError(
        f"column {column.name!r} is {column.kind} and needs {wanted}, not {shown(value)}"
    )


def shown(value: object) -> str:
    """Return a value as text for a message; of a huge number, only the count of digits."""
    if isinstance(value, int) and abs(value) > LARGEST_EXACT_INTEGER**2:
        return f"a whole number of {value.bit_length()} bits"
    return repr(value)


def check_zone(column: Column, given: bool) -> None:
    """Refuse a time without zone in a column with zones, and the other way round."""
    zone = zone_of(column.dtype)
    if column.dtype and given != (zone is not None):
        wanted = f"times with a time zone, such as {zone}" if zone else "times without a time zone"
        raise TableError(f"column {column.name!r} needs {wanted}; convert the times first")


def plain(value: object) -> object:
    """Return a NumPy scalar as the Python value it stands for."""
    return value.item() if isinstance(value, np.generic) else value


def _level_code(column: Column, value: object) -> float:
    value = plain(value)
    # Python's equality is intended: 1, 1.0 and True are one level, "1" is not.
    if isinstance(value, str | int | float) and value in column.levels:
        return float(column.levels.index(value))
    raise unknown_level(column, value)


def _number(column: Column, value: object) -> float:
    value = plain(value)
    if not isinstance(value, int | float | Decimal):
        raise wrong_value(column, value, "a number")
    try:
        number = float(value)
    except OverflowError:
        raise TableError(
            f"column {column.name!r} cannot hold a number beyond the largest float64"
        ) from None
    if math.isinf(number):
        raise TableError(f"column {column.name!r} cannot hold an infinite number")
    return number


def _seconds(column: Column, value: object) -> float:
    if isinstance(value, str) and read_iso([value]):
        value = datetime.fromisoformat(value)
    if not isinstance(value, date | np.datetime64):
        raise wrong_value(column, value, "a date or datetime")
    check_zone(column, isinstance(value, datetime) and value.tzinfo is not None)
    return seconds_of(value)
