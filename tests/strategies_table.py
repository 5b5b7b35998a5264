"""Hypothesis strategies: schemas, and frames of every library and dtype with missing cells."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from softlearn.table import Column, Schema
from softlearn.table.value import is_missing

PARIS = ZoneInfo("Europe/Paris")
LIBRARIES = ("pandas", "polars", "pyarrow")
LABELS = ["b", "a", "c c", "é", ""]

names = st.text(min_size=1, max_size=6)
labels = st.sampled_from(LABELS)
small = st.integers(0, 100)
large = st.integers(-(2**53), 2**53)
singles = st.floats(width=32, allow_nan=False, allow_infinity=False)
doubles = st.floats(allow_nan=False, allow_infinity=False)
days = st.dates(dt.date(1900, 1, 1), dt.date(2200, 1, 1))
seconds = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1)).map(
    lambda time: time.replace(microsecond=0)
)
micros = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1))
paris_seconds = seconds.map(lambda time: time.replace(tzinfo=dt.UTC).astimezone(PARIS))
cents = st.integers(-9999, 9999).map(lambda number: pa.scalar(number / 100).as_py())
iso_days = days.map(dt.date.isoformat)
iso_minutes = seconds.map(lambda time: time.isoformat(" ", "minutes"))
iso_micros = micros.map(lambda time: time.isoformat(timespec="microseconds"))
iso_zulu = seconds.map(lambda time: f"{time.isoformat()}Z")
decimals = st.integers(-9999, 9999).map(lambda number: Decimal(number) / 4)


@dataclass(frozen=True)
class Stored:
    """A dtype of a library, the cells it may hold, and whether one of them may be missing."""

    dtype: Any
    cells: st.SearchStrategy[Any]
    may_miss: bool = True


PANDAS = {
    "bool": Stored("bool", st.booleans(), may_miss=False),
    "boolean": Stored("boolean", st.booleans()),
    "object bool": Stored(object, st.booleans()),
    "object text": Stored(object, labels),
    "object integers": Stored(object, large),
    "object decimals": Stored(object, decimals),
    "object whole decimals": Stored(object, small.map(Decimal)),
    "object days": Stored(object, days),
    "object times": Stored(object, micros),
    "object Paris": Stored(object, paris_seconds),
    "object ISO days": Stored(object, iso_days),
    "ISO days": Stored("str", iso_days),
    "ISO minutes": Stored("string[python]", iso_minutes),
    "ISO microseconds": Stored("str", iso_micros),
    "ISO with zone": Stored(pd.ArrowDtype(pa.string()), iso_zulu),
    "int32": Stored("int32", small, may_miss=False),
    "int64": Stored("int64", large, may_miss=False),
    "Int64": Stored("Int64", large),
    "UInt8": Stored("UInt8", small),
    "float32": Stored("float32", singles),
    "float64": Stored("float64", doubles),
    "float64 whole": Stored("float64", small.map(float)),
    "float64 truths": Stored("float64", st.sampled_from([0.0, 1.0])),
    "Float64": Stored("Float64", doubles),
    "str": Stored("str", labels),
    "string[python]": Stored("string[python]", labels),
    "string[pyarrow]": Stored("string[pyarrow]", labels),
    "category": Stored(pd.CategoricalDtype(LABELS), labels),
    "ordered": Stored(pd.CategoricalDtype(LABELS, ordered=True), labels),
    "category of integers": Stored(pd.CategoricalDtype([3, 1, 2]), st.integers(1, 3)),
    "category of whole floats": Stored(
        pd.CategoricalDtype([3.0, 1.0, 2.0]), st.sampled_from([1.0, 2.0, 3.0])
    ),
    "category of booleans": Stored(pd.CategoricalDtype([True, False]), st.booleans()),
    "datetime64[s]": Stored("datetime64[s]", seconds),
    "datetime64[us]": Stored("datetime64[us]", micros),
    "datetime64[ns]": Stored("datetime64[ns]", micros),
    "datetime64[us, Europe/Paris]": Stored("datetime64[us, Europe/Paris]", paris_seconds),
    "arrow integers": Stored(pd.ArrowDtype(pa.int16()), small),
    "arrow booleans": Stored(pd.ArrowDtype(pa.bool_()), st.booleans()),
    "arrow text": Stored(pd.ArrowDtype(pa.string()), labels),
    "arrow dates": Stored(pd.ArrowDtype(pa.date32()), days),
    "arrow times": Stored(pd.ArrowDtype(pa.timestamp("us", "Europe/Paris")), paris_seconds),
}
POLARS = {
    "Boolean": Stored(pl.Boolean(), st.booleans()),
    "UInt8": Stored(pl.UInt8(), small),
    "Int64": Stored(pl.Int64(), large),
    "Int128": Stored(pl.Int128(), large),
    "Float32": Stored(pl.Float32(), singles),
    "Float64": Stored(pl.Float64(), doubles),
    "String": Stored(pl.String(), labels),
    "Categorical": Stored(pl.Categorical(), labels),
    "Enum": Stored(pl.Enum(LABELS), labels),
    "Date": Stored(pl.Date(), days),
    "Datetime ms": Stored(pl.Datetime("ms"), seconds),
    "Datetime ns": Stored(pl.Datetime("ns"), micros),
    "Datetime Paris": Stored(pl.Datetime("us", "Europe/Paris"), paris_seconds),
    "Decimal": Stored(pl.Decimal(10, 2), cents),
    "Decimal truths": Stored(pl.Decimal(10, 2), st.sampled_from([0.0, 1.0])),
    "Float64 truths": Stored(pl.Float64(), st.sampled_from([0.0, 1.0])),
    "ISO days": Stored(pl.String(), iso_days),
    "ISO with zone": Stored(pl.String(), iso_zulu),
}
PYARROW = {
    "bool": Stored(pa.bool_(), st.booleans()),
    "uint8": Stored(pa.uint8(), small),
    "int64": Stored(pa.int64(), large),
    "float": Stored(pa.float32(), singles),
    "double": Stored(pa.float64(), doubles),
    "string": Stored(pa.string(), labels),
    "large_string": Stored(pa.large_string(), labels),
    "decimal128": Stored(pa.decimal128(10, 2), small),
    "double truths": Stored(pa.float64(), st.sampled_from([0.0, 1.0])),
    "ISO days": Stored(pa.string(), iso_days),
    "ISO minutes": Stored(pa.large_string(), iso_minutes),
    "halffloat": Stored(pa.float16(), small.map(float)),
    "dictionary": Stored(pa.dictionary(pa.int8(), pa.string(), ordered=True), labels),
    "date32": Stored(pa.date32(), days),
    "timestamp s": Stored(pa.timestamp("s"), seconds),
    "timestamp ns": Stored(pa.timestamp("ns"), micros),
    "timestamp Paris": Stored(pa.timestamp("us", "Europe/Paris"), paris_seconds),
}
STORED = {"pandas": PANDAS, "polars": POLARS, "pyarrow": PYARROW}


def _pandas_frame(columns: dict[str, tuple[Any, list[Any]]]) -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(cells, dtype=dtype) for name, (dtype, cells) in columns.items()}
    )


def _polars_frame(columns: dict[str, tuple[Any, list[Any]]]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            name: pl.Series(cells, dtype=pl.Float64).cast(dtype)
            if dtype == pl.Decimal
            else pl.Series(cells, dtype=dtype)
            for name, (dtype, cells) in columns.items()
        }
    )


def _pyarrow_table(columns: dict[str, tuple[Any, list[Any]]]) -> pa.Table:
    return pa.table({name: _arrow_array(dtype, cells) for name, (dtype, cells) in columns.items()})


def _arrow_array(dtype: Any, cells: list[Any]) -> pa.Array:
    if not pa.types.is_dictionary(dtype):
        return pa.array(cells, type=dtype)
    codes = pa.array([None if cell is None else LABELS.index(cell) for cell in cells], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(LABELS), ordered=dtype.ordered)


BUILD: dict[str, Callable[[dict[str, tuple[Any, list[Any]]]], Any]] = {
    "pandas": _pandas_frame,
    "polars": _polars_frame,
    "pyarrow": _pyarrow_table,
}


@st.composite
def column_cells(draw, stored: Stored, n_rows: int) -> list[Any]:
    """Cells of one column; the first is observed, so that text has levels."""
    cell = st.none() | stored.cells if stored.may_miss else stored.cells
    return [draw(stored.cells), *draw(st.lists(cell, min_size=n_rows - 1, max_size=n_rows - 1))]


@st.composite
def frames(draw, library: str) -> Any:
    """A frame of one to five columns of any dtype, one to twelve rows, with missing cells."""
    n_rows = draw(st.integers(1, 12))
    chosen = draw(st.lists(st.sampled_from(sorted(STORED[library])), min_size=1, max_size=5))
    columns = {}
    for position, key in enumerate(chosen):
        stored = STORED[library][key]
        columns[f"{key} {position}"] = (stored.dtype, draw(column_cells(stored, n_rows)))
    return BUILD[library](columns)


@st.composite
def matrices(draw) -> np.ndarray:
    """A NumPy matrix of any dtype that can be read; the first row is observed."""
    shape = (draw(st.integers(1, 8)), draw(st.integers(1, 4)))
    dtype, cells = draw(
        st.sampled_from(
            [
                ("bool", st.booleans()),
                ("uint8", small),
                ("int64", large),
                ("float32", singles | st.just(np.nan)),
                ("float64", doubles | st.just(np.nan)),
                ("<U3", st.sampled_from(["a", "b", "ccc"])),
                ("object", st.sampled_from(["a", "b", "ccc"])),
                ("object", decimals),
                ("object", days),
                ("<U10", iso_days),
                ("datetime64[ms]", seconds | st.just(np.datetime64("NaT"))),
            ]
        )
    )
    size = shape[0] * shape[1]
    flat = draw(st.lists(cells, min_size=size, max_size=size))
    array = np.array(flat, dtype=dtype).reshape(shape)
    assume(not any(is_missing(cell) for cell in array[0]))
    return array


@st.composite
def schema_columns(draw, name: str) -> Column:
    """A column of any kind, its levels of any type."""
    kind = draw(st.sampled_from(["categorical", "boolean", "integer", "numeric", "datetime"]))
    levels: tuple[Any, ...] = ()
    if kind == "boolean":
        levels = draw(st.sampled_from([(False, True), (0, 1)]))
    if kind == "categorical":
        cells = draw(st.sampled_from([st.text(max_size=5), large, doubles, st.booleans()]))
        levels = tuple(draw(st.lists(cells, min_size=1, max_size=10, unique=True)))
    return Column(name, kind, levels, draw(st.sampled_from(["", "int64", "str"])), draw(names))


@st.composite
def schemas(draw) -> Schema:
    """A schema of one to six columns for any library."""
    chosen = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    columns = tuple(draw(schema_columns(name)) for name in chosen)
    return Schema(columns, draw(st.sampled_from(["pandas", "polars", "pyarrow", "numpy"])))


@st.composite
def encoded(draw, schema: Schema, n_rows: int) -> np.ndarray:
    """Encoded values that fit a schema, some of them missing."""
    values = np.empty((len(schema), n_rows))
    for row, column in zip(values, schema, strict=True):
        cell = st.integers(0, column.n_levels - 1) if column.is_discrete else small
        row[:] = draw(st.lists(cell | st.just(np.nan), min_size=n_rows, max_size=n_rows))
    return values


def without_dtypes(schema: Schema) -> Schema:
    """The schema as somebody would write it by hand."""
    return replace(schema, columns=tuple(replace(column, dtype="") for column in schema))
