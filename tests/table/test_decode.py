"""Frames come back in their own library and dtypes; filling touches missing cells only."""

from __future__ import annotations

import datetime as dt
import math
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal as assert_polars_equal

from softlearn.errors import MissingDependencyError, SchemaError, TableError
from softlearn.table import Column, Schema, decode, encode, fill, infer_schema

nan = math.nan


def decoded(frame, column, values):
    return decode(np.array([values], dtype=float), Schema((column,), frame))


@pytest.mark.parametrize(
    ("dtype", "kind", "expected"),
    [
        ("int64", "integer", "Int64"),
        ("uint8", "integer", "UInt8"),
        ("bool", "boolean", "boolean"),
        ("float32", "numeric", "float32"),
    ],
)
def test_a_pandas_dtype_widens_only_for_missing_cells(dtype, kind, expected):
    column = Column("x", kind, (), dtype)
    assert decoded("pandas", column, [1.0, 0.0])["x"].dtype == dtype
    widened = decoded("pandas", column, [1.0, nan])["x"]
    assert widened.dtype == expected
    assert widened.isna().tolist() == [False, True]


@pytest.mark.parametrize(("dtype", "kind"), [("uint8", "integer"), ("bool", "boolean")])
def test_a_numpy_dtype_widens_to_float_only_for_missing_cells(dtype, kind):
    column = Column("x", kind, (), dtype)
    assert decoded("numpy", column, [1.0, 0.0]).dtype == dtype
    widened = decoded("numpy", column, [1.0, nan])
    assert widened.dtype == np.float64
    np.testing.assert_array_equal(widened, [[1.0], [nan]])


def test_a_numpy_text_widens_to_objects_for_missing_cells():
    column = Column("x", "categorical", ("a", "b"), "<U1")
    assert decoded("numpy", column, [1.0, nan]).tolist() == [["b"], [None]]


@pytest.mark.parametrize(
    ("frame", "dtype"),
    [
        ("pandas", "uint8"),
        ("pandas", "UInt8"),
        ("pandas", "arrow[uint8]"),
        ("polars", "UInt8"),
        ("pyarrow", "uint8"),
    ],
)
def test_integers_are_rounded_and_kept_in_range(frame, dtype):
    cells = decoded(frame, Column("x", "integer", (), dtype), [-3.0, 2.6, 300.0])["x"]
    assert (cells.to_pylist() if frame == "pyarrow" else cells.to_list()) == [0, 3, 255]


@pytest.mark.parametrize(
    ("frame", "dtype"), [("pandas", "int64"), ("polars", "Int64"), ("pyarrow", "int64")]
)
def test_the_largest_integers_do_not_wrap_around(frame, dtype):
    cells = decoded(frame, Column("x", "integer", (), dtype), [1e30, -1e30])["x"]
    high, low = cells.to_pylist() if frame == "pyarrow" else cells.to_list()
    assert high > 2**62
    assert low < -(2**62)


def test_integers_of_a_float_dtype_are_rounded_too():
    column = Column("x", "integer", (), "float64")
    assert decoded("pandas", column, [1.6])["x"].tolist() == [2.0]


def test_numbers_of_a_small_float_dtype_stay_finite():
    cells = decoded("pandas", Column("x", "numeric", (), "float32"), [1e300])["x"]
    assert np.isfinite(cells).all()


def test_far_times_become_the_last_one_that_the_unit_holds():
    cells = decoded("pandas", Column("x", "datetime", (), "datetime64[ns]"), [1e15])["x"]
    assert cells.dt.year.tolist() == [2262]


def test_microseconds_survive_where_one_product_rounds_them_away():
    time = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=4_394_676_482_756_305)
    frame = pl.DataFrame({"x": [time]})
    schema = infer_schema(frame)
    assert decode(encode(frame, schema), schema)["x"].to_list() == [time]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("YYYY-MM-DD", "1970-01-02"),
        ("YYYY-MM-DDTHH:MM", "1970-01-02T04:08"),
        ("YYYY-MM-DD HH:MM:SS", "1970-01-02 04:07:47"),
        ("YYYY-MM-DDTHH:MM:SS.ff", "1970-01-02T04:07:46.75"),
        ("YYYY-MM-DDTHH:MM:SS.ffffffZ", "1970-01-02T04:07:46.750000Z"),
        ("YYYY-MM-DDTHH:MM+05:30", "1970-01-02T09:38+05:30"),
        ("YYYY-MM-DDTHH:MM-0200", "1970-01-02T02:08-0200"),
    ],
)
@pytest.mark.parametrize(
    ("frame", "dtype"),
    [
        ("pandas", str(pd.Series(["text"]).dtype)),  # pandas 3 has a dtype for text
        ("pandas", "arrow[string]"),
        ("polars", "String"),
        ("pyarrow", "string"),
        ("numpy", "<U40"),
    ],
)
def test_times_come_back_as_the_text_that_they_were(frame, dtype, form, expected):
    column = Column("x", "datetime", (), f"{dtype} as {form}")
    made = decoded(frame, column, [101_266.75])
    assert infer_schema(made).columns[0].dtype == column.dtype
    assert (made[0, 0] if frame == "numpy" else made["x"].to_numpy()[0]) == expected


@pytest.mark.parametrize("dtype", ["str as YYYY-MM-DD", "object as date", "object as datetime[us]"])
def test_times_beyond_the_calendar_become_its_ends(dtype):
    cells = decoded("pandas", Column("x", "datetime", (), dtype), [1e15, -1e15, nan])["x"]
    assert [str(cell)[:5] for cell in cells[:2]] == ["9999-", "0001-"]
    assert cells.isna().tolist() == [False, False, True]


@pytest.mark.parametrize(
    "cells",
    [
        ["0001-01-01", "9999-12-31"],
        ["0001-01-01 00:00:00", "9999-12-31 23:59:59"],
        ["0001-01-02T00:00+02:00", "9999-12-30T23:59+02:00"],
        [dt.date.min, dt.date.max],
        [dt.datetime.min, dt.datetime(9999, 12, 31, 23, 59, 59)],
    ],
)
def test_the_first_and_the_last_time_come_back(cells):
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    schema = infer_schema(frame)
    assert schema["x"].kind == "datetime"
    assert decode(encode(frame, schema), schema)["x"].tolist() == cells


def test_objects_come_back_in_their_type():
    cells = {
        "whole": [Decimal(3), None],
        "decimal": [Decimal("0.1"), None],
        "truth": [Decimal(1), None],
        "float": [2.0, None],
        "day": [dt.date(2020, 1, 1), None],
        "time": [dt.datetime(2020, 1, 1, 5), None],
    }
    frame = pd.DataFrame({name: pd.Series(known, dtype=object) for name, known in cells.items()})
    schema = infer_schema(frame)
    back = decode(encode(frame, schema), schema)
    pd.testing.assert_frame_equal(back, frame)
    filled = fill(frame, schema, np.nan_to_num(encode(frame, schema), nan=1.0))
    for made in (back, filled):
        assert [type(made[name][0]) for name in cells] == [
            type(known[0]) for known in cells.values()
        ]
    assert [type(filled[name][1]) for name in cells] == [type(known[0]) for known in cells.values()]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_is_filled_in_its_own_form(make):
    frame = make({"x": ["2024-12-31T18:30", None]})
    schema = Schema((Column("x", "datetime", (), "anything as YYYY-MM-DD"),), "numpy")
    filled = fill(frame, schema, np.array([[0.0, 90.0]]))
    assert list(map(str, filled["x"].to_numpy())) == ["2024-12-31T18:30", "1970-01-01T00:02"]


def test_text_without_any_time_is_filled_in_the_remembered_form():
    frame = pl.DataFrame({"x": pl.Series([None, None], dtype=pl.String)})
    schema = Schema((Column("x", "datetime", (), "String as YYYY-MM-DD"),), "polars")
    filled = fill(frame, schema, np.array([[0.0, nan]]))
    assert_polars_equal(filled, pl.DataFrame({"x": ["1970-01-01", None]}))


def test_an_array_keeps_its_dtype():
    array = np.array([[0, 3], [1, 4]], dtype=np.int16)
    schema = infer_schema(array)
    back = decode(encode(array, schema), schema)
    assert back.dtype == np.int16
    np.testing.assert_array_equal(back, array)


def test_named_columns_keep_their_names_and_order():
    frame = pl.DataFrame({"b": [1.5], "a": [True]})
    schema = infer_schema(frame)
    assert decode(encode(frame, schema), schema).columns == ["b", "a"]


def test_a_fixed_offset_survives():
    zone = dt.timezone(dt.timedelta(hours=2))
    frame = pd.DataFrame({"x": pd.Series([dt.datetime(2020, 1, 1, tzinfo=zone)])})
    schema = infer_schema(frame)
    pd.testing.assert_frame_equal(decode(encode(frame, schema), schema), frame)


@pytest.mark.parametrize("code", [-1.0, 2.0, 0.5])
def test_a_code_without_level_is_refused(code):
    with pytest.raises(TableError, match="column 'x' has no level with the code"):
        decoded("pandas", Column("x", "categorical", ("a", "b")), [code])


def test_an_infinite_number_is_refused():
    with pytest.raises(TableError, match="column 'x' cannot hold an infinite number"):
        decoded("pandas", Column("x", "numeric"), [math.inf])


def test_values_of_another_shape_are_refused():
    with pytest.raises(SchemaError, match=r"expected values of shape \(1, 3\) .* got \(2, 3\)"):
        decode(np.zeros((2, 3)), Schema((Column("x", "numeric"),)))


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow", "numpy"])
@pytest.mark.parametrize(
    "dtype", ["nonsense", "V8", "dictionary<values=no, indices=int8, ordered=0>"]
)
def test_a_remembered_dtype_that_does_not_exist_is_refused_by_name(frame, dtype):
    with pytest.raises(SchemaError, match=r"column 'x'.* cannot be stored as"):
        decoded(frame, Column("x", "numeric", (), dtype), [1.0])


def test_a_dtype_that_contradicts_the_levels_is_refused_by_name():
    with pytest.raises(SchemaError, match=r"column 'x' \(categorical\) cannot be stored"):
        decoded("pandas", Column("x", "categorical", ("a", "b"), "int64"), [1.0])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_lacking_library_is_named_with_the_command(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingDependencyError, match=f"pip install {library}"):
        decoded(library, Column("x", "numeric"), [1.0])


def test_filling_keeps_index_order_and_extra_columns():
    frame = pd.DataFrame(
        {"note": ["p", None], "y": [1.5, nan], "x": pd.array([None, 3], dtype="Int64")},
        index=[7, 7],
    )
    before = frame.copy()
    schema = Schema((Column("x", "integer"), Column("y", "numeric")))
    filled = fill(frame, schema, np.array([[8.0, 9.0], [0.5, 2.5]]))
    expected = pd.DataFrame(
        {"note": ["p", None], "y": [1.5, 2.5], "x": pd.array([8, 3], dtype="Int64")}, index=[7, 7]
    )
    pd.testing.assert_frame_equal(filled, expected)
    pd.testing.assert_frame_equal(frame, before)


def test_filling_keeps_the_frames_own_dtypes():
    frame = pd.DataFrame(
        {
            "coin": [1.0, nan],
            "flag": pd.Series([True, None], dtype=object),
            "label": pd.Categorical(["a", None], ["b", "a"]),
        }
    )
    schema = Schema(
        (
            Column("coin", "boolean", (0, 1), "int64"),
            Column("flag", "boolean", (False, True), "bool"),
            Column("label", "categorical", ("a", "b"), "str"),
        )
    )
    filled = fill(frame, schema, np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert filled.dtypes.equals(frame.dtypes)
    assert filled.to_dict("list") == {
        "coin": [1.0, 0.0],
        "flag": [True, False],
        "label": ["a", "b"],
    }


def test_filling_leaves_cells_missing_that_have_no_value():
    frame = pl.DataFrame({"x": [None, None, 1.5]})
    filled = fill(frame, Schema((Column("x", "numeric"),)), np.array([[nan, 2.5, 9.0]]))
    assert filled["x"].to_list() == [None, 2.5, 1.5]


def test_filling_an_observed_cell_keeps_every_digit():
    times = pd.Series(pd.to_datetime(["2020-01-01 00:00:00.123456789", None]).as_unit("ns"))
    frame = pd.DataFrame({"x": times})
    filled = fill(frame, infer_schema(frame), np.array([[0.0, 0.0]]))
    assert filled["x"][0] == times[0]
    assert filled["x"][1] == pd.Timestamp(0)


@pytest.mark.parametrize("empty", [pl.Null, pl.Float64])
def test_a_column_of_missing_cells_takes_the_remembered_dtype(empty):
    column = Column("x", "categorical", ("a", "b"), "Enum")
    frame = pl.DataFrame({"x": pl.Series([None, None], dtype=empty)})
    filled = fill(frame, Schema((column,), "polars"), np.array([[1.0, 0.0]]))
    expected = pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Enum(["a", "b"]))})
    assert_polars_equal(filled, expected)


def test_another_librarys_frame_is_filled_in_its_own_dtypes():
    column = Column("x", "categorical", ("a", "b"), "Enum")
    filled = fill(pd.DataFrame({"x": [None]}), Schema((column,), "polars"), np.array([[1.0]]))
    assert filled["x"].tolist() == ["b"]


def test_an_array_is_filled_in_a_copy():
    array = np.array([[nan, 2.0], [1.0, nan]])
    schema = Schema((Column("a", "boolean", (0, 1)), Column("b", "numeric")), "numpy")
    filled = fill(array, schema, np.array([[1.0, 0.0], [9.0, 5.0]]))
    np.testing.assert_array_equal(filled, [[1.0, 2.0], [1.0, 5.0]])
    assert np.isnan(array).sum() == 2


def test_a_dictionary_of_several_chunks_is_filled():
    chunks = [pa.array(["a", None]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]
    table = pa.table({"x": pa.chunked_array(chunks)})
    filled = fill(table, infer_schema(table), np.array([[0.0, 1.0, 0.0]]))
    assert filled["x"].to_pylist() == ["a", "b", "b"]
    assert filled["x"].type == table["x"].type


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": pd.Categorical(["a", None], ["a"])}),
        pl.DataFrame({"x": pl.Series(["a", None], dtype=pl.Enum(["a"]))}),
    ],
)
def test_a_frame_whose_categories_lack_the_value_is_refused(frame):
    schema = Schema((Column("x", "categorical", ("a", "b")),))
    with pytest.raises(TableError, match="column 'x' cannot hold 'b': its dtype lacks"):
        fill(frame, schema, np.array([[0.0, 1.0]]))
    assert fill(frame, schema, np.array([[1.0, 0.0]]))["x"].to_list() == ["a", "a"]


def test_a_dictionary_that_lacks_the_value_grows():
    table = pa.table({"x": pa.array(["a", None]).dictionary_encode()})
    schema = Schema((Column("x", "categorical", ("a", "b")),))
    assert fill(table, schema, np.array([[0.0, 1.0]]))["x"].to_pylist() == ["a", "b"]


def test_filling_needs_every_column_of_the_schema():
    with pytest.raises(TableError, match="no column 'x'"):
        fill(pd.DataFrame({"y": [1.0]}), Schema((Column("x", "numeric"),)), np.zeros((1, 1)))
