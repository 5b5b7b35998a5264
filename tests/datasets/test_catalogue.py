"""The catalogue knows every set, says where it is, and fetches it."""

from __future__ import annotations

import gzip
import hashlib
import json

import pytest

from softlearn import SoftlearnError, datasets
from softlearn.datasets import (
    DEBD_NAMES,
    MIXED_NAMES,
    TABULAR_NAMES,
    available,
    debd,
    fetch,
    info,
)

ROWS = {"train": "0,1\n1,1\n", "valid": "1,0\n", "test": "1,1\n"}


@pytest.fixture
def coins(server, monkeypatch):
    """A server with one binary table in place of nltcs."""
    contents = {"about": "two coins", "columns": 2}
    for split, rows in ROWS.items():
        checksum = hashlib.sha256(rows.encode()).hexdigest()
        contents[split] = {"rows": rows.count("\n"), "sha256": checksum}
        server.give(f"/nltcs/nltcs.{split}.data", rows.encode())
    monkeypatch.setitem(debd._CONTENTS, "nltcs", contents)
    monkeypatch.setattr(debd, "ADDRESS", server.address)


def test_every_set_is_listed_once():
    names = [one.name for one in available()]
    assert names == [*DEBD_NAMES, *MIXED_NAMES, *TABULAR_NAMES, "mnist"]
    assert len(set(names)) == 31


def test_information_is_plain_data():
    for one in available():
        assert info(one.name) == one
        assert json.loads(json.dumps(one._asdict())) == one._asdict()
        assert one.rows >= sum(one.splits.values()) > 0 or not one.splits
        assert min(one.rows, one.columns) > 0
        assert one.kind in ("binary", "mixed", "image")
        assert one.source.startswith("https://")
        assert all([one.about, one.licence, one.citation])


def test_looking_fetches_nothing(cache):
    places = {one.name: one.where for one in available()}
    assert {places.pop(name) for name in TABULAR_NAMES} == {"absent"}
    assert set(places.values()) == {"download"}
    assert not cache.exists()


def test_splits_are_told():
    assert info("nltcs").splits == {"train": 16181, "valid": 2157, "test": 3236}
    assert info("mnist").splits == {"train": 60000, "test": 10000}
    assert info("adult").splits == {"train": 32561, "test": 16281}
    assert (info("bank").rows, info("bank").splits) == (45211, {})


@pytest.mark.usefixtures("coins")
def test_fetching_brings_a_set_into_the_cache(cache, server):
    paths = fetch("nltcs")
    assert paths == tuple(cache / "debd" / f"nltcs.{split}.data.gz" for split in ROWS)
    assert [gzip.decompress(path.read_bytes()).decode() for path in paths] == [*ROWS.values()]
    assert info("nltcs").where == "cache"
    assert fetch("nltcs") == paths
    assert set(server.asked.values()) == {1}


@pytest.mark.usefixtures("coins")
def test_a_set_that_is_partly_missing_is_to_be_downloaded():
    fetch("nltcs")[1].unlink()
    assert info("nltcs").where == "download"


@pytest.mark.usefixtures("coins")
def test_a_set_in_the_data_folder_is_local(cache, monkeypatch):
    fetch("nltcs")
    monkeypatch.setenv("SOFTLEARN_DATA", str(cache))
    assert info("nltcs").where == "local"


@pytest.mark.usefixtures("coins")
def test_fetching_checks_what_is_there():
    path = fetch("nltcs")[0]
    path.write_bytes(gzip.compress(b"0,0\n"))
    with pytest.raises(SoftlearnError, match=r"nltcs\.train\.data\.gz holds the 1 rows"):
        fetch("nltcs")


@pytest.mark.parametrize("ask", [info, fetch])
def test_an_unknown_name_is_refused_with_a_hint(ask):
    with pytest.raises(SoftlearnError, match="no data set 'mnits'; did you mean 'mnist'"):
        ask("mnits")


def test_every_public_name_exists():
    assert [name for name in datasets.__all__ if not hasattr(datasets, name)] == []


@pytest.mark.usefixtures("real_data")
def test_the_data_folder_has_every_set():
    assert {one.where for one in available()} == {"local"}
