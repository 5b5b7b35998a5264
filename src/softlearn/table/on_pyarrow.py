"""Building and filling pyarrow tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from softlearn.arrays import Floats
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
)
from softlearn.table.column import Column, Level
from softlearn.table.times import counts_from_seconds, unit_of

_DICTIONARY = re.compile(r"dictionary<values=(.+), indices=(\w+), ordered=([01])>")
_ZONED = re.compile(r"timestamp\[(\w+), tz=(.+)\]")
_DECIMAL = re.compile(r"decimal(128|256)\((\d+), (-?\d+)\)")


def dtype_text(dtype: NativeDtype) -> str:
    """Return pyarrow's own text for the type."""
    return str(dtype)


def declared_levels(column: NativeColumn) -> list[Level]:
    """Return the dictionary of a dictionary column."""
    if not _pyarrow().types.is_dictionary(column.type) or not column.num_chunks:
        return []
    dictionary = column.unify_dictionaries().chunk(0).dictionary
    return list(dictionary.unique().drop_null().to_pylist())


def native_dtype(column: Column) -> NativeDtype:
    """Return the type that a column remembers."""
    if column.dtype:
        return parse_dtype(column.dtype)
    default = default_dtype(column)
    return _pyarrow().string() if default.kind == "O" else _pyarrow().from_numpy_dtype(default)


def parse_dtype(text: str) -> NativeDtype:
    """Return the type that ``dtype_text`` wrote down."""
    pa = _pyarrow()
    if found := _DICTIONARY.fullmatch(text):
        return pa.dictionary(parse_dtype(found[2]), parse_dtype(found[1]), found[3] == "1")
    if found := _ZONED.fullmatch(text):
        return pa.timestamp(found[1], found[2])
    if found := _DECIMAL.fullmatch(text):
        decimal = pa.decimal128 if found[1] == "128" else pa.decimal256
        return decimal(int(found[2]), int(found[3]))
    return pa.type_for_alias(text)


def build_column(column: Column, values: Floats, dtype: NativeDtype) -> NativeColumn:
    """Return one column's cells as a pyarrow Array of the type."""
    pa = _pyarrow()
    missing = np.isnan(values)
    if column.is_discrete:
        return _take_levels(column, values, dtype)
    if column.kind == "datetime":
        counts = counts_from_seconds(values, unit_of(str(dtype)))
        width = pa.int32() if dtype == pa.date32() else pa.int64()
        return pa.array(counts, mask=missing).cast(width).cast(dtype)
    if pa.types.is_decimal(dtype):
        numbers = numbers_within(column, values, np.dtype(np.float64))
    else:
        numbers = numbers_within(column, values, np.dtype(dtype.to_pandas_dtype()))
    return pa.array(numbers, mask=missing).cast(dtype)


def fill_column(frame: NativeFrame, gap: Gap) -> NativeColumn:
    """Return one of the table's columns with its gap filled."""
    pa = _pyarrow()
    cells = frame.column(gap.position)
    fills = pa.array(gap.fills)
    if not pa.types.is_dictionary(cells.type):
        values = build_column(gap.column, gap.values, cells.type)
        return pa.compute.if_else(fills, values, cells)
    joined = cells.unify_dictionaries().combine_chunks()
    levels = _levels(gap.column, cells.type.value_type)
    # A dictionary is not part of the type: it may grow by the levels that it lacks.
    new_levels = levels.filter(pa.compute.invert(pa.compute.is_in(levels, joined.dictionary)))
    dictionary = pa.concat_arrays([joined.dictionary, new_levels])
    codes = np.where(gap.fills, gap.values, 0).astype(np.int64)
    places = pa.compute.index_in(levels, dictionary).take(pa.array(codes))
    indices = pa.compute.if_else(fills, places.cast(cells.type.index_type), joined.indices)
    return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=cells.type.ordered)


def join_columns(names: Sequence[str], columns: Sequence[NativeColumn]) -> NativeFrame:
    """Return a table of these columns."""
    return _pyarrow().table(list(columns), names=list(names))


def replace_columns(frame: NativeFrame, columns: Mapping[int, NativeColumn]) -> NativeFrame:
    """Return a table with these columns replaced; a field's metadata stays."""
    for position, cells in columns.items():
        field = frame.schema.field(position).with_type(cells.type)
        frame = frame.set_column(position, field, cells)
    return frame


def _take_levels(column: Column, values: Floats, dtype: NativeDtype) -> NativeColumn:
    pa = _pyarrow()
    codes = level_codes(column, values)
    positions = pa.array(codes, mask=codes < 0)
    if not pa.types.is_dictionary(dtype):
        return _levels(column, dtype).take(positions)
    levels = _levels(column, dtype.value_type)
    indices = positions.cast(dtype.index_type)
    return pa.DictionaryArray.from_arrays(indices, levels, ordered=dtype.ordered)


def _levels(column: Column, dtype: NativeDtype) -> NativeColumn:
    pa = _pyarrow()
    levels = pa.array(column.levels)
    # Integers are cast to decimals only if all 64 bits would fit.
    return (levels.cast(pa.float64()) if pa.types.is_decimal(dtype) else levels).cast(dtype)


def _pyarrow() -> Library:
    try:
        import pyarrow.compute  # noqa: PLC0415 - loaded only when such a frame is met
    except ImportError:
        raise missing_library("pyarrow") from None
    return pyarrow
