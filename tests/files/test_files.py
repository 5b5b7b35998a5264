"""Tables in files: what cells are read as, what comes back, and what is refused."""

from __future__ import annotations

import gzip
import io
import sys
from datetime import UTC, date, datetime

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from softlearn.errors import TableError
from softlearn.files import TableWriter, is_text_file, open_table, text_source, write_csv
from softlearn.table import Column, Schema

GUESSES = {
    "whole": (["1", "", "-20", "+3"], pa.int64(), [1, None, -20, 3]),
    "decimal": (["1", "2.5", "NA", "1e3"], pa.float64(), [1.0, 2.5, None, 1000.0]),
    "truths": (["TRUE", "false", "", "True"], pa.bool_(), [True, False, None, True]),
    "yes and no": (["yes", "no"], pa.string(), ["yes", "no"]),
    "postcodes": (["00123", "12345"], pa.string(), ["00123", "12345"]),
    "long numbers": (["1234567890123456", "1"], pa.string(), ["1234567890123456", "1"]),
    "not infinite": (["inf", "1"], pa.string(), ["inf", "1"]),
    "days": (["2024-01-31", "?"], pa.date32(), [date(2024, 1, 31), None]),
    "not a day": (["2024-02-30"], pa.string(), ["2024-02-30"]),
    "times": (
        ["2024-01-31 10:30", "2024-01-31T10:30:01.5"],
        pa.timestamp("us"),
        [datetime(2024, 1, 31, 10, 30), datetime(2024, 1, 31, 10, 30, 1, 500_000)],
    ),
    "zoned times": (
        ["2024-01-31T10:30:00Z", "2024-01-31T10:30:00+02:00"],
        pa.timestamp("us", "UTC"),
        [datetime(2024, 1, 31, 10, 30, tzinfo=UTC), datetime(2024, 1, 31, 8, 30, tzinfo=UTC)],
    ),
    "spaces": ([" a", "b "], pa.string(), ["a", "b"]),
    "nothing": (["", "NA"], pa.null(), [None, None]),
}


def written(path, text, **encoding):
    path.write_bytes(text.encode(**encoding) if isinstance(text, str) else text)
    return path


def read(path, **options):
    with open_table(path, **options) as source:
        return source.read_all()


@pytest.mark.parametrize("name", GUESSES)
def test_the_first_type_that_suits_all_cells_is_taken(name, tmp_path):
    cells, kind, expected = GUESSES[name]
    text = "x,y\n" + "".join(f"{cell},z\n" for cell in cells)
    column = read(written(tmp_path / "t.csv", text))["x"]
    assert column.type == kind
    assert column.to_pylist() == expected


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_header_shows_the_delimiter(delimiter, tmp_path):
    text = f'"a, b"{delimiter}c{delimiter}d\n1{delimiter}2{delimiter}3\n'
    assert read(written(tmp_path / "t.csv", text)).to_pylist() == [{"a, b": 1, "c": 2, "d": 3}]


def test_quotes_hold_delimiters_line_ends_and_quotes(tmp_path):
    text = '"a\nb",c\n"x, ""y""\nz",1\n'
    assert read(written(tmp_path / "t.csv", text)).to_pylist() == [{"a\nb": 'x, "y"\nz', "c": 1}]


def test_a_byte_order_mark_and_windows_line_ends_are_no_cells(tmp_path):
    path = written(tmp_path / "t.csv", b"\xef\xbb\xbfa,b\r\n1,x\r\n")
    assert read(path).to_pylist() == [{"a": 1, "b": "x"}]


def test_a_type_is_the_same_however_many_batches_there_are(tmp_path, monkeypatch):
    monkeypatch.setattr(text_source, "_BLOCK_BYTES", 64)
    cells = [*map(str, range(200)), "0.5"]
    path = written(tmp_path / "t.csv", "x,y\n" + "".join(f"{cell},a\n" for cell in cells))
    schema = Schema((Column("x", "numeric"),))
    with open_table(path) as source:
        batches = list(source.batches(schema))
    assert len(batches) > 5
    assert {batch.table["x"].type for batch in batches} == {pa.float64()}
    cells_read = [cell for batch in batches for cell in batch.table["x"].to_pylist()]
    assert cells_read == [*range(200), 0.5]
    assert read(path)["x"].type == pa.float64()
    assert batches[-1].share == 1.0


def test_a_wrong_cell_is_named_with_its_row_in_any_batch(tmp_path, monkeypatch):
    monkeypatch.setattr(text_source, "_BLOCK_BYTES", 64)
    path = written(tmp_path / "t.csv", "x,y\n" + "1,a\n" * 99 + "old,a\n")
    schema = Schema((Column("x", "integer"),))
    with open_table(path) as source, pytest.raises(TableError, match="'old' in row 99 "):
        list(source.batches(schema))


def test_a_schema_says_what_text_means(tmp_path):
    path = written(tmp_path / "t.csv", "a,b,c,d\nyes,1,NA,2024-01-31\nno,2.0,x,\n")
    schema = Schema(
        (
            Column("a", "boolean"),
            Column("b", "categorical", (1, 2)),
            Column("c", "categorical", ("NA", "x")),
            Column("d", "datetime"),
        )
    )
    with open_table(path) as source:
        (batch,) = source.batches(schema)
    assert batch.table.to_pylist() == [
        {"a": True, "b": 1, "c": "NA", "d": datetime(2024, 1, 31)},
        {"a": False, "b": 2, "c": "x", "d": None},
    ]


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        (Column("x", "numeric"), "1,5", "a number"),
        (Column("x", "boolean"), "maybe", "true or false"),
        (Column("x", "datetime"), "31.1.2024", "a date or time"),
        (Column("x", "datetime", dtype="date32[day]"), "2024-01-31 10:00", "a date such as"),
        (Column("x", "datetime", dtype="timestamp[us, tz=UTC]"), "2024-01-31", "with its zone"),
        (Column("x", "datetime"), "2024-02-30", "a date or time"),
    ],
)
def test_a_cell_that_its_column_cannot_hold_is_refused(column, cell, expected, tmp_path):
    path = written(tmp_path / "t.csv", f'x;y\n"{cell}";1\n')
    with open_table(path) as source, pytest.raises(TableError, match=expected):
        list(source.batches(Schema((column,))))


def test_the_callers_words_are_missing(tmp_path):
    path = written(tmp_path / "t.csv", "x,y\n-9,NA\n1,b\n")
    assert read(path, missing={"-9"}).to_pylist() == [{"x": None, "y": "NA"}, {"x": 1, "y": "b"}]


WRONG = {
    "empty": (b"", "it is empty"),
    "blank": (b"\n\n", "it is empty"),
    "garbage": (bytes(range(128, 256)) * 20, "neither CSV"),
    "zeros": (b"\0" * 100, "neither CSV"),
    "latin": ("näme,b\n1,2\n".encode("latin1"), "iconv"),
    "latin cell": ("a,b\n1,ä\n".encode("latin1"), r"row 0 \(the first is row 0\) is not UTF-8"),
    "ragged": (b"a,b\n1,2\n3\n", r"row 1 \(the first is row 0\): expected 2 columns, got 1"),
    "repeated": (b"a,b,a\n1,2,3\n", "'a' occurs more than once"),
    "spreadsheet": (b"PK\x03\x04....", "spreadsheet"),
    "short parquet": (b"PAR1....", "cannot read"),
    "short feather": (b"ARROW1....", "cannot read"),
    "short gzip": (gzip.compress(b"a,b\n1,2\n" * 999)[:40], "cannot read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_table_is_refused_in_one_sentence(name, tmp_path):
    content, message = WRONG[name]
    path = written(tmp_path / "t.csv", content)
    with pytest.raises(TableError, match=message):
        read(path)


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(TableError, match="No such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(TableError, match="it is a folder"):
        read(tmp_path)


def test_a_header_alone_has_no_rows(tmp_path):
    table = read(written(tmp_path / "t.csv", "a,b\n"))
    assert (table.num_rows, table.column_names) == (0, ["a", "b"])


def test_an_empty_line_is_a_missing_cell_where_there_is_one_column(tmp_path):
    assert read(written(tmp_path / "t.csv", "a\n1\n\n3\n"))["a"].to_pylist() == [1, None, 3]
    two = read(written(tmp_path / "t.csv", "a,b\n1,2\n\n3,4\n\n"))
    assert two["a"].to_pylist() == [1, 3]


TYPED = pa.table(
    {
        "n": pa.array([1, None, 3], pa.int32()),
        "t": pa.array(["a, b", 'q"', None]),
        "d": pa.array([date(2024, 1, 1), None, date(2024, 1, 3)]),
        "k": pa.array(["x", None, "y"]).dictionary_encode(),
        "b": pa.array([True, None, False]),
    }
)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_typed_files_keep_types_through_batches(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    with TableWriter(path) as writer:
        writer.write(TYPED)
        writer.write(TYPED)
    assert read(path).cast(TYPED.schema).equals(pa.concat_tables([TYPED, TYPED]))


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "tsv.gz"])
def test_text_files_come_back(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    with TableWriter(path) as writer:
        writer.write(TYPED)
        writer.write(TYPED)
    assert is_text_file(path)
    expected = TYPED.set_column(3, "k", TYPED["k"].cast(pa.string())).to_pylist()
    assert read(path).to_pylist() == expected * 2


def test_quotes_are_written_only_where_they_are_needed():
    stream = io.StringIO()
    write_csv(stream, TYPED.select(["t", "b"]), header=True)
    assert stream.getvalue() == 't,b\n"a, b",true\n"q""",\n,false\n'


def test_decimals_stay_decimals():
    stream = io.StringIO()
    numbers = [1.0, -2.0, 1e20, 1e-7, 0.1, float("-inf"), None]
    write_csv(stream, pa.table({"x": numbers}), header=False)
    assert stream.getvalue().split() == ["1.0", "-2.0", "1e+20", "1e-7", "0.1", "-inf", '""']


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = written(tmp_path / "t.csv", "old")

    def fail_half_way():
        with TableWriter(path) as writer:
            writer.write(TYPED)
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "message"),
    [("t.xlsx", "it may end in"), ("no/t.csv", "does not exist"), ("d.csv", "it is a folder")],
)
def test_what_cannot_be_written_is_refused_at_once(name, message, tmp_path):
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(TableError, match=message):
        TableWriter(tmp_path / name)


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_a_file_like_any_other(packed, monkeypatch):
    content = b"a,b\n1,x\n"

    class Stdin:
        buffer = io.BytesIO(gzip.compress(content) if packed else content)

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert read("-").to_pylist() == [{"a": 1, "b": "x"}]


def test_standard_input_may_be_parquet(monkeypatch):
    sink = io.BytesIO()
    pa.parquet.write_table(TYPED, sink)

    class Stdin:
        buffer = io.BytesIO(sink.getvalue())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert read("-").num_rows == 3


SPELLINGS = [
    (Column("x", "boolean"), ["TRUE", ""], [None, False], ["TRUE", "FALSE"]),
    (Column("x", "boolean"), ["No", ""], [None, True], ["No", "Yes"]),
    (Column("x", "boolean"), ["0", ""], [None, True], ["0", "1"]),
    (Column("x", "integer"), ["1.0", "NA"], [1, 2], ["1.0", "2.0"]),
    (Column("x", "integer"), ["1", "NA"], [1, 2], ["1", "2"]),
    (Column("x", "boolean", (0, 1)), ["1.0", ""], [1, 0], ["1.0", "0.0"]),
    (Column("x", "numeric"), ["1.50", ""], [1.5, 2.25], ["1.50", "2.25"]),
    (Column("x", "numeric"), ["1.50", ""], [1.5, 80.0], ["1.50", "80.0"]),
    (Column("x", "numeric"), ["1", ""], [1.0, 80.0], ["1", "80"]),
    (Column("x", "categorical", (1, 2)), ["1", "?"], [1, 2], ["1", "2"]),
    (
        Column("x", "datetime"),
        ["2024-01-31", ""],
        [None, datetime(2024, 2, 1, 13)],
        ["2024-01-31", "2024-02-01"],
    ),
    (
        Column("x", "datetime"),
        ["2024-01-31T10:30", ""],
        [None, datetime(2024, 2, 1, 13, 5, 7, 250_000)],
        ["2024-01-31T10:30", "2024-02-01T13:05"],
    ),
    (
        Column("x", "datetime"),
        ["2024-01-31 10:30:00", ""],
        [None, datetime(2024, 2, 1, 13, 5, 7, 250_000)],
        ["2024-01-31 10:30:00", "2024-02-01 13:05:07"],
    ),
]


@pytest.mark.parametrize(("column", "cells", "filled", "expected"), SPELLINGS)
def test_filled_cells_are_spelt_as_their_column_is(column, cells, filled, expected, tmp_path):
    path = written(tmp_path / "t.csv", "x,y\n" + "".join(f"{cell},0\n" for cell in cells))
    schema = Schema((column,))
    with open_table(path) as source:
        (batch,) = source.batches(schema)
        table = pa.table({"x": pa.array(filled, batch.table["x"].type)})
        answer = source.filled(batch, table, schema)
    assert answer["x"].to_pylist() == expected
    assert answer["y"].to_pylist() == ["0"] * len(cells)
