"""Cells become codes, numbers and seconds; what does not fit is refused by name."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from softlearn.errors import TableError, UnknownLevelError
from softlearn.table import Column, Schema, decode_value, encode, encode_value

SEX = Column("sex", "categorical", ("M", "F"))
RANK = Column("rank", "categorical", (3, 1, 2))
SMOKER = Column("smoker", "boolean", (False, True))
COIN = Column("coin", "boolean", (0, 1))
AGE = Column("age", "integer")
HEIGHT = Column("height", "numeric")
BORN = Column("born", "datetime", (), "datetime64[us]")
SEEN = Column("seen", "datetime", (), "datetime64[us, Europe/Paris]")
DAY_LABEL = Column("day", "categorical", ("1970-01-01", "1970-01-02"))
NOON = dt.datetime(1970, 1, 1, 12)
HALF_DAY = 43_200.0
nan = math.nan


def encoded(column, cells, **options):
    """The cells of one column, given as a pandas Series, encoded."""
    frame = pd.DataFrame({column.name: cells})
    return encode(frame, Schema((column,)), **options)[0].tolist()


def same(left, right):
    return np.array_equal(left, right, equal_nan=True)


@pytest.mark.parametrize(
    ("column", "cells", "expected"),
    [
        (SEX, ["F", "M", None], [1, 0, nan]),
        (SEX, pd.Categorical(["F", None], ["F", "X"]), [1, nan]),
        (SEX, pd.Series(["F", None], dtype=object), [1, nan]),
        (RANK, [1, 2, 3], [1, 2, 0]),
        (RANK, [1.0, nan, 3.0], [1, nan, 0]),
        (RANK, pd.Categorical([2, None]), [2, nan]),
        (SMOKER, [True, False], [1, 0]),
        (SMOKER, [1, 0], [1, 0]),
        (SMOKER, [1.0, nan], [1, nan]),
        (SMOKER, pd.Series([True, None], dtype=object), [1, nan]),
        (SMOKER, pd.array([True, None], dtype="boolean"), [1, nan]),
        (COIN, [True, False], [1, 0]),
        (COIN, pd.array([1, None], dtype="Int64"), [1, nan]),
        (AGE, [30, 40], [30, 40]),
        (AGE, [30.5, nan], [30.5, nan]),
        (HEIGHT, [1, 2], [1, 2]),
        (HEIGHT, np.array([0.5, nan], dtype="float32"), [0.5, nan]),
        (BORN, [pd.Timestamp(NOON), pd.NaT], [HALF_DAY, nan]),
        (SEEN, [pd.Timestamp(NOON, tz="UTC").tz_convert("Asia/Tokyo"), pd.NaT], [HALF_DAY, nan]),
        (BORN, ["1970-01-01T12:00", None, "1970-01-02"], [HALF_DAY, nan, 86_400]),
        (BORN, pd.Series([NOON, None, dt.date(1970, 1, 2)], dtype=object), [HALF_DAY, nan, 86_400]),
        (SEEN, ["1970-01-01T12:00Z", "1970-01-01 13:00:00.5+0100"], [HALF_DAY, HALF_DAY + 0.5]),
        (DAY_LABEL, ["1970-01-02", None], [1, nan]),
        (AGE, pd.Series([Decimal("30.00"), None], dtype=object), [30, nan]),
    ],
)
def test_cells_become_floats(column, cells, expected):
    assert same(encoded(column, cells), expected)


@pytest.mark.parametrize("column", [SEX, RANK, SMOKER, COIN, AGE, HEIGHT, BORN, SEEN])
@pytest.mark.parametrize("dtype", ["float64", "object", "str", "datetime64[us]", "Int64"])
def test_missing_cells_of_any_dtype_are_unobserved(column, dtype):
    assert same(encoded(column, pd.Series([None, None], dtype=dtype)), [nan, nan])


def test_nulls_of_polars_and_pyarrow_are_unobserved():
    schema = Schema((SEX, AGE))
    nothing = {"sex": [None], "age": [None]}
    assert same(encode(pl.DataFrame(nothing), schema), [[nan], [nan]])
    assert same(encode(pa.table(nothing), schema), [[nan], [nan]])


def test_a_polars_nan_is_unobserved():
    assert same(encode(pl.DataFrame({"height": [nan, 2.0]}), Schema((HEIGHT,))), [[nan, 2.0]])


def test_the_result_is_contiguous_with_one_row_per_column():
    schema = Schema((AGE, SEX))
    result = encode(pd.DataFrame({"sex": ["F"] * 3, "age": [1, 2, 3]}), schema)
    assert result.shape == (2, 3)
    assert result.dtype == np.float64
    assert result.flags.c_contiguous
    assert same(result, [[1, 2, 3], [1, 1, 1]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"sex": [], "age": []}),
        pl.DataFrame(schema={"sex": pl.String, "age": pl.Int64}),
        pa.schema([("sex", pa.string()), ("age", pa.int64())]).empty_table(),
        pa.schema(
            [("sex", pa.dictionary(pa.int8(), pa.string())), ("age", pa.int64())]
        ).empty_table(),
        np.empty((0, 2)),
    ],
)
def test_no_rows_give_no_columns_of_values(frame):
    assert encode(frame, Schema((SEX, AGE))).shape == (2, 0)


def test_an_array_is_matched_by_position():
    assert same(encode(np.array([[1, 7], [0, 8]]), Schema((COIN, AGE))), [[1, 0], [7, 8]])


def test_an_array_of_objects_may_mix_columns():
    array = np.array([["F", 7], [None, None]], dtype=object)
    assert same(encode(array, Schema((SEX, AGE))), [[1, nan], [7, nan]])


def test_an_array_of_text_is_read():
    assert same(encode(np.array([["F"], ["M"]]), Schema((SEX,))), [[1, 0]])


def test_an_array_of_another_width_is_refused():
    with pytest.raises(TableError, match="the array has 1 columns and the schema 2"):
        encode(np.zeros((3, 1)), Schema((COIN, AGE)))


def test_a_lacking_column_is_refused_with_the_remedy():
    with pytest.raises(
        TableError, match="no column 'sex'; add it, with missing cells if it is unknown"
    ):
        encode(pd.DataFrame({"age": [1]}), Schema((SEX, AGE)))


def test_an_extra_column_is_refused_unless_ignored():
    frame = pd.DataFrame({"age": [1], "name": ["x"]})
    with pytest.raises(TableError, match=r"has the column 'name'.* extra='ignore'"):
        encode(frame, Schema((AGE,)))
    assert encode(frame, Schema((AGE,)), extra="ignore").tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("column", "cells", "shown"),
    [
        (SEX, ["F", "X"], "'X'"),
        (SEX, [1.5], "1.5"),
        (SEX, pd.Categorical(["X", "F"]), "'X'"),
        (RANK, [1, 4], "4"),
        (RANK, [1.5], "1.5"),
        (RANK, ["1"], "'1'"),
        (RANK, [-1], "-1"),
        (SMOKER, [0.5], "0.5"),
        (SMOKER, [-1], "-1"),
        (SMOKER, [2], "2"),
        (SMOKER, ["True"], "'True'"),
        (COIN, [0.5, 1.0], "0.5"),
    ],
)
def test_an_unknown_level_is_refused_by_name_or_unobserved(column, cells, shown):
    levels = ", ".join(map(repr, column.levels))
    with pytest.raises(UnknownLevelError, match=rf"'{column.name}' holds {shown},.* \({levels}\)"):
        encoded(column, cells)
    result = encoded(column, cells, unknown="missing")
    assert sum(map(math.isnan, result)) == 1


def test_a_declared_category_that_never_occurs_is_no_unknown_level():
    assert encoded(SEX, pd.Categorical(["F"], ["X", "F"])) == [1.0]


def test_only_a_few_of_many_levels_are_shown():
    column = Column("x", "categorical", tuple(f"level {number}" for number in range(1000)))
    with pytest.raises(UnknownLevelError, match="'level 7', … 992 more"):
        encoded(column, ["other"])


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        (AGE, ["young"], "column 'age' is integer and needs numbers, not 'young'"),
        (HEIGHT, [None, "tall"], "column 'height' is numeric and needs numbers, not 'tall'"),
        (HEIGHT, [pd.Timestamp(NOON)], "column 'height' is numeric and needs numbers, not"),
        (HEIGHT, [1.0, -np.inf], "column 'height' holds -inf in row 1"),
        (BORN, ["1970-01-01", "soon"], "'born' is datetime and needs dates or .*, not 'soon'"),
        (BORN, [None, "1970-01-01", "1970-01-01T12:00Z"], "'born' holds times with and without"),
        (BORN, ["1970-01-01T12:00Z"], "column 'born' needs times without a time zone"),
        (SEEN, ["1970-01-01"], "column 'seen' needs times with a .* such as Europe/Paris"),
        (BORN, [3], "column 'born' is datetime and needs dates or datetimes, not 3"),
        (BORN, [pd.Timestamp(NOON, tz="UTC")], "column 'born' needs times without a time zone"),
        (SEEN, [pd.Timestamp(NOON)], "column 'seen' needs times with a .* such as Europe/Paris"),
        (SEX, [1, "F"], "column 'sex' holds objects of the type int and str"),
    ],
)
def test_cells_of_the_wrong_type_are_refused_by_name(column, cells, message):
    with pytest.raises(TableError, match=message):
        encoded(column, cells, unknown="missing")


@pytest.mark.parametrize("option", ["unknown", "extra"])
def test_a_policy_that_does_not_exist_is_refused(option):
    with pytest.raises(TableError, match=f"{option} must be 'error' or .*, not 'drop'"):
        encoded(SEX, ["F"], **{option: "drop"})


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        (SEX, "F", 1.0),
        (RANK, 2, 2.0),
        (RANK, np.int8(2), 2.0),
        (RANK, 2.0, 2.0),
        (SMOKER, True, 1.0),
        (SMOKER, np.True_, 1.0),
        (SMOKER, 0, 0.0),
        (AGE, 30, 30.0),
        (AGE, 29.5, 29.5),
        (HEIGHT, np.float32(0.5), 0.5),
        (HEIGHT, Decimal("1.5"), 1.5),
        (BORN, NOON, HALF_DAY),
        (BORN, dt.date(1970, 1, 2), 86_400.0),
        (BORN, np.datetime64(NOON), HALF_DAY),
        (BORN, "1970-01-01 12:00", HALF_DAY),
        (BORN, pd.Timestamp(NOON), HALF_DAY),
        (SEEN, dt.datetime(1970, 1, 1, 13, tzinfo=ZoneInfo("Europe/Paris")), HALF_DAY),
    ],
)
def test_a_single_value_becomes_a_float(column, value, expected):
    assert encode_value(column, value) == expected


@pytest.mark.parametrize("column", [SEX, SMOKER, AGE, HEIGHT, BORN])
@pytest.mark.parametrize(
    "value", [None, nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("nan")]
)
def test_a_single_missing_value_is_unobserved(column, value):
    assert math.isnan(encode_value(column, value))


@pytest.mark.parametrize(
    ("column", "value"),
    [(SEX, "X"), (SEX, ["F"]), (SEX, 1), (RANK, 1.5), (RANK, "1"), (SMOKER, 0.5), (COIN, -1)],
)
def test_a_single_unknown_level_is_refused(column, value):
    with pytest.raises(UnknownLevelError, match=f"column '{column.name}' holds .* none of its"):
        encode_value(column, value)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (AGE, "30", "column 'age' is integer and needs a number, not '30'"),
        (HEIGHT, [1.5], "column 'height' is numeric and needs a number"),
        (HEIGHT, math.inf, "column 'height' cannot hold an infinite number"),
        (BORN, "soon", "column 'born' is datetime and needs a date or datetime, not 'soon'"),
        (BORN, "1970-01-01T12:00Z", "column 'born' needs times without a time zone"),
        (BORN, NOON.replace(tzinfo=dt.UTC), "column 'born' needs times without a time zone"),
        (SEEN, NOON, "column 'seen' needs times with a time zone"),
    ],
)
def test_a_single_value_of_the_wrong_type_is_refused(column, value, message):
    with pytest.raises(TableError, match=message):
        encode_value(column, value)


@pytest.mark.parametrize(
    ("column", "code", "expected"),
    [
        (SEX, 1.0, "F"),
        (RANK, 0.0, 3),
        (SMOKER, 1.0, True),
        (COIN, 1.0, 1),
        (AGE, 29.7, 30),
        (HEIGHT, 1.25, 1.25),
        (BORN, HALF_DAY, NOON),
        (SEEN, HALF_DAY, dt.datetime(1970, 1, 1, 13, tzinfo=ZoneInfo("Europe/Paris"))),
        (Column("day", "datetime", (), "date32[day]"), 86_400.0, dt.date(1970, 1, 2)),
        (Column("day", "datetime", (), "str as YYYY-MM-DD"), 86_400.0, dt.date(1970, 1, 2)),
        (Column("day", "datetime", (), "object as date"), 86_400.0, dt.date(1970, 1, 2)),
        (Column("t", "datetime", (), "str as YYYY-MM-DDTHH:MM"), HALF_DAY, NOON),
        (
            Column("t", "datetime", (), "str as YYYY-MM-DDTHH:MMZ"),
            HALF_DAY,
            dt.datetime(1970, 1, 1, 12, tzinfo=dt.UTC),
        ),
        (SEX, nan, None),
        (BORN, nan, None),
    ],
)
def test_a_single_code_becomes_a_python_value(column, code, expected):
    value = decode_value(column, code)
    assert value == expected
    assert type(value) is type(expected)


def test_a_time_zone_may_be_a_fixed_offset():
    column = Column("x", "datetime", (), "datetime64[us, UTC+02:00]")
    assert decode_value(column, 0.0).utcoffset() == dt.timedelta(hours=2)


@pytest.mark.parametrize("code", [-1.0, 2.0, 0.5, math.inf])
def test_a_code_without_level_is_refused(code):
    with pytest.raises(TableError, match="column 'sex' has no level with the code"):
        decode_value(SEX, code)


def test_a_moment_beyond_the_calendar_is_refused():
    with pytest.raises(TableError, match="column 'born' cannot hold 1e\\+20"):
        decode_value(BORN, 1e20)
