"""Building and filling 2-D NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.errors import SchemaError
from softlearn.table.column import Column
from softlearn.table.schema import Schema
from softlearn.table.times import counts_from_seconds, unit_of
from softlearn.table.wing import Gap, default_dtype, level_codes, numbers_within

_HELD = "biufUOM"  # NumPy's letters for the dtypes that can be read


def dtype_text(dtype: np.dtype[Any]) -> str:
    """Return the dtype's name."""
    return str(dtype)


def build_frame(schema: Schema, values: Floats) -> AnyArray:
    """Return an array of shape (rows, columns) of the remembered dtype.

    A dtype that cannot hold missing cells widens: integers and booleans to float, text to object.
    """
    columns = [
        build_column(column, row, native_dtype(column))
        for column, row in zip(schema, values, strict=True)
    ]
    is_mixed = len({array.dtype.kind in "UOM" for array in columns}) > 1
    return np.stack([array.astype(object) if is_mixed else array for array in columns], axis=1)


def fill_frame(frame: AnyArray, gaps: Sequence[Gap]) -> AnyArray:
    """Return a copy of the array with its gaps filled."""
    filled = frame.copy()
    for gap in gaps:
        position = int(gap.column.name)
        known = gap.missing & ~np.isnan(gap.values)
        filled[known, position] = build_column(gap.column, gap.values[known], frame.dtype)
    return filled


def native_dtype(column: Column) -> np.dtype[Any]:
    """Return the dtype that a column remembers."""
    dtype = np.dtype(column.dtype) if column.dtype else default_dtype(column)
    if dtype.kind not in _HELD:
        raise SchemaError(f"column {column.name!r} cannot be stored as {column.dtype}")
    return dtype


def build_column(column: Column, values: Floats, dtype: np.dtype[Any]) -> AnyArray:
    """Return one column's cells in the dtype, or in the nearest one that can hold them."""
    missing = np.isnan(values)
    if column.is_discrete:
        return _take_levels(column, values, dtype)
    if column.kind == "datetime":
        counts = counts_from_seconds(values, unit_of(str(dtype)))
        times: AnyArray = counts.astype(dtype)
        times[missing] = np.datetime64("NaT")
        return times
    if dtype.kind == "O":
        return _objects(column, values, missing)
    numbers = numbers_within(column, values, dtype)
    return numbers if dtype.kind in "iu" and missing.any() else numbers.astype(dtype)


def _take_levels(column: Column, values: Floats, dtype: np.dtype[Any]) -> AnyArray:
    codes = level_codes(column, values)
    if dtype.kind == "O" or (dtype.kind == "U" and (codes < 0).any()):
        return np.array([*column.levels, None], dtype=object)[codes]
    levels = np.array(column.levels)
    if (codes < 0).any():  # booleans, integers and floats: NaN needs a float
        wide = np.result_type(dtype, np.float16 if dtype.kind == "f" else np.float64)
        return np.append(levels.astype(wide), np.nan)[codes]
    return levels.astype(dtype)[codes]


def _objects(column: Column, values: Floats, missing: AnyArray) -> AnyArray:
    cells = np.array(np.rint(values) if column.kind == "integer" else values, dtype=object)
    if column.kind == "integer":
        cells[~missing] = [int(cell) for cell in cells[~missing]]
    cells[missing] = None
    return cells
