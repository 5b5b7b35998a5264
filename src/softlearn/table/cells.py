"""The cells of one column as numbers, the same for all frame libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.errors import TableError
from softlearn.table.column import LARGEST_EXACT_INTEGER, Level
from softlearn.table.on_pandas import positions_of_categories
from softlearn.table.storage import remembered
from softlearn.table.times import (
    FIRST_SECOND,
    LAST_SECOND,
    MICROSECONDS,
    seconds_from_datetime64,
    seconds_of,
    zone_name,
)
from softlearn.table.value import is_missing

if TYPE_CHECKING:
    import narwhals as nw

Stored: TypeAlias = Literal["boolean", "integer", "numeric", "categorical", "datetime", "empty"]

_REMEDIES = {
    "Duration": "turn it into a number, for instance of seconds",
    "Binary": "decode it to text",
    "List": "give each element its own column",
    "Array": "give each element its own column",
    "Struct": "give each field its own column",
    "complex128": "give the real and the imaginary part a column each",
}


@dataclass(frozen=True, slots=True)
class Cells:
    """A column as it is stored, before its kind is decided.

    ``values`` holds numbers, seconds or positions in ``levels``; NaN is an unobserved cell. The
    ``levels`` of a categorical column are the declared ones, or the sorted distinct ones. ``empty``
    cells are all missing, in a dtype without information. What text and numbers mean does not
    depend on their storage: ``by_content`` decides it, the same for every library.
    """

    name: str
    dtype: str
    stored: Stored
    values: Floats  # (rows,)
    levels: tuple[Level, ...] = ()
    is_declared: bool = False
    is_text: bool = False  # levels that are text, but not a declared categorical

    @property
    def observed(self) -> Floats:
        """The values without the missing ones."""
        return self.values[~np.isnan(self.values)]

    def look_up(self, of_levels: Floats) -> Floats:
        """Return a value of each cell's level, (rows,); NaN where it is missing."""
        missing = np.isnan(self.values)
        places = np.where(missing, 0, self.values).astype(np.intp)
        return np.where(missing, np.nan, of_levels[places])


def read_series(name: str, dtype: str, series: nw.Series[Any], declared: Sequence[Level]) -> Cells:
    """Read a column of any data frame that narwhals knows, and its declared levels."""
    import narwhals as nw  # noqa: PLC0415 - keeps `import softlearn` light

    family = series.dtype
    if dtype == "object":
        return read_objects(name, dtype, series.to_native().tolist())
    if family == nw.Boolean or family.is_numeric():
        return _read_numbers(name, dtype, series)
    if family in (nw.Datetime, nw.Date):
        calendar(name, _floats(series.dt.timestamp("ms")) / 1000)  # whose range is wider
        seconds = _floats(series.dt.timestamp("us")) / MICROSECONDS
        return Cells(name, dtype, "datetime", seconds)
    if family in (nw.String, nw.Categorical, nw.Enum):
        return _read_labels(name, dtype, series, declared)
    if series.null_count() == len(series):
        return Cells(name, dtype, "empty", np.full(len(series), np.nan))
    raise unreadable(name, dtype, type(family).__name__)


def read_array(name: str, array: AnyArray) -> Cells:
    """Read one column of a NumPy matrix."""
    dtype = str(array.dtype)
    match array.dtype.kind:
        case "b":
            return Cells(name, dtype, "boolean", array.astype(np.float64))
        case "i" | "u":
            return Cells(name, dtype, "integer", exact(name, array.astype(np.float64)))
        case "f":
            return Cells(name, dtype, "numeric", finite(name, array.astype(np.float64)))
        case "M":
            calendar(name, np.where(np.isnat(array), 0, array.astype("M8[s]").astype(np.int64)))
            return Cells(name, dtype, "datetime", seconds_from_datetime64(array))
        case "U":
            distinct, positions = np.unique(array, return_inverse=True)
            codes = positions.astype(np.float64)
            levels = tuple(distinct.tolist())
            return Cells(name, dtype, "categorical", codes, levels, is_text=True)
        case "O":
            return read_objects(name, dtype, array.tolist())
    raise unreadable(name, dtype, dtype)


def read_objects(name: str, dtype: str, cells: list[Any]) -> Cells:
    """Read Python objects that are all booleans, text, numbers or times, or missing."""
    observed = np.fromiter((not is_missing(cell) for cell in cells), bool, len(cells))
    known = [cell for cell, is_known in zip(cells, observed.tolist(), strict=True) if is_known]
    types = {type(cell) for cell in known}
    stored = _common_type(name, types)
    values = np.full(len(cells), np.nan)
    if stored == "empty":
        return Cells(name, dtype, stored, values)
    if stored == "categorical":
        levels = tuple(sorted(set(known)))
        code_of = {level: code for code, level in enumerate(levels)}
        values[observed] = [code_of[cell] for cell in known]
        return Cells(name, dtype, stored, values, levels, is_text=True)
    if stored == "datetime":
        values[observed] = [seconds_of(cell) for cell in known]
        return Cells(name, remembered(dtype, _form_of_times(name, known)), stored, values)
    values[observed] = np.array(known, dtype=np.float64)
    values = exact(name, values) if stored == "integer" else finite(name, values)
    return Cells(name, remembered(dtype, _form_of_numbers(types)), stored, values)


def exact(name: str, values: Floats) -> Floats:
    """Return integers unchanged, or refuse those that float64 may have rounded."""
    beyond = np.abs(values) > LARGEST_EXACT_INTEGER
    if beyond.any():
        raise TableError(
            f"column {name!r} holds {int(values[beyond][0])}: integers beyond 2**53 are not exact. "
            "Leave the column out, or make it text (labels) or float (a rounded quantity)."
        )
    return values


def calendar(name: str, seconds: AnyArray) -> None:
    """Refuse times outside the range of Python's calendar."""
    if ((seconds < FIRST_SECOND) | (seconds > LAST_SECOND + 1)).any():
        raise TableError(
            f"column {name!r} holds a time that is not in the years 1 to 9999; correct it, or make "
            "the column a number"
        )


def finite(name: str, values: Floats) -> Floats:
    """Return numbers unchanged, or refuse infinite ones."""
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise TableError(
            f"column {name!r} holds {values[infinite[0]]} in row {infinite[0]}; "
            "replace infinite numbers by missing cells or by a bound"
        )
    return values


def unreadable(name: str, dtype: str, family: str) -> TableError:
    """Return the error for a column of an unsupported type."""
    fallback = "convert it to numbers, text, booleans or datetimes"
    if dtype.startswith("Sparse["):
        fallback = "make the frame dense first: frame.sparse.to_dense()"
    remedy = _REMEDIES.get(family) or _REMEDIES.get(dtype, fallback)
    return TableError(f"column {name!r} has the type {dtype}, which cannot be read; {remedy}")


def mixed_zones(name: str) -> TableError:
    """Return the error for times of which only some have a time zone."""
    return TableError(
        f"column {name!r} holds times with and without a time zone; give all of them one, or none"
    )


def _floats(series: nw.Series[Any]) -> Floats:
    """Return numbers or booleans as floats, NaN where they are missing."""
    import narwhals as nw  # noqa: PLC0415 - keeps `import softlearn` light

    return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _read_numbers(name: str, dtype: str, series: nw.Series[Any]) -> Cells:
    values = _floats(series)
    if series.dtype.is_integer():
        return Cells(name, dtype, "integer", exact(name, values))
    if series.dtype.is_numeric():
        return Cells(name, dtype, "numeric", finite(name, values))
    return Cells(name, dtype, "boolean", values)


def _read_labels(name: str, dtype: str, series: nw.Series[Any], declared: Sequence[Level]) -> Cells:
    """Read text or categories; the library's codes are replaced by positions in the levels."""
    import narwhals as nw  # noqa: PLC0415 - keeps `import softlearn` light

    is_text = bool(series.dtype == nw.String)
    if is_text and series.implementation.is_pandas():
        series = series.cast(nw.Categorical)  # pandas looks categories up twenty times faster
    stored_levels = declared or sorted(series.drop_nulls().unique().to_list())
    levels = _whole_levels(stored_levels)
    if not all(isinstance(level, str | bool | int | float) for level in levels):
        raise TableError(
            f"column {name!r} has categories of the type {type(levels[0]).__name__}; "
            "make them text, numbers or booleans"
        )
    values = np.full(len(series), np.nan)
    if not levels and not is_text and series.implementation.is_pandas():
        return Cells(name, dtype, "empty", values)  # a dtype of no categories holds nothing else
    native = series.to_native()
    if series.implementation.is_pandas() and hasattr(native.dtype, "categories"):
        values = positions_of_categories(native, stored_levels)
    elif levels:
        codes = series.replace_strict(stored_levels, range(len(levels)), return_dtype=nw.Float64)
        values = codes.to_numpy()
    return Cells(name, dtype, "categorical", values, levels, bool(declared), is_text)


def _whole_levels(levels: Sequence[Level]) -> tuple[Level, ...]:
    """Return levels that are whole numbers as integers, as those of an integer column are."""
    if levels and all(isinstance(level, float) and level.is_integer() for level in levels):
        return tuple(int(level) for level in levels if level is not None)
    return tuple(levels)


def _common_type(name: str, types: set[type]) -> Stored:
    """Return the common storage type of cells, or refuse the mixture."""
    families: tuple[tuple[Stored, tuple[type, ...]], ...] = (
        ("boolean", (bool, np.bool_)),
        ("categorical", (str,)),
        ("integer", (int, np.integer)),
        ("numeric", (int, float, np.integer, np.floating, Decimal)),
        ("datetime", (date, np.datetime64)),
    )
    if not types:
        return "empty"
    has_bool = any(issubclass(kind, bool | np.bool_) for kind in types)
    for stored, accepted in families:
        if all(issubclass(kind, accepted) for kind in types) and has_bool <= (stored == "boolean"):
            return stored
    found = " and ".join(sorted(kind.__name__ for kind in types))
    raise TableError(
        f"column {name!r} holds objects of the type {found}; "
        "make the whole column text, numbers, booleans or datetimes"
    )


def _form_of_numbers(types: set[type]) -> str:
    """Return the type from which such objects are made again, unless it is the default."""
    for form, accepted in (("Decimal", Decimal), ("float", (float, np.floating))):
        if all(issubclass(kind, accepted) for kind in types):
            return form
    return ""


def _form_of_times(name: str, times: list[Any]) -> str:
    """Return ``date`` for days, else ``datetime`` with its unit and zone."""
    if not any(isinstance(time, datetime | np.datetime64) for time in times):
        return "date"
    zones = {getattr(time, "tzinfo", None) for time in times}
    if zones == {None}:
        return "datetime[us]"
    if None in zones:
        raise mixed_zones(name)
    names = {zone_name(zone) for zone in zones}
    return f"datetime[us, {names.pop() if len(names) == 1 else 'UTC'}]"
