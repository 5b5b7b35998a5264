"""A file comes from the data folder, the cache or its source, in that order, and is checked."""

from __future__ import annotations

import gzip
import hashlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from datasets.local_server import cut_short, status
from softlearn import SoftlearnError
from softlearn.datasets.download import download
from softlearn.datasets.files import DataFile, Source, content_of, find

CONTENT = b"0,1\n" * 50_000
PATH = "shelf/table.gz"


def file_from(*addresses):
    return DataFile(
        path=PATH,
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        sources=tuple(Source(one, partial(download, one)) for one in addresses),
        difference=lambda content: f"has {len(content)} bytes",
    )


def put(folder, content, path=PATH):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(gzip.compress(content))


def everything_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SOFTLEARN_DATA", str(folder))
    return folder


def test_the_data_folder_comes_first(data, cache):
    put(data, CONTENT)
    put(cache, CONTENT)
    assert find(file_from()) == ("local", data / PATH)
    assert content_of(file_from()) == CONTENT


@pytest.mark.usefixtures("data")
def test_the_cache_comes_second(cache):
    put(cache, CONTENT)
    assert find(file_from()) == ("cache", cache / PATH)
    assert content_of(file_from()) == CONTENT


def test_the_source_comes_last_and_is_asked_once(server, cache):
    file = file_from(server.give("/table", CONTENT))
    assert find(file) == ("download", cache / PATH)
    assert [content_of(file), content_of(file)] == [CONTENT, CONTENT]
    assert server.asked["/table"] == 1
    assert everything_in(cache) == ["table.gz"]
    assert gzip.decompress((cache / PATH).read_bytes()) == CONTENT


def test_nothing_is_written_to_the_data_folder(server, data):
    content_of(file_from(server.give("/table", CONTENT)))
    assert everything_in(data) == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (cut_short(CONTENT, 70_000), "the connection broke after 70000 of 200000"),
        (b"0,1\n", "has 4 bytes"),
        (status(404), "the server answered 404"),
    ],
    ids=["broken connection", "wrong checksum", "not found"],
)
def test_a_failure_leaves_nothing_behind(server, cache, answer, words):
    file = file_from(server.give("/table", answer))
    with pytest.raises(SoftlearnError, match=words):
        content_of(file)
    assert not cache.exists()


def test_a_failure_says_how_to_do_without(server):
    file = file_from(server.give("/table", status(404)))
    with pytest.raises(SoftlearnError, match=r"SOFTLEARN_DATA name the folder that holds shelf/ta"):
        content_of(file)


@pytest.mark.parametrize("first", [status(404), b"an error page"])
def test_the_next_source_is_tried(server, cache, first):
    file = file_from(server.give("/first", first), server.give("/second", CONTENT))
    assert content_of(file) == CONTENT
    assert everything_in(cache) == ["table.gz"]


def test_when_all_sources_fail_each_is_named(server):
    file = file_from(server.give("/first", status(404)), server.give("/second", b"?"))
    with pytest.raises(SoftlearnError, match=r"(?s)/first: the server .*/second has 1 bytes"):
        content_of(file)


def test_two_who_fetch_at_once_both_succeed(server, cache):
    file = file_from(server.give("/table", CONTENT))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(content_of, [file] * 8))
    assert found == [CONTENT] * 8
    assert everything_in(cache) == ["table.gz"]


def test_a_disk_that_fails_leaves_nothing_behind(server, cache, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("softlearn.whole_files.os.fsync", full)
    file = file_from(server.give("/table", CONTENT))
    with pytest.raises(SoftlearnError, match=r"No space left on device; .* SOFTLEARN_CACHE"):
        content_of(file)
    assert everything_in(cache) == []


def test_a_cache_that_cannot_be_made_is_an_error(server, cache):
    cache.write_text("a file in the folder's place")
    file = file_from(server.give("/table", CONTENT))
    with pytest.raises(SoftlearnError, match=r"cannot write .*table\.gz"):
        content_of(file)


def test_a_wrong_file_in_the_data_folder_is_not_replaced(server, data):
    put(data, b"1")
    file = file_from(server.give("/table", CONTENT))
    with pytest.raises(SoftlearnError, match=r"table\.gz has 1 bytes; replace the file"):
        content_of(file)
    assert server.asked["/table"] == 0


def test_a_wrong_file_in_the_cache_says_what_to_do(server, cache):
    put(cache, b"1")
    file = file_from(server.give("/table", CONTENT))
    with pytest.raises(SoftlearnError, match="has 1 bytes; remove the file, and it is fetched"):
        content_of(file)


def test_a_wrong_file_without_a_source_is_not_said_to_be_fetched_again(cache):
    put(cache, b"1")
    with pytest.raises(SoftlearnError, match=r"has 1 bytes; replace the file$"):
        content_of(file_from())


def test_a_file_without_a_source_that_is_nowhere_is_absent(cache):
    assert find(file_from()) == ("absent", cache / PATH)
    with pytest.raises(SoftlearnError, match=r"shelf/table\.gz is not in .*cannot be downloaded"):
        content_of(file_from())
    assert not cache.exists()


@pytest.mark.parametrize("keep", [0, 5, 20, -4])
def test_a_file_that_was_cut_short_is_named(data, keep):
    put(data, CONTENT)
    (data / PATH).write_bytes((data / PATH).read_bytes()[:keep])
    with pytest.raises(SoftlearnError, match=r"table\.gz (cannot be unpacked|has 0 bytes)"):
        content_of(file_from())


def test_a_file_that_is_not_gzip_is_named(data):
    put(data, CONTENT)
    (data / PATH).write_bytes(CONTENT)
    with pytest.raises(SoftlearnError, match=r"table\.gz cannot be unpacked .*; replace the file"):
        content_of(file_from())
