"""Building and filling pyarrow tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from softlearn.arrays import Floats
from softlearn.table.column import Column
from softlearn.table.schema import Schema
from softlearn.table.times import counts_from_seconds, unit_of
from softlearn.table.wing import Gap, default_dtype, level_codes, missing_library, numbers_within

_DICTIONARY = re.compile(r"dictionary<values=(.+), indices=(\w+), ordered=([01])>")
_ZONED = re.compile(r"timestamp\[(\w+), tz=(.+)\]")
_DECIMAL = re.compile(r"decimal(128|256)\((\d+), (-?\d+)\)")


def dtype_text(dtype: Any) -> str:  # noqa: ANN401 - pyarrow has no types
    """Return pyarrow's own text for the type."""
    return str(dtype)


def build_frame(schema: Schema, values: Floats) -> Any:  # noqa: ANN401
    """Return a pyarrow Table of the remembered types."""
    pa = _pyarrow()
    arrays = [
        build_array(column, row, native_dtype(column))
        for column, row in zip(schema, values, strict=True)
    ]
    return pa.table(dict(zip(schema.names, arrays, strict=True)))


def fill_frame(frame: Any, gaps: Sequence[Gap]) -> Any:  # noqa: ANN401
    """Return a table with its gaps filled; other columns are shared, as tables never change."""
    for gap in gaps:
        position = frame.schema.get_field_index(gap.column.name)
        field = frame.schema.field(position)
        if gap.retypes:
            dtype = native_dtype(gap.column)
            filled = build_array(gap.column, gap.values, dtype)
            frame = frame.set_column(position, field.with_type(dtype), filled)
        else:
            frame = frame.set_column(position, field, _filled(frame.column(position), gap))
    return frame


def native_dtype(column: Column) -> Any:  # noqa: ANN401
    """Return the type that a column remembers."""
    if column.dtype:
        return parse_dtype(column.dtype)
    default = default_dtype(column)
    return _pyarrow().string() if default == object else _pyarrow().from_numpy_dtype(default)


def parse_dtype(text: str) -> Any:  # noqa: ANN401
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


def build_array(column: Column, values: Floats, dtype: Any) -> Any:  # noqa: ANN401
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


def _take_levels(column: Column, values: Floats, dtype: Any) -> Any:  # noqa: ANN401
    pa = _pyarrow()
    codes = level_codes(column, values)
    positions = pa.array(codes, mask=codes < 0)
    if not pa.types.is_dictionary(dtype):
        return pa.array(column.levels).cast(dtype).take(positions)
    levels = pa.array(column.levels).cast(dtype.value_type)
    indices = positions.cast(dtype.index_type)
    return pa.DictionaryArray.from_arrays(indices, levels, ordered=dtype.ordered)


def _filled(cells: Any, gap: Gap) -> Any:  # noqa: ANN401
    pa = _pyarrow()
    dtype = cells.type
    known = gap.missing & ~np.isnan(gap.values)
    if not pa.types.is_dictionary(dtype):
        values = build_array(gap.column, gap.values, dtype)
        return pa.compute.if_else(pa.array(known), values, cells)
    joined = cells.unify_dictionaries().combine_chunks()
    positions = pa.compute.index_in(
        pa.array(gap.column.levels).cast(dtype.value_type), joined.dictionary
    )
    new = positions.take(pa.array(np.where(known, gap.values, 0).astype(np.int64)))
    indices = pa.compute.if_else(pa.array(known), new.cast(dtype.index_type), joined.indices)
    return pa.DictionaryArray.from_arrays(indices, joined.dictionary, ordered=dtype.ordered)


def _pyarrow() -> Any:  # noqa: ANN401
    try:
        import pyarrow.compute
    except ImportError:
        raise missing_library("pyarrow") from None
    return pyarrow
