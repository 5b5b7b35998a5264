"""Building and filling 2-D NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.errors import SchemaError
from softlearn.table.backend import Gap, default_dtype, level_codes, numbers_within
from softlearn.table.column import Column, Level
from softlearn.table.storage import form_of
from softlearn.table.times import counts_from_seconds, moments, unit_of

_WIDEST = 4 * 1_000  # bytes of a cell of text, four a letter; wider texts are Python objects
_HELD = "biufUOM"  # NumPy's letters for the dtypes that can be read


def dtype_text(dtype: np.dtype[Any]) -> str:
    """Return the dtype's name."""
    return str(dtype)


def declared_levels(column: AnyArray) -> list[Level]:
    """Return None: NumPy has no dtype for categories."""
    return []


def native_dtype(column: Column) -> np.dtype[Any]:
    """Return the dtype that a column remembers."""
    dtype = np.dtype(column.dtype) if column.dtype else default_dtype(column)
    if dtype.kind not in _HELD:
        raise SchemaError(f"column {column.name!r} cannot be stored as {column.dtype}")
    # NumPy allocates the widest size for every cell: a few bytes in a model file could request
    # gigabytes.
    return np.dtype(object) if dtype.kind == "U" and dtype.itemsize > _WIDEST else dtype


def build_column(column: Column, values: Floats, dtype: np.dtype[Any]) -> AnyArray:
    """Return one column's cells in the dtype.

    If a cell is missing and the dtype cannot say so, integers and booleans become floats, text
    becomes objects.
    """
    missing = np.isnan(values)
    if column.is_discrete:
        return _take_levels(column, values, dtype)
    if dtype.kind == "O":
        return _objects(column, values, missing)
    if column.kind == "datetime":
        counts = counts_from_seconds(values, unit_of(str(dtype)))
        times: AnyArray = counts.astype(dtype)
        times[missing] = np.datetime64("NaT")
        return times
    numbers = numbers_within(column, values, dtype)
    return numbers if dtype.kind in "iu" and missing.any() else numbers.astype(dtype)


def fill_column(frame: AnyArray, gap: Gap) -> AnyArray:
    """Return one of the array's columns with its gap filled."""
    cells = frame[:, gap.position].copy()
    cells[gap.fills] = build_column(gap.column, gap.values[gap.fills], frame.dtype)
    return cells


def join_columns(names: Sequence[str], columns: Sequence[AnyArray]) -> AnyArray:
    """Return an array of shape (rows, columns); columns without a common dtype become objects."""
    is_mixed = len({array.dtype.kind in "UOM" for array in columns}) > 1
    return np.stack([array.astype(object) if is_mixed else array for array in columns], axis=1)


def replace_columns(frame: AnyArray, columns: Mapping[int, AnyArray]) -> AnyArray:
    """Return a copy of the array with these columns replaced."""
    replaced = frame.copy()
    for position, cells in columns.items():
        replaced[:, position] = cells
    return replaced


def _take_levels(column: Column, values: Floats, dtype: np.dtype[Any]) -> AnyArray:
    codes = level_codes(column, values)
    if dtype.kind == "O" or (dtype.kind == "U" and (codes < 0).any()):
        make = _MAKERS.get(form_of(column.dtype))
        objects = map(make, column.levels) if make else column.levels
        return np.array([*objects, None], dtype=object)[codes]
    levels = np.array(column.levels)
    if (codes < 0).any():  # booleans, integers and floats: NaN needs a float
        wide = np.result_type(dtype, np.float16 if dtype.kind == "f" else np.float64)
        return np.append(levels.astype(wide), wide.type(np.nan))[codes]
    return levels.astype(dtype)[codes]


def _objects(column: Column, values: Floats, missing: AnyArray) -> AnyArray:
    """Return Python objects of the type that the column remembers; None where one is missing."""
    cells = np.full(values.shape, None, dtype=object)
    if column.kind == "datetime":
        cells[~missing] = moments(values[~missing], column.dtype)
        return cells
    usual = int if column.kind == "integer" else float
    make = _MAKERS.get(form_of(column.dtype), usual)
    cells[~missing] = [
        make(round(cell) if usual is int else cell) for cell in values[~missing].tolist()
    ]
    return cells


def _decimal(number: float) -> Decimal:
    return Decimal(repr(number))  # as it is printed: 0.1, not the 55 digits of its float


_MAKERS: dict[str, Callable[[Any], object]] = {"Decimal": _decimal, "float": float}
