"""A column is appended to every kind of frame, and the caller's frame stays as it was."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from softlearn.errors import TableError
from softlearn.table import append_column, infer_schema, unknown_cells
from softlearn.table.frames import open_frame

FRAME = pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]}, index=[5, 3])
CONVERSIONS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


@pytest.mark.parametrize("library", CONVERSIONS)
@pytest.mark.parametrize("cells", [[True, False], [3, 4], [0.5, 1.5], ["u", "v"]])
def test_frames_of_every_library_grow_by_a_column(library, cells):
    frame = CONVERSIONS[library](FRAME)
    grown = append_column(frame, "y", np.array(cells))
    opened = open_frame(grown)
    assert type(grown) is type(frame)
    assert opened.names == ("x", "c", "y")
    read = opened.cells("y")
    found = [read.levels[int(v)] for v in read.values] if read.levels else read.values.tolist()
    assert found == cells
    assert open_frame(frame).names == ("x", "c")


def test_pandas_keeps_its_index():
    assert append_column(FRAME, "y", np.array([1, 2])).index.tolist() == [5, 3]


@pytest.mark.parametrize(
    ("array", "cells", "dtype"),
    [
        (np.eye(2), np.array([1, 2]), np.dtype(float)),
        (np.eye(2, dtype=int), np.array([True, False]), np.dtype(int)),
        (np.eye(2), np.array(["a", "b"]), np.dtype(object)),
    ],
)
def test_arrays_stay_plain_where_they_can(array, cells, dtype):
    grown = append_column(array, "y", cells)
    assert grown.dtype == dtype
    assert grown[:, :2].tolist() == array.tolist()
    assert grown[:, 2].tolist() == cells.tolist()


def test_numbered_columns_become_text():
    grown = append_column(pd.DataFrame(np.eye(2)), "y", np.array([1, 2]))
    assert list(grown.columns) == ["0", "1", "y"]


def test_a_name_twice_is_refused():
    with pytest.raises(TableError, match="already has a column 'x'"):
        append_column(FRAME, "x", np.zeros(2))


def test_cells_for_other_rows_are_refused():
    with pytest.raises(TableError, match="2 rows need as many cells"):
        append_column(FRAME, "y", np.zeros(3))


def test_unknown_levels_are_found_and_missing_cells_are_not():
    schema = infer_schema(FRAME)
    other = pd.DataFrame({"x": [1.0, None, 7.0], "c": ["z", None, "b"]})
    assert unknown_cells(other, schema).tolist() == [[False] * 3, [True, False, False]]
