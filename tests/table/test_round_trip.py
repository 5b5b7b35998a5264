"""Whatever comes in goes out again: cells, dtypes and names, for every library."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal as assert_polars_equal

from softlearn.table import Schema, decode, encode, fill, infer_schema
from strategies_table import (
    BUILD,
    LIBRARIES,
    STORED,
    column_cells,
    encoded,
    frames,
    matrices,
    schemas,
    without_dtypes,
)


def assert_same(left, right):
    if isinstance(left, pd.DataFrame):
        pd.testing.assert_frame_equal(left, right, check_exact=True)
    elif isinstance(left, pl.DataFrame):
        assert_polars_equal(left, right, check_exact=True)
    elif isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    else:
        assert left.schema.equals(right.schema)
        assert left.equals(right)


def through_json(schema):
    return Schema.from_dict(json.loads(json.dumps(schema.to_dict())))


def select(frame, names):
    return frame[list(names)] if isinstance(frame, pd.DataFrame) else frame.select(list(names))


def without_rows(frame):
    return frame.slice(0, 0) if hasattr(frame, "slice") else frame[:0]


every_dtype = [(library, key) for library in LIBRARIES for key in STORED[library]]


@pytest.mark.parametrize(("library", "key"), every_dtype)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_column_of_every_dtype_comes_back_as_it_went_in(library, key, data):
    stored = STORED[library][key]
    cells = data.draw(column_cells(stored, data.draw(st.integers(1, 12))))
    frame = BUILD[library]({"x": (stored.dtype, cells)})
    schema = infer_schema(frame)
    assert_same(decode(encode(frame, schema), through_json(schema)), frame)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_frame_comes_back_as_it_went_in(library, data):
    frame = data.draw(frames(library))
    schema = infer_schema(frame)
    assert_same(decode(encode(frame, schema), through_json(schema)), frame)


@settings(max_examples=100, deadline=None)
@given(matrices())
def test_an_array_comes_back_as_it_went_in(array):
    schema = infer_schema(array)
    assert_same(decode(encode(array, schema), through_json(schema)), array)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_filling_with_a_frames_own_cells_changes_nothing(library, data):
    frame = data.draw(frames(library))
    schema = infer_schema(frame)
    assert_same(fill(frame, schema, encode(frame, schema)), frame)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_filling_replaces_the_missing_cells_and_nothing_else(library, data):
    frame = data.draw(frames(library))
    schema = infer_schema(frame)
    before = encode(frame, schema)
    values = np.nan_to_num(data.draw(encoded(schema, before.shape[1])))
    days = np.array([column.kind == "datetime" for column in schema])
    values[days] *= 86_400
    filled = fill(frame, schema, values)
    assert_same(without_rows(filled), without_rows(frame))
    expected = np.where(np.isnan(before), values, before)
    np.testing.assert_array_equal(encode(filled, schema), expected)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_order_of_columns_changes_nothing(library, data):
    frame = data.draw(frames(library))
    schema = infer_schema(frame)
    shuffled = select(frame, data.draw(st.permutations(schema.names)))
    np.testing.assert_array_equal(encode(shuffled, schema), encode(frame, schema))
    inferred = infer_schema(shuffled)
    assert {column.name: column for column in inferred} == {item.name: item for item in schema}


@settings(max_examples=100, deadline=None)
@given(schemas())
def test_a_schema_survives_json(schema):
    assert through_json(schema) == schema


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_schema_without_dtypes_still_builds_frames(data):
    schema = without_dtypes(data.draw(schemas()))
    has_times = any(column.kind == "datetime" for column in schema)
    assume(not (has_times and schema.frame == "numpy"))  # an array of objects holds no times
    values = data.draw(encoded(schema, 3))
    values[[column.kind == "datetime" for column in schema]] *= 86_400
    np.testing.assert_array_equal(encode(decode(values, schema), schema), values)
