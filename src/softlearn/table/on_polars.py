"""Building and filling polars data frames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError
from softlearn.table.backend import (
    Gap,
    Library,
    NativeColumn,
    NativeDtype,
    NativeFrame,
    default_dtype,
    level_codes,
    missing_library,
    numbers_within,
    require_levels,
)
from softlearn.table.column import Column, Level
from softlearn.table.times import counts_from_seconds, unit_of, zone_of

_DECIMAL = re.compile(r"Decimal\[(\d+), (\d+)\]")
_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
_FLOATS = ("Float16", "Float32", "Float64")
_PLAIN = (*_INTEGERS, *_FLOATS, "Int128", "Boolean", "String", "Categorical", "Date")


def dtype_text(dtype: NativeDtype) -> str:
    """Return the dtype's name and parameters; the categories of an Enum are the column's levels."""
    pl = _polars()
    if dtype == pl.Datetime:
        return f"Datetime[{dtype.time_unit}{f', {dtype.time_zone}' if dtype.time_zone else ''}]"
    if dtype == pl.Decimal:
        return f"Decimal[{dtype.precision}, {dtype.scale}]"
    return type(dtype).__name__


def declared_levels(column: NativeColumn) -> list[Level]:
    """Return the categories of an Enum; a Categorical promises none."""
    is_enum = column.dtype == _polars().Enum
    return list(column.dtype.categories) if is_enum else []


def native_dtype(column: Column) -> NativeDtype:
    """Return the dtype that a column remembers."""
    pl = _polars()
    text = column.dtype or _default_text(column)
    if text == "Enum":
        return pl.Enum(list(column.levels))
    if text.startswith("Datetime["):
        return pl.Datetime(unit_of(text), zone_of(text))
    if found := _DECIMAL.fullmatch(text):
        return pl.Decimal(int(found[1]), int(found[2]))
    if text not in _PLAIN:
        raise SchemaError(f"column {column.name!r} cannot be stored as {text} by polars")
    return getattr(pl, text)()


def build_column(column: Column, values: Floats, dtype: NativeDtype) -> NativeColumn:
    """Return one column's cells as a polars Series of the dtype."""
    pl = _polars()
    if column.is_discrete:
        return _take_levels(column, values, dtype)
    if column.kind == "datetime":
        counts = pl.Series(column.name, counts_from_seconds(values, unit_of(dtype_text(dtype))))
        known = pl.Series(~np.isnan(values))
        return counts.zip_with(known, pl.Series([None], dtype=pl.Int64)).cast(dtype)
    numbers = numbers_within(column, values, _limits(dtype))
    return pl.Series(column.name, numbers, nan_to_null=True).cast(dtype)


def fill_column(frame: NativeFrame, gap: Gap) -> NativeColumn:
    """Return one of the frame's columns with its gap filled."""
    series = frame.to_series(gap.position)
    built = build_column(gap.column, gap.values, series.dtype)
    return built.zip_with(_polars().Series(gap.fills), series)


def join_columns(names: Sequence[str], columns: Sequence[NativeColumn]) -> NativeFrame:
    """Return a frame of these columns."""
    return _polars().DataFrame(dict(zip(names, columns, strict=True)))


def replace_columns(frame: NativeFrame, columns: Mapping[int, NativeColumn]) -> NativeFrame:
    """Return a frame with these columns replaced."""
    names = frame.columns
    return frame.with_columns([cells.alias(names[place]) for place, cells in columns.items()])


def _take_levels(column: Column, values: Floats, dtype: NativeDtype) -> NativeColumn:
    pl = _polars()
    codes = level_codes(column, values)
    levels = pl.Series(column.name, list(column.levels)).cast(dtype, strict=False)
    require_levels(column, codes, levels.is_null().to_numpy())
    positions = pl.Series(np.where(codes < 0, np.nan, codes), nan_to_null=True)
    return levels.gather(positions.cast(pl.UInt32))


def _limits(dtype: NativeDtype) -> np.dtype[Any]:
    """Return the NumPy dtype of the same range; 64 bits for the wider ones and for decimals."""
    name = type(dtype).__name__
    if name in (*_INTEGERS, *_FLOATS):
        return np.dtype(name.lower())
    return np.dtype(np.int64 if dtype.is_integer() else np.float64)


def _default_text(column: Column) -> str:
    names = {"b": "Boolean", "i": "Int64", "f": "Float64", "O": "String", "M": "Datetime[us]"}
    return names[default_dtype(column).kind]


def _polars() -> Library:
    try:
        import polars  # noqa: PLC0415 - loaded only when such a frame is met
    except ImportError:
        raise missing_library("polars") from None
    return polars
