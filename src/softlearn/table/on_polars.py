"""Building and filling polars data frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError
from softlearn.table.column import Column
from softlearn.table.schema import Schema
from softlearn.table.times import counts_from_seconds, unit_of, zone_of
from softlearn.table.wing import Gap, default_dtype, level_codes, missing_library, numbers_within

_DECIMAL = re.compile(r"Decimal\[(\d+), (\d+)\]")
_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
_PLAIN = (*_INTEGERS, "Float32", "Float64", "Boolean", "String", "Categorical", "Date")


def dtype_text(dtype: Any) -> str:  # noqa: ANN401 - polars need not be installed
    """Return the dtype's name and parameters; the categories of an Enum are the column's levels."""
    pl = _polars()
    if dtype == pl.Datetime:
        return f"Datetime[{dtype.time_unit}{f', {dtype.time_zone}' if dtype.time_zone else ''}]"
    if dtype == pl.Decimal:
        return f"Decimal[{dtype.precision}, {dtype.scale}]"
    return type(dtype).__name__


def build_frame(schema: Schema, values: Floats) -> Any:  # noqa: ANN401
    """Return a polars DataFrame of the remembered dtypes."""
    pl = _polars()
    return pl.DataFrame(
        [
            build_series(column, row, native_dtype(column))
            for column, row in zip(schema, values, strict=True)
        ]
    )


def fill_frame(frame: Any, gaps: Sequence[Gap]) -> Any:  # noqa: ANN401
    """Return a frame with its gaps filled."""
    pl = _polars()
    filled = []
    for gap in gaps:
        series = frame[gap.column.name]
        dtype = native_dtype(gap.column) if gap.retypes else series.dtype
        built = build_series(gap.column, gap.values, dtype)
        fills = pl.Series(gap.missing & ~np.isnan(gap.values))
        filled.append(built if gap.retypes else built.zip_with(fills, series))
    return frame.with_columns(filled)


def native_dtype(column: Column) -> Any:  # noqa: ANN401
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


def build_series(column: Column, values: Floats, dtype: Any) -> Any:  # noqa: ANN401
    """Return one column's cells as a polars Series of the dtype."""
    pl = _polars()
    if column.is_discrete:
        codes = level_codes(column, values)
        positions = pl.Series(np.where(codes < 0, np.nan, codes), nan_to_null=True)
        levels = pl.Series(column.name, list(column.levels)).cast(dtype)
        return levels.gather(positions.cast(pl.UInt32))
    if column.kind == "datetime":
        counts = pl.Series(column.name, counts_from_seconds(values, unit_of(dtype_text(dtype))))
        known = pl.Series(~np.isnan(values))
        return counts.zip_with(known, pl.Series([None], dtype=pl.Int64)).cast(dtype)
    name = type(dtype).__name__.lower()
    limits = np.dtype(name if dtype.is_integer() or dtype.is_float() else "float64")
    numbers = numbers_within(column, values, limits)
    return pl.Series(column.name, numbers, nan_to_null=True).cast(dtype)


def _default_text(column: Column) -> str:
    names = {"b": "Boolean", "i": "Int64", "f": "Float64", "O": "String", "M": "Datetime[us]"}
    return names[default_dtype(column).kind]


def _polars() -> Any:  # noqa: ANN401
    try:
        import polars
    except ImportError:
        raise missing_library("polars") from None
    return polars
