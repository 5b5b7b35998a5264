"""The binary tables are what they are said to be, or an error says what is wrong."""

from __future__ import annotations

import gzip
import hashlib

import numpy as np
import pandas as pd
import pytest

from softlearn import SoftlearnError, infer_schema
from softlearn.datasets import DEBD_NAMES, debd, load_debd
from softlearn.datasets.debd import SPLITS

ROWS = {"train": "0,1\n1,1\n0,0\n", "valid": "1,0\n0,0\n", "test": "1,1\n"}


def about(content: str) -> dict[str, object]:
    checksum = hashlib.sha256(content.encode()).hexdigest()
    return {"rows": content.count("\n"), "sha256": checksum}


@pytest.fixture
def coins(monkeypatch):
    """A table of two columns, 'coins', that nobody has yet."""
    contents = {"about": "two coins", "columns": 2}
    contents |= {split: about(rows) for split, rows in ROWS.items()}
    monkeypatch.setitem(debd._CONTENTS, "coins", contents)


@pytest.fixture
def put(coins, tmp_path, monkeypatch):
    """A data folder with the coins, and a way to replace their splits."""
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path))
    (tmp_path / "debd").mkdir()

    def write(split: str, rows: str) -> None:
        path = tmp_path / "debd" / f"coins.{split}.data.gz"
        path.write_bytes(gzip.compress(rows.encode()))

    for split, rows in ROWS.items():
        write(split, rows)
    return write


@pytest.fixture
def publish(coins, server, monkeypatch):
    """A server with the coins, and a way to replace their splits."""
    monkeypatch.setattr(debd, "ADDRESS", server.address)

    def serve(split: str, rows: str) -> None:
        server.give(f"/coins/coins.{split}.data", rows.encode())

    for split, rows in ROWS.items():
        serve(split, rows)
    return serve


@pytest.mark.usefixtures("put")
def test_splits_come_as_small_integers():
    splits = load_debd("coins")
    assert [table.dtype for table in splits] == [np.uint8] * 3
    assert splits.train.tolist() == [[0, 1], [1, 1], [0, 0]]
    assert splits.valid.tolist() == [[1, 0], [0, 0]]
    assert splits.test.tolist() == [[1, 1]]


@pytest.mark.usefixtures("put")
def test_tables_may_be_changed():
    assert all(table.flags.writeable for table in load_debd("coins"))


@pytest.mark.usefixtures("put")
def test_splits_come_as_frames():
    splits = load_debd("coins", as_frame=True)
    assert all(isinstance(frame, pd.DataFrame) for frame in splits)
    assert list(splits.train.columns) == ["0", "1"]
    assert (splits.train.to_numpy() == load_debd("coins").train).all()


@pytest.mark.usefixtures("put")
def test_a_frame_and_an_array_mean_the_same_to_a_model():
    framed, plain = (
        [(column.name, column.kind, column.levels) for column in infer_schema(one)]
        for one in (load_debd("coins", as_frame=True).train, load_debd("coins").train)
    )
    assert framed == plain == [("0", "boolean", (0, 1)), ("1", "boolean", (0, 1))]


def test_an_unknown_name_is_refused_with_a_hint():
    with pytest.raises(SoftlearnError, match="no binary table 'nltc'; did you mean 'nltcs'"):
        load_debd("nltc")


def test_an_unknown_name_lists_all():
    with pytest.raises(SoftlearnError, match=r"Known are nltcs, msnbc, .*, ad$"):
        load_debd("?")


@pytest.mark.usefixtures("publish")
def test_what_is_missing_is_downloaded(cache):
    splits = load_debd("coins")
    assert splits.test.tolist() == [[1, 1]]
    stored = {path.name for path in (cache / "debd").iterdir()}
    assert stored == {f"coins.{split}.data.gz" for split in SPLITS}


@pytest.mark.usefixtures("publish")
def test_what_is_in_the_data_folder_is_not_downloaded(put, server):
    load_debd("coins")
    assert not server.asked


def test_a_wrong_download_is_noticed(publish, cache):
    publish("train", "0,1\n")
    with pytest.raises(SoftlearnError, match=r"coins\.train\.data holds the 1 rows of the test sp"):
        load_debd("coins")
    assert not cache.exists()


def test_splits_that_are_swapped_at_the_source_are_put_right(publish, monkeypatch):
    monkeypatch.setattr(debd, "_OFTEN_SWAPPED", ("coins",))
    publish("valid", ROWS["test"])
    publish("test", ROWS["valid"])
    splits = load_debd("coins")
    assert [len(table) for table in splits] == [3, 2, 1]
    assert splits.test.tolist() == [[1, 1]]


def test_other_cells_are_noticed(put):
    put("valid", "1,0\n0,1\n")
    with pytest.raises(SoftlearnError, match=r"coins\.valid\.data\.gz has the checksum"):
        load_debd("coins")


def test_a_row_too_many_is_noticed(put):
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
        for name in debd._OFTEN_SWAPPED
    }
    assert rows == {"tmovie": (1002, 591), "tretail": (2938, 4408)}


def test_the_address_is_that_of_the_public_repository():
    train, _, _ = debd.published("nltcs").files
    assert train.sources[0].address.endswith(
        "/UCLA-StarAI/Density-Estimation-Datasets/master/datasets/nltcs/nltcs.train.data"
    )


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", ["nltcs", "tmovie", "tretail", "dna"])
def test_real_tables_are_binary_and_complete(name):
    splits = load_debd(name)
    for split, table in splits._asdict().items():
        expected = debd._CONTENTS[name]
        assert table.shape == (expected[split]["rows"], expected["columns"])
        assert np.unique(table).tolist() == [0, 1]
