"""Files of a table become its partitions, with column types that fit all files."""

from __future__ import annotations

import dask
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from softlearn.errors import SchemaError, TableError
from softlearn.files import find_files, open_table
from softlearn.scale import read_partitions
from softlearn.scale.partitions import opened


def read(path, **how):
    """All parts of a table joined, as workers read them."""
    parts = read_partitions(str(path), **how)
    tables = [opened(frame) for frame in dask.compute(*parts.frames)]
    return pa.concat_tables(tables, promote_options="permissive")


@pytest.fixture
def texts(tmp_path):
    """Files whose cells look different one by one: whole, then decimal; dates, then words."""
    parts = {
        "a.csv": "n,when,code,gap\n1,2024-01-01,7,\n2,2024-01-02,8,\n",
        "b.csv": "n,when,code,gap\n2.5,soon,x,\nNA,2024-01-03,9,3\n",
        "c.csv": "n,when,code,gap\n,,,\n",
    }
    for name, text in parts.items():
        (tmp_path / name).write_text(text)
    whole = "".join(
        text if name == "a.csv" else text.partition("\n")[2] for name, text in parts.items()
    )
    (tmp_path / "whole").write_text(whole)
    return tmp_path


def test_columns_of_text_files_have_the_types_of_the_joined_file(texts):
    with open_table(texts / "whole") as source:
        expected = source.read_all()
    found = read(texts / "*.csv")
    assert found.schema == expected.schema
    assert found.to_pylist() == expected.to_pylist()
    assert [str(one) for one in found.schema.types] == ["double", "string", "string", "int64"]


def test_columns_that_stay_text_and_words_for_missing_cells(texts):
    found = read(texts / "*.csv", text_columns={"n"}, missing={"soon"})
    assert found["n"].to_pylist() == ["1", "2", "2.5", "NA", None]
    assert str(found["when"].type) == "date32[day]"


def test_parquet_is_read_by_groups_of_rows(tmp_path):
    table = pa.table({"x": np.arange(100.0), "w": np.ones(100), "": np.arange(100)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=10)
    parts = read_partitions(str(tmp_path / "t.parquet"), part_bytes=700)
    assert len(parts.frames) == 10
    assert parts.partition_places[3].endswith("t.parquet, row groups 3 to 3")
    assert len(read_partitions(str(tmp_path)).frames) == 1
    weighted = read_partitions(str(tmp_path), weights="w", part_bytes=700)
    frames = [opened(frame) for frame in weighted.frames]
    weights = [opened(one) for one in weighted.weights]
    assert frames[0].column_names == ["x"]
    assert pa.concat_tables(frames)["x"].to_pylist() == table["x"].to_pylist()
    assert [w.tolist() for w in weights] == [[1.0] * 10] * 10


def test_files_are_found_in_the_order_of_their_names(tmp_path):
    for name in ("b.csv", "a.csv", "notes.txt"):
        (tmp_path / name).write_text("x\n1\n")
    assert [file.name for file in find_files(str(tmp_path))] == ["a.csv", "b.csv"]
    assert [file.name for file in find_files(str(tmp_path / "[ab].csv"))] == ["a.csv", "b.csv"]
    odd = tmp_path / "[1].csv"  # a file may be called like a pattern
    odd.write_text("x\n1\n")
    assert find_files(str(odd)) == [odd]


@pytest.mark.parametrize(
    ("path", "how", "error", "words"),
    [
        ("*.tsv", {}, TableError, "matches no table file"),
        ("lost.parquet", {}, TableError, "cannot read .*lost.parquet: No such file"),
        ("broken.parquet", {}, TableError, "cannot read .*broken.parquet"),
        ("*.*", {}, TableError, "Parquet and other files"),
        ("a.csv", {"drop": ["z"]}, SchemaError, "no column 'z'"),
        ("a.csv", {"weights": "weigth"}, SchemaError, "no column 'weigth'"),
    ],
)
def test_what_cannot_be_read_is_told_at_once(path, how, error, words, texts):
    (texts / "broken.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(error, match=words):
        read_partitions(str(texts / path), **how)


def test_a_file_that_is_unlike_the_others_is_named(texts):
    from softlearn import SoftLearn

    pd.DataFrame({"n": [1, 2]}).to_csv(texts / "d.csv", index=False)
    with pytest.raises(TableError, match=r"d\.csv has no column 'when', which .*a\.csv has"):
        SoftLearn().fit(read_partitions(str(texts / "*.csv")))


def test_a_large_group_of_rows_is_cut(tmp_path):
    frame = pd.DataFrame({"a": np.arange(1000), "b": np.arange(1000) % 7})
    frame.to_parquet(tmp_path / "one.parquet", index=False)
    parts = read_partitions(str(tmp_path / "one.parquet"), part_bytes=5000)
    n = len(parts.frames)
    assert n >= 16_000 / 5000
    assert parts.partition_places[1].endswith(f"one.parquet, part 2 of {n}")
    tables = [opened(frame) for frame in parts.frames]
    assert {table.num_rows for table in tables} <= {1000 // n, 1000 // n + 1}
    np.testing.assert_array_equal(np.concatenate([t["a"] for t in tables]), frame["a"])
    assert all(table.nbytes < 5000 for table in tables)
