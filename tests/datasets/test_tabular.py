"""Tables in two splits come as a reader of CSV files expects them, from a folder or not at all."""

from __future__ import annotations

import gzip
import hashlib

import numpy as np
import pandas as pd
import pytest

from softlearn import SoftlearnError
from softlearn.datasets import TABULAR_NAMES, load_tabular, tabular

TRAIN = "name,size,count,sold\nred,0.25,3,True\n,2.5,1,False\nblue,1e-06,2,True\n"
TEST = "name,size,count,sold\nred,1.0,7,False\n"


def described(text: str) -> dict:
    return {"rows": text.count("\n") - 1, "sha256": hashlib.sha256(text.encode()).hexdigest()}


@pytest.fixture(autouse=True)
def shop(monkeypatch):
    """A table of four columns, 'shop', that nobody has yet."""
    about = {"about": "a shop", "licence": "none", "citation": "nobody", "source": "https://shop"}
    about |= {"target": "sold", "task": "classification"}
    about |= {"columns": TRAIN.splitlines()[0].split(",")}
    about |= {"train": described(TRAIN), "test": described(TEST)}
    monkeypatch.setitem(tabular._CONTENTS, "shop", about)


@pytest.fixture
def put(tmp_path, monkeypatch):
    """A data folder with the shop, and a way to replace its training rows."""
    monkeypatch.setenv("SOFTLEARN_DATA", str(tmp_path))

    def write(train: str) -> None:
        (tmp_path / "tabular").mkdir(exist_ok=True)
        for split, text in (("train", train), ("test", TEST)):
            (tmp_path / "tabular" / f"shop.{split}.csv.gz").write_bytes(
                gzip.compress(text.encode())
            )

    write(TRAIN)
    return write


@pytest.mark.usefixtures("put")
def test_columns_are_what_a_reader_of_csv_expects():
    train, test, target, task = load_tabular("shop")
    assert train["name"].tolist()[::2] == ["red", "blue"]
    assert train["name"].isna().tolist() == [False, True, False]
    assert train["size"].tolist() == [0.25, 2.5, 1e-06]
    assert (train["count"].dtype, train["sold"].dtype) == (np.int64, np.bool_)
    assert pd.api.types.is_string_dtype(test["name"])
    assert (len(test), target, task) == (1, "sold", "classification")


def test_a_table_that_is_nowhere_is_an_error_that_says_what_to_bring(cache):
    with pytest.raises(SoftlearnError, match="SOFTLEARN_DATA") as caught:
        load_tabular("shop")
    told = str(caught.value)
    for part in (
        "tabular/shop.train.csv.gz",
        str(cache),
        "cannot be downloaded",
        "a CSV file of 3 rows from https://shop",
        described(TRAIN)["sha256"],
    ):
        assert part in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("2.5", "2.6", "has the checksum"),
        (",2.5,1,False\n", "", "has 2 rows instead of 3"),
        ("size", "width", "should begin with the columns name, size, count, sold"),
        (TRAIN, "", "should begin with the columns"),
    ],
)
def test_a_wrong_file_is_noticed(put, old, new, words):
    put(TRAIN.replace(old, new))
    with pytest.raises(SoftlearnError, match=rf"shop\.train\.csv\.gz {words}.*; replace the file$"):
        load_tabular("shop")


def test_an_unknown_name_is_refused_with_a_hint():
    with pytest.raises(SoftlearnError, match="no table in two splits 'adlut'; did you mean 'adult"):
        load_tabular("adlut")


def test_there_are_four_tables():
    assert TABULAR_NAMES == ("adult", "shoppers", "magic", "beijing")


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", TABULAR_NAMES)
def test_real_tables_have_their_rows_and_the_same_columns_in_both_splits(name):
    train, test, target, task = load_tabular(name)
    about = tabular._CONTENTS[name]
    assert (len(train), len(test)) == (about["train"]["rows"], about["test"]["rows"])
    assert list(train.columns) == list(test.columns) == about["columns"]
    assert list(train.dtypes) == list(test.dtypes)
    assert pd.api.types.is_float_dtype(train[target]) == (task == "regression")


@pytest.mark.usefixtures("real_data")
def test_only_three_columns_of_adult_have_missing_cells():
    for name in TABULAR_NAMES:
        blank = load_tabular(name).train.isna().sum()
        expected = {"workclass": 1836, "occupation": 1843, "native.country": 583}
        assert blank[blank > 0].to_dict() == (expected if name == "adult" else {})
