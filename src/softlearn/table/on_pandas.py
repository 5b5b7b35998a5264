"""Building and filling pandas data frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import TableError
from softlearn.table import on_numpy, on_pyarrow
from softlearn.table.column import Column, Level
from softlearn.table.schema import Schema
from softlearn.table.times import counts_from_seconds, unit_of
from softlearn.table.wing import Gap, default_dtype, level_codes, missing_library, numbers_within

_ARROW = re.compile(r"arrow\[(.+)\]")
_CATEGORY = re.compile(r"category\[(.+?)(, ordered)?\]")


def dtype_text(dtype: Any) -> str:  # noqa: ANN401 - pandas need not be installed
    """Return text from which the dtype can be made again; pandas' own is not always enough."""
    pd = _pandas()
    if isinstance(dtype, pd.CategoricalDtype):
        inner = dtype_text(dtype.categories.dtype)
        return f"category[{inner}{', ordered' if dtype.ordered else ''}]"
    if isinstance(dtype, pd.ArrowDtype):
        return f"arrow[{on_pyarrow.dtype_text(dtype.pyarrow_dtype)}]"
    if isinstance(dtype, pd.StringDtype) and dtype.na_value is pd.NA:
        return f"string[{dtype.storage}]"
    return str(dtype)


def build_frame(schema: Schema, values: Floats) -> Any:  # noqa: ANN401
    """Return a pandas DataFrame of the remembered dtypes, numbered from 0."""
    pd = _pandas()
    return pd.DataFrame(
        {
            column.name: build_array(column, row, native_dtype(column))
            for column, row in zip(schema, values, strict=True)
        }
    )


def fill_frame(frame: Any, gaps: Sequence[Gap]) -> Any:  # noqa: ANN401
    """Return a copy of the frame with its gaps filled; the index stays."""
    pd = _pandas()
    filled = frame.copy()
    for gap in gaps:
        series = frame[gap.column.name]
        if gap.retypes:
            cells = build_array(gap.column, gap.values, native_dtype(gap.column))
        else:
            cells = series.array.copy()
            known = gap.missing & ~np.isnan(gap.values)
            cells[known] = build_array(gap.column, gap.values[known], series.dtype)
        filled[gap.column.name] = pd.Series(cells, index=frame.index, copy=False)
    return filled


def native_dtype(column: Column) -> Any:  # noqa: ANN401
    """Return the dtype that a column remembers."""
    if column.dtype:
        return _parse_dtype(column.dtype, column.levels)
    default = default_dtype(column)
    return _parse_dtype("str" if default == object else str(default), ())


def build_array(column: Column, values: Floats, dtype: Any) -> Any:  # noqa: ANN401
    """Return one column's cells as a pandas array of the dtype.

    Plain integers and booleans become pandas' nullable ones if a cell is missing.
    """
    pd = _pandas()
    if isinstance(dtype, pd.ArrowDtype):
        array = on_pyarrow.build_array(column, values, dtype.pyarrow_dtype)
        return pd.arrays.ArrowExtensionArray(array)
    if dtype == object:
        return on_numpy.build_column(column, values, dtype)
    missing = np.isnan(values)
    if missing.any() and getattr(dtype, "kind", "") in "biu":
        dtype = _nullable(dtype)
    if column.is_discrete:
        levels = _level_array(column, dtype)
        return pd.api.extensions.take(levels, level_codes(column, values), allow_fill=True)
    if column.kind == "datetime":
        return _times(values, dtype)
    limits = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    numbers = np.nan_to_num(numbers_within(column, values, limits)).astype(limits)
    array = pd.array(numbers, dtype=dtype, copy=True)
    if missing.any():
        array[missing] = pd.NA if hasattr(dtype, "numpy_dtype") else np.nan
    return array


def _level_array(column: Column, dtype: Any) -> Any:  # noqa: ANN401
    """Return the levels as an array of the dtype, which must hold every one of them."""
    pd = _pandas()
    plain = np.array(column.levels, dtype=default_dtype(column))
    levels = pd.Series(plain).astype(dtype).array
    if pd.isna(levels).any():
        level = column.levels[int(np.argmax(pd.isna(levels)))]
        raise TableError(
            f"column {column.name!r}: the frame's categories lack {level!r}; add it with "
            ".cat.add_categories"
        )
    return levels


def _times(values: Floats, dtype: Any) -> Any:  # noqa: ANN401
    pd = _pandas()
    unit = unit_of(str(dtype))
    times = counts_from_seconds(values, unit).astype(f"M8[{unit}]")
    times[np.isnan(values)] = np.datetime64("NaT")
    zone = getattr(dtype, "tz", None)
    index = pd.DatetimeIndex(times)
    return (index.tz_localize("UTC").tz_convert(zone) if zone else index).array


def _parse_dtype(text: str, levels: tuple[Level, ...]) -> Any:  # noqa: ANN401
    pd = _pandas()
    if found := _CATEGORY.fullmatch(text):
        categories = pd.Index(list(levels), dtype=_parse_dtype(found[1], ()))
        return pd.CategoricalDtype(categories, ordered=bool(found[2]))
    if found := _ARROW.fullmatch(text):
        return pd.ArrowDtype(on_pyarrow.parse_dtype(found[1]))
    return pd.api.types.pandas_dtype(text)


def _nullable(dtype: Any) -> Any:  # noqa: ANN401
    """Return the pandas dtype that adds missing cells to a plain NumPy one."""
    if not isinstance(dtype, np.dtype):
        return dtype
    name = str(dtype)
    nullable = "boolean" if name == "bool" else name.replace("i", "I", 1).replace("u", "U", 1)
    return _pandas().api.types.pandas_dtype(nullable)


def _pandas() -> Any:  # noqa: ANN401
    try:
        import pandas
    except ImportError:
        raise missing_library("pandas") from None
    return pandas
