"""The same cells are the same table, whichever library or file they are read from."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from softlearn.files import open_table
from softlearn.table import Schema, decode, encode, infer_schema

DAYS = [dt.date(2024, 12, 31), None, dt.date(2025, 1, 1), dt.date(2024, 2, 29)]
TIMES = [dt.datetime(2024, 12, 31, 18, 30), dt.datetime(2025, 1, 1), None, dt.datetime(1969, 1, 1)]
ZULU = ["2024-12-31T18:30Z", "2025-01-01T00:00Z", None, "1969-01-01T00:00Z"]
# Each column: its cells, what they are, and their levels.
CELLS: dict[str, tuple[list[Any], str, tuple[Any, ...]]] = {
    "count": ([3, 4, 3, 5], "integer", ()),
    "count or blank": ([3, None, 3, 5], "integer", ()),
    "coin": ([0, 1, 1, 0], "boolean", (0, 1)),
    "coin or blank": ([0, 1, None, 0], "boolean", (0, 1)),
    "heads": ([1.0, 1.0, None, 1.0], "boolean", (0, 1)),
    "whole": ([2.0, 4.0, 2.0, 100.0], "integer", ()),
    "whole or blank": ([2.0, None, 2.0, 100.0], "integer", ()),
    "decimal": ([0.5, 1.0, None, 3.0], "numeric", ()),
    "money": ([Decimal("3.00"), None, Decimal("-4.00"), Decimal("3.00")], "integer", ()),
    "change": ([Decimal("3.00"), None, Decimal("4.50"), Decimal("3.00")], "numeric", ()),
    "truth": ([True, False, False, True], "boolean", (False, True)),
    "truth or blank": ([True, None, False, True], "boolean", (False, True)),
    "word": (["b", "a", None, "b"], "categorical", ("a", "b")),
    "day": (DAYS, "datetime", ()),
    "day as text": ([day and day.isoformat() for day in DAYS], "datetime", ()),
    "time": (TIMES, "datetime", ()),
    "time as text": ([t and t.isoformat(" ", "minutes") for t in TIMES], "datetime", ()),
    "time with zone": (ZULU, "datetime", ()),
    "not all days": (["2024-12-31", "soon", None, "soon"], "categorical", ("2024-12-31", "soon")),
}
NUMBERS = [name for name, (_, kind, _) in CELLS.items() if kind in ("integer", "numeric")]
NUMBERS += [name for name, (_, kind, _) in CELLS.items() if kind == "boolean"]


def cells_of(names: list[str]) -> dict[str, list[Any]]:
    return {name: CELLS[name][0] for name in names}


def csv_text(delimiter: str = ",") -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerow(CELLS)
    for row in zip(*cells_of([*CELLS]).values(), strict=True):
        writer.writerow([str(cell).lower() if isinstance(cell, bool) else cell for cell in row])
    return stream.getvalue()


def read(path: Path) -> pa.Table:
    with open_table(path) as source:
        return source.read_all()


def text_file(path: Path, delimiter: str) -> pa.Table:
    path.write_text(csv_text(delimiter), encoding="utf-8")
    return read(path)


def parquet(path: Path) -> pa.Table:
    pa.parquet.write_table(pa.table(cells_of([*CELLS])), path)
    return read(path)


def feather(path: Path) -> pa.Table:
    pa.feather.write_feather(pa.table(cells_of([*CELLS])), path)
    return read(path)


def objects() -> pd.DataFrame:
    cells = cells_of([*CELLS])
    return pd.DataFrame({name: pd.Series(known, dtype=object) for name, known in cells.items()})


def arrow_dtypes() -> pd.DataFrame:
    return pa.table(cells_of([*CELLS])).to_pandas(types_mapper=pd.ArrowDtype)


def object_array() -> np.ndarray:
    return np.array([*zip(*cells_of([*CELLS]).values(), strict=True)], dtype=object)


def float_array() -> np.ndarray:
    columns = [[np.nan if cell is None else cell for cell in CELLS[name][0]] for name in NUMBERS]
    return np.array(columns, dtype=float).T


READERS: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: pd.DataFrame(cells_of([*CELLS])),
    "pandas objects": lambda _: objects(),
    "pandas nullable": lambda _: pd.DataFrame(cells_of([*CELLS])).convert_dtypes(),
    "pandas arrow": lambda _: arrow_dtypes(),
    "pandas.read_csv": lambda _: pd.read_csv(io.StringIO(csv_text())),
    "pandas.read_csv nullable": lambda _: pd.read_csv(
        io.StringIO(csv_text()), dtype_backend="numpy_nullable"
    ),
    "pandas.read_csv arrow": lambda _: pd.read_csv(
        io.StringIO(csv_text()), dtype_backend="pyarrow"
    ),
    "polars": lambda _: pl.DataFrame(cells_of([*CELLS])),
    "polars.read_csv": lambda _: pl.read_csv(io.StringIO(csv_text())),
    "pyarrow": lambda _: pa.table(cells_of([*CELLS])),
    "pyarrow.csv": lambda _: pa.csv.read_csv(
        io.BytesIO(csv_text().encode()),
        convert_options=pa.csv.ConvertOptions(strings_can_be_null=True),
    ),
    "NumPy objects": lambda _: object_array(),
    "CSV file": lambda folder: text_file(folder / "t.csv", ","),
    "TSV file": lambda folder: text_file(folder / "t.tsv", "\t"),
    "Parquet file": lambda folder: parquet(folder / "t.parquet"),
    "Feather file": lambda folder: feather(folder / "t.feather"),
}
every_reader = pytest.mark.parametrize("name", READERS)


def told(schema: Schema) -> list[tuple[Any, ...]]:
    """All that a schema says but how the columns are stored and, for arrays, called."""
    return [
        (column.kind, column.levels, [type(level) for level in column.levels], column.reason)
        for column in schema
    ]


def reference() -> tuple[Schema, np.ndarray]:
    frame = pl.DataFrame(cells_of([*CELLS]))
    schema = infer_schema(frame)
    return schema, encode(frame, schema)


def test_the_reference_is_what_the_cells_are():
    schema, _ = reference()
    assert [(column.kind, column.levels) for column in schema] == [
        (kind, levels) for _, kind, levels in CELLS.values()
    ]


@every_reader
def test_the_same_cells_are_the_same_schema(name, tmp_path):
    schema = infer_schema(READERS[name](tmp_path))
    assert told(schema) == told(reference()[0])


@every_reader
def test_the_same_cells_are_the_same_numbers(name, tmp_path):
    frame = READERS[name](tmp_path)
    np.testing.assert_array_equal(encode(frame, infer_schema(frame)), reference()[1])


@every_reader
def test_a_schema_of_one_reader_reads_the_frames_of_all(name, tmp_path):
    frame = READERS[name](tmp_path)
    if not isinstance(frame, np.ndarray):
        mine = infer_schema(frame)
        np.testing.assert_array_equal(encode(pa.table(cells_of([*CELLS])), mine), reference()[1])
    np.testing.assert_array_equal(encode(frame, reference()[0]), reference()[1])


@every_reader
def test_what_is_read_comes_back_as_it_was_stored(name, tmp_path):
    frame = READERS[name](tmp_path)
    schema = infer_schema(frame)
    back = decode(encode(frame, schema), schema)
    if isinstance(frame, pd.DataFrame):
        pd.testing.assert_frame_equal(back, frame, check_exact=True)
    elif isinstance(frame, np.ndarray):
        assert back.tolist() == frame.tolist()
    else:
        assert back.equals(frame)


def test_an_array_of_floats_holds_the_same_numbers():
    array = float_array()
    schema, values = reference()
    mine = infer_schema(array)
    expected = Schema(tuple(schema[name] for name in NUMBERS))
    # An array of floats holds no truths, only 0 and 1.
    kinds = [column.kind for column in expected]
    assert [column.kind for column in mine] == kinds
    assert all(column.levels in ((), (0, 1)) for column in mine)
    np.testing.assert_array_equal(
        encode(array, mine), values[[schema.index(name) for name in NUMBERS]]
    )


@pytest.mark.parametrize("digits", [["0", "1", None], ["3", "4", "5"], ["1.5", None, "2"]])
@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        lambda cells: pd.DataFrame(cells, dtype=object),
        lambda cells: pd.DataFrame(cells, dtype="string"),
        pl.DataFrame,
        pa.table,
        lambda cells: np.array([cells["x"]], dtype=object).T,
    ],
)
def test_text_stays_text_even_where_it_looks_like_numbers(digits, make):
    (column,) = infer_schema(make({"x": digits}))
    assert column.kind == "categorical"
    assert column.levels == tuple(sorted(text for text in digits if text))
