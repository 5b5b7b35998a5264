"""Every column gets a kind, a domain and a reason, or an error that names it."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from softlearn.errors import IdentifierWarning, NumbersAsTextWarning, SchemaError, TableError
from softlearn.table import Column, decode, encode, infer_schema

NOON = dt.datetime(2020, 1, 1, 12)


def inferred(cells, **options):
    series = cells if isinstance(cells, pd.Series) else pd.Series(cells)
    return infer_schema(pd.DataFrame({"x": series}), **options)["x"]


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        ([True, False], "boolean", (False, True)),
        ([True, True], "boolean", (False, True)),
        (pd.Series([True, None], dtype=object), "boolean", (False, True)),
        ([0, 1, 1], "boolean", (0, 1)),
        ([1, 1], "boolean", (0, 1)),
        ([0], "boolean", (0, 1)),
        (pd.Series([0, 1, None], dtype="Int64"), "boolean", (0, 1)),
        ([0.0, 1.0], "boolean", (0, 1)),
        ([1.0, None], "boolean", (0, 1)),
        (pd.Series([Decimal(1), Decimal(0), None], dtype=object), "boolean", (0, 1)),
        ([0.5, None], "numeric", ()),
        ([0.0, 1.0, 0.5], "numeric", ()),
        ([1e300, 2.0], "numeric", ()),
        ([3, 1, 2] * 5, "integer", ()),
        ([7] * 5, "integer", ()),
        ([7.0, None], "integer", ()),
        ([0, 1, 2], "integer", ()),
        ([-1.0, 0.0], "integer", ()),
        (pd.Series([3, 4, None], dtype=object), "integer", ()),
        (pd.Series([3.0, 4.0, None], dtype=object), "integer", ()),
        (pd.Series([Decimal("3.00"), None], dtype=object), "integer", ()),
        (pd.Series([Decimal("3.25"), None], dtype=object), "numeric", ()),
        (pd.Series([3, 4.5], dtype=object), "numeric", ()),
        (["b", "a", None], "categorical", ("a", "b")),
        (pd.Series(["b", "a", None], dtype=object), "categorical", ("a", "b")),
        (["2", "1", None], "categorical", ("1", "2")),
        (pd.Categorical(["b"], ["c", "b", "a"]), "categorical", ("c", "b", "a")),
        (pd.Categorical([2, 1]), "categorical", (1, 2)),
        (pd.Categorical([2.0, 1.0, None]), "categorical", (1, 2)),
        (pd.Categorical([2.5, 1.0]), "categorical", (1.0, 2.5)),
        (pd.Categorical(["2024-12-31"]), "categorical", ("2024-12-31",)),
        ([pd.Timestamp("2020-01-01"), pd.NaT], "datetime", ()),
        ([dt.date(2020, 1, 1), None], "datetime", ()),
        (pd.Series([dt.datetime(2020, 1, 1), None], dtype=object), "datetime", ()),
        (pd.Series([np.datetime64("2020-01-01")], dtype=object), "datetime", ()),
        (["2024-12-31", None], "datetime", ()),
        (["2024-12-31", "2024-12-31 18:30"], "datetime", ()),
        (["2024-12-31T18:30Z", "2024-12-31T18:30:00.5+02:00"], "datetime", ()),
        (["2024-12-31T18:30", "2024-12-31T18:30Z"], "categorical", None),
        (["2024-02-30"], "categorical", ("2024-02-30",)),
        (["0000-01-01"], "categorical", ("0000-01-01",)),
        (["2024-12-31T18:30+99:00"], "categorical", ("2024-12-31T18:30+99:00",)),
        (["2024-12-31T24:00"], "categorical", ("2024-12-31T24:00",)),
        (["2024-12-31", "soon"], "categorical", ("2024-12-31", "soon")),
        (["31.12.2024"], "categorical", ("31.12.2024",)),
        (["2024"], "categorical", ("2024",)),
    ],
)
def test_kinds_and_levels_follow_the_cells(cells, kind, levels):
    column = inferred(cells)
    levels = tuple(sorted(cells)) if levels is None else levels
    assert column == Column("x", kind, levels, column.dtype, column.reason, column.scale)
    assert column.reason
    has_values = any(not pd.isna(cell) for cell in cells)
    assert (column.scale is not None) == (not column.is_discrete and has_values)


@pytest.mark.parametrize("n_values", [2, 5, 20, 21])
def test_whole_numbers_are_integers_however_few_they_are(n_values):
    assert inferred(list(range(3, 3 + n_values)) * 50).kind == "integer"


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["2024-12-31", None], "str as YYYY-MM-DD"),
        (["2024-12-31T18:30"], "str as YYYY-MM-DDTHH:MM"),
        (["2024-12-31 18:30:00.25+02:00"], "str as YYYY-MM-DD HH:MM:SS.ff+02:00"),
        (["2024-12-31T18:30+01:00", "2024-07-31T18:30+02:00"], "str as YYYY-MM-DDTHH:MMZ"),
        (["2024-12-31", "2024-12-31T18:30:01"], "str as YYYY-MM-DDTHH:MM:SS"),
        ([dt.date(2024, 12, 31)], "object as date"),
        ([dt.date(2024, 12, 31), dt.datetime(2024, 12, 31, 18)], "object as datetime[us]"),
        (pd.Series([dt.datetime(2024, 12, 31, tzinfo=dt.UTC)], dtype=object), "object as .*, UTC]"),
        (pd.Series([Decimal(3)], dtype=object), "object as Decimal"),
        (pd.Series([3.0], dtype=object), "object as float"),
        (pd.Series([3], dtype=object), "object"),
    ],
)
def test_the_dtype_remembers_how_text_and_objects_are_written(cells, dtype):
    assert re.fullmatch(dtype.replace("[", "\\[").replace("+", "\\+"), inferred(cells).dtype)


def test_polars_and_pyarrow_follow_the_same_rules():
    cells = {"b": [True, None], "i": [0, 1], "f": [0.5, None], "s": ["u", "v"]}
    for frame in (pl.DataFrame(cells), pa.table(cells)):
        kinds = [column.kind for column in infer_schema(frame)]
        assert kinds == ["boolean", "boolean", "numeric", "categorical"]


def test_declared_levels_keep_their_order_and_the_unused_ones():
    enum = pl.DataFrame({"x": pl.Series(["b"], dtype=pl.Enum(["c", "b"]))})
    dictionary = pa.DictionaryArray.from_arrays(pa.array([1]), pa.array(["c", "b"]))
    assert infer_schema(enum)["x"].levels == ("c", "b")
    assert infer_schema(pa.table({"x": dictionary}))["x"].levels == ("c", "b")


def test_a_polars_categorical_has_its_sorted_distinct_values():
    frame = pl.DataFrame({"x": pl.Series(["b", "a", "b"], dtype=pl.Categorical)})
    assert infer_schema(frame)["x"].levels == ("a", "b")


def test_dictionaries_of_several_chunks_are_joined():
    chunks = [pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]
    assert infer_schema(pa.table({"x": pa.chunked_array(chunks)}))["x"].levels == ("a", "b")


def test_units_and_time_zones_are_kept_in_the_dtype():
    times = [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)]
    frame = pd.DataFrame({"x": pd.Series(times).dt.tz_convert("Europe/Paris").dt.as_unit("ms")})
    assert infer_schema(frame)["x"].dtype == "datetime64[ms, Europe/Paris]"
    assert infer_schema(pl.from_pandas(frame))["x"].dtype == "Datetime[ms, Europe/Paris]"
    table = pa.Table.from_pandas(frame)
    assert infer_schema(table)["x"].dtype == "timestamp[ms, tz=Europe/Paris]"


def test_the_kind_of_frame_is_remembered():
    frame = pd.DataFrame({"x": [0.5]})
    assert infer_schema(frame).frame == "pandas"
    assert infer_schema(pl.from_pandas(frame)).frame == "polars"
    assert infer_schema(pa.Table.from_pandas(frame)).frame == "pyarrow"
    assert infer_schema(frame.to_numpy()).frame == "numpy"


def test_the_columns_of_an_array_are_named_by_their_positions():
    schema = infer_schema(np.array([[0, 5], [1, 6]], dtype=np.uint8))
    assert schema.names == ("0", "1")
    assert [column.kind for column in schema] == ["boolean", "integer"]


def test_decimals_are_numeric():
    frame = pl.DataFrame({"x": pl.Series([1.5]).cast(pl.Decimal(10, 2))})
    assert infer_schema(frame)["x"].kind == "numeric"


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        ([1, 2, 3], "categorical", (1, 2, 3)),
        ([1, 2, 3], "numeric", ()),
        ([0.0, 1.0, None], "boolean", (0, 1)),
        ([0.5, 0.25, None], "categorical", (0.25, 0.5)),
        ([1.0, 2.0, None], "integer", ()),
        ([True, False], "categorical", (False, True)),
        (["a", "b"], "categorical", ("a", "b")),
        ([1.0, 2.0, None], "categorical", (1, 2)),
        (["2024-12-31"], "categorical", ("2024-12-31",)),
        (["2024-12-31"], "datetime", ()),
        (pd.Series([None, None], dtype=object), "numeric", ()),
        (pd.Series([None, None], dtype=object), "boolean", (False, True)),
        (pd.Categorical([None], ["c", "b"]), "categorical", ("c", "b")),
    ],
)
def test_the_caller_may_choose_a_kind(cells, kind, levels):
    column = inferred(cells, overrides={"x": kind})
    about = ("x", kind, levels, column.dtype, "chosen by the caller")
    assert column == Column(*about, column.scale)
    has_values = any(not pd.isna(cell) for cell in cells)
    assert (column.scale is not None) == (not column.is_discrete and has_values)


@pytest.mark.parametrize("cells", [[-(2**53), 2**53], [1.7e308, -1.7e308], [0.5, 1.7e308]])
def test_numbers_that_float64_cannot_cut_are_taken_as_they_are(cells):
    assert inferred(cells).scale is None


def test_the_caller_may_choose_a_whole_column():
    column = inferred(["a", "b"], overrides={"x": Column("x", "categorical", ("a", "b", "c"))})
    assert column == Column("x", "categorical", ("a", "b", "c"), "str", "chosen by the caller")


EMPTY = {
    "object": pd.Series([None, None], dtype=object),
    "text": pd.Series([None, None], dtype="str"),
    "floats": pd.Series([np.nan, np.nan]),
    "nullable integers": pd.Series([None, None], dtype="Int64"),
    "nullable booleans": pd.Series([None, None], dtype="boolean"),
    "times": pd.Series([pd.NaT, pd.NaT]),
    "categories": pd.Series(pd.Categorical([None, None], ["a", "b"])),
    "no categories": pd.Series(pd.Categorical([None, None])),
    "arrow": pd.Series([None, None], dtype=pd.ArrowDtype(pa.int8())),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_column_of_missing_cells_is_refused_by_name_whatever_its_dtype(name):
    with pytest.raises(TableError, match=r"every cell of column 'x' is missing.* in overrides"):
        inferred(EMPTY[name])


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize(
    "chosen",
    [
        Column("x", "categorical", ("a", "b")),
        Column("x", "boolean"),
        Column("x", "integer"),
        Column("x", "numeric"),
        Column("x", "datetime"),
    ],
    ids=lambda column: column.kind,
)
def test_a_column_of_missing_cells_is_rescued_by_a_column(name, chosen):
    frame = pd.DataFrame({"x": EMPTY[name]})
    schema = infer_schema(frame, overrides={"x": chosen})
    assert (schema["x"].kind, schema["x"].levels) == (chosen.kind, chosen.levels)
    known = np.array([[1.0, 0.0]])
    np.testing.assert_array_equal(encode(decode(known, schema), schema), known)


@pytest.mark.parametrize(
    ("cells", "choice", "error", "message"),
    [
        ([1.5], "integer", TableError, "column 'x' cannot be integer: it holds 1.5"),
        ([0, 2], "boolean", TableError, "column 'x' cannot be boolean: it holds 2"),
        (
            ["a"],
            "numeric",
            SchemaError,
            "'x' is stored as str and cannot be numeric; possible: categorical. Convert",
        ),
        (["2024-12-31"], "numeric", SchemaError, "possible: categorical, datetime. Convert"),
        ([1], "datetime", SchemaError, "column 'x' .* cannot be datetime"),
        ([1], "ordinal", SchemaError, "column 'x': unknown kind 'ordinal'"),
        ([np.nan], "categorical", TableError, "every cell of column 'x' is missing"),
        ([1], Column("y", "numeric"), SchemaError, "'x' is overridden by a Column named 'y'"),
    ],
)
def test_a_choice_that_the_cells_contradict_is_refused(cells, choice, error, message):
    with pytest.raises(error, match=message):
        inferred(cells, overrides={"x": choice})


def test_a_choice_for_an_unknown_column_is_refused():
    with pytest.raises(SchemaError, match=r"no column 'agee'; did you mean 'age'\?"):
        infer_schema(pd.DataFrame({"age": [1.5]}), overrides={"agee": "numeric"})


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1.0, np.inf], "column 'x' holds inf in row 1"),
        ([1, "a"], "column 'x' holds objects of the type int and str"),
        ([True, 1], "column 'x' holds objects of the type bool and int"),
        ([b"a"], "column 'x' holds objects of the type bytes"),
        ([[1], [2]], "column 'x' holds objects of the type list"),
        ([{"a": 1}], "column 'x' holds objects of the type dict"),
        ([dt.date(2020, 1, 1), "2020-01-01"], "column 'x' holds objects of the type date and str"),
        ([dt.time(12)], "column 'x' holds objects of the type time"),
        (
            pd.Series([NOON, NOON.replace(tzinfo=dt.UTC)], dtype=object),
            "column 'x' holds times with and without a time zone",
        ),
        ([1j], "column 'x' has the type complex128.* imaginary"),
        ([pd.Timedelta(1, "D")], "column 'x' has the type timedelta64.* turn it into a number"),
        (pd.cut(pd.Series([1, 2]), 2), "column 'x' has categories of the type Interval"),
        ([2**53 + 2], "column 'x' holds 9007199254740994: integers beyond 2"),
    ],
)
def test_a_column_that_cannot_be_read_is_named(cells, message):
    with pytest.raises(TableError, match=message):
        inferred(cells)


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (pl.Series([[1]]), "column 'x' has the type List.* its own column"),
        (pl.Series([{"a": 1}]), "column 'x' has the type Struct.* its own column"),
        (pl.Series([b"a"]), "column 'x' has the type Binary.* decode it to text"),
        (pl.Series([dt.timedelta(1)]), "column 'x' has the type Duration"),
        (pl.Series([None]), "every cell of column 'x' is missing"),
        (pl.Series([float("-inf")]), "column 'x' holds -inf in row 0"),
    ],
)
def test_a_polars_column_that_cannot_be_read_is_named(series, message):
    with pytest.raises(TableError, match=message):
        infer_schema(pl.DataFrame({"x": series}))


def test_what_a_library_cannot_convert_is_named():
    table = pa.table({"x": pa.array(["a"], pa.string_view())})
    with pytest.raises(
        TableError, match="column 'x' has the type string_view, which pyarrow cannot"
    ):
        infer_schema(table)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(), "0 rows and 0 columns"),
        (pd.DataFrame({"x": []}), "0 rows and 1 columns"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "column 'x' occurs more than once"),
        (pa.table([[1], [2]], names=["x", "x"]), "column 'x' occurs more than once"),
        (pd.DataFrame([[1, 2]], columns=[0, "x"]), "column names must be text, or all .*, not 0"),
        (pd.DataFrame([[1, 2]], columns=[True, False]), "must be text, or all .*, not True"),
        (pd.DataFrame([[1, 2]], columns=[3, 3]), "column '3' occurs more than once"),
        (np.zeros(3), r"2 dimensions \(rows, columns\), not 1\. Reshape your data: array.reshape"),
        (np.zeros((0, 3)), "0 rows and 3 columns"),
        (np.zeros((1, 1), dtype="i4,f4"), "structured arrays are not read"),
        (np.ma.masked_invalid(np.ones((2, 2))), "masked arrays are not read"),
        (np.zeros((1, 1), dtype=complex), "column '0' has the type complex128"),
        (np.zeros((1, 1), dtype="S1"), "column '0' has the type "),
        (pl.LazyFrame({"x": [1]}), r"not polars.* call .collect\(\) first"),
        ([[1, 2]], "not list; convert it first"),
        (np.zeros((2, 3, 4)), r"reshape\(len\(array\), -1\) keeps the rows"),
        (pd.DataFrame({"x": pd.arrays.SparseArray([0, 1])}), r"frame\.sparse\.to_dense\(\)"),
        (csr_array(np.eye(2)), r"not scipy.sparse.* call .toarray\(\) first"),
    ],
)
def test_a_frame_that_cannot_be_read_is_refused(frame, message):
    with pytest.raises(TableError, match=message):
        infer_schema(frame)


def test_text_that_hardly_repeats_is_called_an_identifier():
    with pytest.warns(IdentifierWarning, match="column 'x' holds 40 different texts in 40 cells"):
        inferred([f"person {number}" for number in range(40)])


def test_one_column_of_one_level_is_in_the_singular():
    schema = infer_schema(pd.DataFrame({"x": ["a", "a"]}))
    assert schema["x"].reason == "text with 1 distinct value"
    assert str(schema).startswith("1 column, pandas\n")


def test_a_column_that_the_caller_chose_is_not_called_an_identifier():
    cells = [f"person {number}" for number in range(40)]
    assert inferred(cells, overrides={"x": "categorical"}).n_levels == 40


def test_the_warning_points_at_the_caller():
    frame = pd.DataFrame({"x": [f"person {number}" for number in range(40)]})
    with pytest.warns(IdentifierWarning) as caught:
        infer_schema(frame)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "cells",
    [
        ["1,5", "2,5", "10,25"],
        ["0.5", "2", "-3.25"],
        ["1,000", "25", "1,234,567.5"],
        ["$5", "$7.50", "$9"],
        ["5 %", "7%", "12 %"],
        [f"{number},5" for number in range(40)],
    ],
)
def test_text_that_looks_like_numbers_is_named(cells):
    message = f"column 'x' is text that looks like numbers \\('{re.escape(min(cells))}', "
    with pytest.warns(NumbersAsTextWarning, match=message) as caught:
        assert inferred(cells).kind == "categorical"
    assert len(caught) == 1


@pytest.mark.parametrize(
    "cells",
    [["1", "2", "10"], ["1.2.3", "1.2.4", "2.0"], ["A1", "1,5", "2"], ["1-2", "3-4", "5-6"]],
)
def test_labels_do_not_look_like_numbers(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert inferred(cells).kind == "categorical"


def test_dates_that_are_all_different_are_no_identifiers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inferred([f"2024-01-{day:02}" for day in range(1, 32)] + ["2024-02-01"])


def test_a_short_table_has_no_identifiers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inferred([f"person {number}" for number in range(29)])


def test_the_callers_frame_is_not_changed():
    frame = pd.DataFrame({"x": ["a", None], "y": [1.0, np.nan]})
    before = frame.copy()
    infer_schema(frame)
    pd.testing.assert_frame_equal(frame, before)
