"""Building and filling pandas data frames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.table import on_numpy, on_pyarrow
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
from softlearn.table.times import counts_from_seconds, unit_of

_ARROW = re.compile(r"arrow\[(.+)\]")
_CATEGORY = re.compile(r"category\[(.+?)(, ordered)?\]")


def dtype_text(dtype: NativeDtype) -> str:
    """Return text from which the dtype can be restored; ``str(dtype)`` is not always enough."""
    pd = _pandas()
    if isinstance(dtype, pd.CategoricalDtype):
        inner = dtype_text(dtype.categories.dtype)
        return f"category[{inner}{', ordered' if dtype.ordered else ''}]"
    if isinstance(dtype, pd.ArrowDtype):
        return f"arrow[{on_pyarrow.dtype_text(dtype.pyarrow_dtype)}]"
    if isinstance(dtype, pd.StringDtype) and dtype.na_value is pd.NA:
        return f"string[{dtype.storage}]"
    return str(dtype)


def declared_levels(column: NativeColumn) -> list[Level]:
    """Return the categories that the column's dtype promises, in its order."""
    pd = _pandas()
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.dtype.categories.tolist())
    return []


def positions_of_categories(series: NativeColumn, levels: Sequence[Level]) -> Floats:
    """Return the position of each cell's category among the levels, NaN where it is missing."""
    position = {level: float(i) for i, level in enumerate(levels)}
    of_category = [position.get(category, np.nan) for category in series.array.categories]
    codes: AnyArray = series.array.codes  # the code of a missing cell is −1
    return np.array([*of_category, np.nan])[codes]


def native_dtype(column: Column) -> NativeDtype:
    """Return the dtype that a column remembers."""
    if column.dtype:
        return _parse_dtype(column.dtype, column.levels)
    default = default_dtype(column)
    return _parse_dtype("str" if default.kind == "O" else str(default), ())


def build_column(column: Column, values: Floats, dtype: NativeDtype) -> NativeColumn:
    """Return one column's cells as a pandas array of the dtype.

    Plain integers and booleans become pandas' nullable ones if a cell is missing.
    """
    pd = _pandas()
    if isinstance(dtype, pd.ArrowDtype):
        array = on_pyarrow.build_column(column, values, dtype.pyarrow_dtype)
        return pd.arrays.ArrowExtensionArray(array)
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return on_numpy.build_column(column, values, dtype)
    missing = np.isnan(values)
    if missing.any() and dtype.kind in "biu":
        dtype = _nullable(dtype)
    if column.is_discrete:
        return _take_levels(column, values, dtype)
    if column.kind == "datetime":
        return _times(values, dtype)
    limits = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    numbers = np.nan_to_num(numbers_within(column, values, limits)).astype(limits)
    array = pd.array(numbers, dtype=dtype, copy=True)
    if missing.any():
        array[missing] = pd.NA if hasattr(dtype, "numpy_dtype") else np.nan
    return array


def fill_column(frame: NativeFrame, gap: Gap) -> NativeColumn:
    """Return one of the frame's columns, without its index, with its gap filled."""
    series = frame.iloc[:, gap.position]
    cells = series.array.copy()
    cells[gap.fills] = build_column(gap.column, gap.values[gap.fills], series.dtype)
    return cells


def join_columns(names: Sequence[str], columns: Sequence[NativeColumn]) -> NativeFrame:
    """Return a frame of these columns, numbered from 0."""
    pd = _pandas()
    # With an explicit dtype, because pandas converts an array of objects that are all text.
    series = [pd.Series(cells, dtype=cells.dtype) for cells in columns]
    return pd.DataFrame(dict(zip(names, series, strict=True)))


def replace_columns(frame: NativeFrame, columns: Mapping[int, NativeColumn]) -> NativeFrame:
    """Return a copy of the frame with these columns replaced; the index stays."""
    replaced = frame.copy()
    for position, cells in columns.items():
        series = _pandas().Series(cells, index=frame.index, dtype=cells.dtype)
        replaced[frame.columns[position]] = series
    return replaced


def _take_levels(column: Column, values: Floats, dtype: NativeDtype) -> NativeColumn:
    pd = _pandas()
    codes = level_codes(column, values)
    plain = np.array(column.levels, dtype=default_dtype(column))
    if isinstance(dtype, pd.CategoricalDtype):
        levels = pd.Categorical.from_codes(dtype.categories.get_indexer(plain), dtype=dtype)
    else:
        levels = pd.Series(plain).astype(dtype).array
    require_levels(column, codes, np.asarray(pd.isna(levels)))
    return levels.take(codes, allow_fill=True)


def _times(values: Floats, dtype: NativeDtype) -> NativeColumn:
    pd = _pandas()
    unit = unit_of(str(dtype))
    times = counts_from_seconds(values, unit).astype(f"M8[{unit}]")
    times[np.isnan(values)] = np.datetime64("NaT")
    zone = getattr(dtype, "tz", None)
    index = pd.DatetimeIndex(times)
    return (index.tz_localize("UTC").tz_convert(zone) if zone else index).array


def _parse_dtype(text: str, levels: tuple[Level, ...]) -> NativeDtype:
    pd = _pandas()
    if found := _CATEGORY.fullmatch(text):
        categories = pd.Index(list(levels), dtype=_parse_dtype(found[1], ()))
        return pd.CategoricalDtype(categories, ordered=bool(found[2]))
    if found := _ARROW.fullmatch(text):
        return pd.ArrowDtype(on_pyarrow.parse_dtype(found[1]))
    return pd.api.types.pandas_dtype(text)


def _nullable(dtype: NativeDtype) -> NativeDtype:
    """Return the pandas dtype that adds missing cells to a plain NumPy one."""
    if not isinstance(dtype, np.dtype):
        return dtype
    name = str(dtype)
    nullable = "boolean" if name == "bool" else name.replace("i", "I", 1).replace("u", "U", 1)
    return _pandas().api.types.pandas_dtype(nullable)


def _pandas() -> Library:
    try:
        import pandas  # noqa: PLC0415 - loaded only when such a frame is met
    except ImportError:
        raise missing_library("pandas") from None
    return pandas
