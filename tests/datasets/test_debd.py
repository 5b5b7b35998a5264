"""The binary tables are what they are said to be, or an error says what is wrong."""

from __future__ import annotations

import gzip
import hashlib
import os

import numpy as np
import pandas as pd
import pytest

from softlearn import SoftlearnError
from softlearn.datasets import DEBD_NAMES, debd, load_debd

ROWS = {"train": "0,1\n1,1\n0,0\n", "valid": "1,0\n0,0\n", "test": "1,1\n"}
has_data = pytest.mark.skipif(
    "SOFTLEARN_DATA" not in os.environ, reason="SOFTLEARN_DATA names no folder with debd/*.data.gz"
)


def about(content: str) -> dict[str, object]:
    checksum = hashlib.sha256(content.encode()).hexdigest()
    return {"rows": content.count("\n"), "sha256": checksum}


@pytest.fixture
def put(tmp_path, monkeypatch):
    """A data folder with one table of two columns, 'coins', and a way to replace its splits."""
    contents = {"columns": 2} | {split: about(rows) for split, rows in ROWS.items()}
    monkeypatch.setitem(debd._CONTENTS, "coins", contents)
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path))
    (tmp_path / "debd").mkdir()

    def write(split: str, rows: str) -> None:
        path = tmp_path / "debd" / f"coins.{split}.data.gz"
        path.write_bytes(gzip.compress(rows.encode()))

    for split, rows in ROWS.items():
        write(split, rows)
    return write


@pytest.mark.usefixtures("put")
def test_splits_come_as_small_integers():
    splits = load_debd("coins")
    assert [table.dtype for table in splits] == [np.uint8] * 3
    assert splits.train.tolist() == [[0, 1], [1, 1], [0, 0]]
    assert splits.valid.tolist() == [[1, 0], [0, 0]]
    assert splits.test.tolist() == [[1, 1]]


@pytest.mark.usefixtures("put")
def test_splits_come_as_frames():
    splits = load_debd("coins", as_frame=True)
    assert all(isinstance(frame, pd.DataFrame) for frame in splits)
    assert list(splits.train.columns) == ["0", "1"]
    assert (splits.train.to_numpy() == load_debd("coins").train).all()


def test_an_unknown_name_is_refused_with_a_hint():
    with pytest.raises(SoftlearnError, match="no binary table 'nltc'; did you mean 'nltcs'"):
        load_debd("nltc")


def test_an_unknown_name_lists_all():
    with pytest.raises(SoftlearnError, match=r"Known are nltcs, msnbc, .*, ad$"):
        load_debd("?")


def test_without_a_folder_the_variable_is_explained(monkeypatch):
    monkeypatch.delenv("SOFTLEARN_DATA", raising=False)
    with pytest.raises(SoftlearnError, match="export SOFTLEARN_DATA="):
        load_debd("nltcs")


def test_a_folder_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path / "gone"))
    with pytest.raises(SoftlearnError, match="gone', which is not a folder"):
        load_debd("nltcs")


def test_a_missing_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path))
    with pytest.raises(SoftlearnError, match=r"nltcs\.train\.data\.gz is missing"):
        load_debd("nltcs")


def test_a_file_that_is_not_gzip_is_named(put, tmp_path):
    (tmp_path / "debd" / "coins.train.data.gz").write_bytes(b"0,1\n")
    with pytest.raises(SoftlearnError, match=r"coins\.train\.data\.gz cannot be unpacked"):
        load_debd("coins")


@pytest.mark.parametrize("keep", [5, 20, -4])
def test_a_file_that_was_cut_short_is_named(put, tmp_path, keep):
    path = tmp_path / "debd" / "coins.train.data.gz"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(SoftlearnError, match=r"coins\.train\.data\.gz cannot be unpacked"):
        load_debd("coins")


def test_other_cells_are_noticed(put):
    put("valid", "1,0\n0,1\n")
    with pytest.raises(SoftlearnError, match=r"coins\.valid\.data\.gz has the checksum"):
        load_debd("coins")


def test_a_missing_row_is_noticed(put):
    put("train", "0,1\n1,1\n0,0\n1,1\n")
    with pytest.raises(SoftlearnError, match="has 4 rows instead of 3"):
        load_debd("coins")


def test_a_missing_column_is_noticed(put):
    put("train", "0\n1\n0\n")
    with pytest.raises(SoftlearnError, match="has 1 columns instead of 2"):
        load_debd("coins")


def test_an_empty_file_is_noticed(put):
    put("train", "")
    with pytest.raises(SoftlearnError, match="has 0 rows instead of 3"):
        load_debd("coins")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_swapped_splits_are_noticed(put, ends):
    put("valid", ROWS["test"].replace("\n", ends))
    put("test", ROWS["valid"].replace("\n", ends))
    with pytest.raises(SoftlearnError, match="holds the 1 rows of the test split, not the 2 of va"):
        load_debd("coins")


def test_swapped_splits_of_one_length_are_noticed(put, monkeypatch):
    monkeypatch.setitem(debd._CONTENTS["coins"], "test", about("0,1\n1,1\n"))
    put("valid", "0,1\n1,1\n")
    with pytest.raises(SoftlearnError, match="holds the 2 rows of the test split"):
        load_debd("coins")


def test_there_are_twenty_tables():
    assert len(DEBD_NAMES) == 20


def test_the_known_trap_is_told_apart_by_its_rows():
    rows = {
        name: (debd._CONTENTS[name]["valid"]["rows"], debd._CONTENTS[name]["test"]["rows"])
        for name in ("tmovie", "tretail")
    }
    assert rows == {"tmovie": (1002, 591), "tretail": (2938, 4408)}


@has_data
@pytest.mark.parametrize("name", ["nltcs", "tmovie", "tretail", "dna"])
def test_real_tables_are_binary_and_complete(name):
    splits = load_debd(name)
    for split, table in splits._asdict().items():
        expected = debd._CONTENTS[name]
        assert table.shape == (expected[split]["rows"], expected["columns"])
        assert np.unique(table).tolist() == [0, 1]


@has_data
def test_every_table_has_its_files():
    folder = debd._data_folder() / "debd"
    assert not [
        path
        for name in DEBD_NAMES
        for split in debd.SPLITS
        if not (path := folder / f"{name}.{split}.data.gz").is_file()
    ]
