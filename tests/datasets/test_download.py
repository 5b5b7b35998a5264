"""A download is whole or an error, and failures that may pass are tried again."""

from __future__ import annotations

import sys

import pytest

from datasets.local_server import cut_short, hang_up, status
from softlearn import SoftlearnError
from softlearn.datasets import download as module
from softlearn.datasets.download import download

CONTENT = bytes(range(256)) * 1000  # more than one chunk


def test_what_is_sent_arrives(server):
    assert download(server.give("/table", CONTENT)) == CONTENT


def test_an_empty_file_arrives(server):
    assert download(server.give("/table", b"")) == b""


@pytest.mark.parametrize("bad", [cut_short(CONTENT, 100_000), hang_up, status(503), status(429)])
def test_a_failure_that_passes_is_survived(server, bad):
    address = server.give("/table", bad, bad, CONTENT)
    assert download(address) == CONTENT
    assert server.asked["/table"] == 3


def test_a_connection_that_always_breaks_is_an_error(server):
    address = server.give("/table", cut_short(CONTENT, 1000))
    with pytest.raises(SoftlearnError, match=r"/table: the connection broke after 1000 of 256000"):
        download(address)
    assert server.asked["/table"] == 4


def test_a_server_that_stays_overloaded_is_an_error(server):
    address = server.give("/table", status(503))
    with pytest.raises(SoftlearnError, match=r"answered 503 .*attempt 4 of 4"):
        download(address)


@pytest.mark.parametrize("code", [403, 404, 410])
def test_a_final_answer_is_not_asked_for_again(server, code):
    address = server.give("/table", status(code))
    with pytest.raises(SoftlearnError, match=f"/table: the server answered {code}"):
        download(address)
    assert server.asked["/table"] == 1


def test_a_silent_server_is_given_up(server, monkeypatch):
    monkeypatch.setattr(module, "SILENCE", 0.05)
    monkeypatch.setattr(module, "PAUSES", ())
    address = server.give("/table", server.keep_waiting)
    with pytest.raises(SoftlearnError, match="timed out"):
        download(address)


def test_a_server_that_is_not_there_is_an_error(server):
    server.__exit__()
    with pytest.raises(SoftlearnError, match=r"refused \(attempt 4 of 4\)"):
        download(f"{server.address}/table")


def test_pauses_grow(server, monkeypatch):
    waited = []
    monkeypatch.setattr(module, "PAUSES", (1.0, 3.0))
    monkeypatch.setattr(module.time, "sleep", waited.append)
    assert download(server.give("/table", hang_up, hang_up, b"1")) == b"1"
    assert waited == [1.0, 3.0]


def test_the_default_pauses_grow():
    assert list(module.PAUSES) == sorted(set(module.PAUSES))


@pytest.mark.parametrize(
    "address",
    ["file:///etc/hostname", "None", "ftp://127.0.0.1/table", "http://127.0.0.1/table"],
)
def test_only_https_is_fetched(address):
    with pytest.raises(SoftlearnError, match="not an address that begins with https://"):
        download(address)


def test_a_server_cannot_send_us_to_another_scheme(server, monkeypatch):
    def elsewhere(handler):
        monkeypatch.setattr(module, "SCHEMES", ("https://",))
        handler.send_response(302)
        handler.send_header("Location", f"{server.address}/other")
        handler.end_headers()

    address = server.give("/table", elsewhere)
    server.give("/other", CONTENT)
    with pytest.raises(SoftlearnError, match="not an address that begins with https://"):
        download(address)
    assert server.asked["/other"] == 0


def without_length(handler):
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(CONTENT)


@pytest.mark.parametrize("answer", [CONTENT, without_length], ids=["announced", "silent"])
def test_a_file_that_is_far_too_large_is_not_taken(server, monkeypatch, answer):
    monkeypatch.setattr(module, "LIMIT", 100_000)
    address = server.give("/table", answer)
    with pytest.raises(SoftlearnError, match="more than 100,000 bytes"):
        download(address)
    assert server.asked["/table"] == 1


def test_in_a_terminal_progress_is_shown(server, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert download(server.give("/nltcs.data", CONTENT)) == CONTENT
    assert "fetching nltcs.data" in capsys.readouterr().err


def test_elsewhere_nothing_is_shown(server, capsys):
    download(server.give("/table", CONTENT))
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")
