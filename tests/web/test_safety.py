"""Who may come in, what may be asked, and what the page may load."""

from __future__ import annotations

import socket
from threading import Event
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from model_examples import fork
from softlearn import Model, SoftlearnError
from softlearn.web import explore
from softlearn.web.explorer import open_place
from softlearn.web.safety import Access
from softlearn.web.session import Session
from softlearn.web.work import MOST_WAITING
from web.explorers import Client, session_of

TOKEN = "a-secret"


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(session_of(fork()))


@pytest.fixture(scope="module")
def guarded() -> Client:
    return Client(session_of(fork()), Access("192.0.2.7", 9000, TOKEN))


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LOCALHOST:8765"]
)
def test_names_of_this_machine_are_let_in(host, client):
    assert client.call("/api", headers={"host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example:8765", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:8765", "", ":"],
)
def test_a_name_that_points_here_is_not_enough(host, client):
    assert client.call("/api", headers={"host": host}).status == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(method, client):
    reply = client.call("/api/model", method=method)
    assert reply.status == 405
    assert "access-control-allow-origin" not in reply.headers


def test_bodies_are_refused(client):
    assert client.call("/api", headers={"content-length": "5"}).status == 413
    assert client.call("/api", headers={"transfer-encoding": "chunked"}).status == 413


@pytest.mark.parametrize("path", ["/", "/main.js", "/api/model", "/nothing", "/api/openapi.json"])
def test_every_reply_says_what_the_page_may_load(path, client):
    headers = client.call(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path", ["/../app.py", "/page/main.js", "/%2e%2e/app.py", "/main.js/", "//"]
)
def test_only_the_files_of_the_page_are_served(path, client):
    assert client.call(path).status == 404


def test_an_address_beyond_this_machine_demands_its_token(guarded):
    assert guarded.call("/api/model").status == 401
    assert (
        guarded.call("/api/model", query=f"token={TOKEN}").status == 401
    )  # only the page takes it
    assert guarded.call("/api/model", headers={"authorization": "Bearer wrong"}).status == 401
    assert guarded.call("/api/model", headers={"authorization": f"Bearer {TOKEN}"}).status == 200
    assert guarded.call("/api/model", headers={"cookie": f"softlearn-9000={TOKEN}"}).status == 200


def test_the_token_moves_from_the_address_into_a_cookie(guarded):
    reply = guarded.call("/", query=f"token={TOKEN}&given=size%3E%3D3")
    assert reply.status == 303
    assert reply.headers["location"] == "/?given=size%3E%3D3"
    assert reply.headers["set-cookie"].startswith(
        f"softlearn-9000={TOKEN}; HttpOnly; SameSite=Strict"
    )
    assert guarded.call("/", query="token=wrong").status == 401


def test_places_on_this_machine_have_no_token_and_others_do():
    here, everywhere = open_place("127.0.0.1", 0), open_place("0.0.0.0", 0)
    try:
        assert here.access.token is None
        assert len(everywhere.access.token) >= 20
        assert everywhere.url.endswith(f"/?token={everywhere.access.token}")
    finally:
        here.line.close()
        everywhere.line.close()


def test_a_busy_port_is_an_error_if_it_was_asked_for():
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(SoftlearnError, match=f"port {port} on 127.0.0.1 is busy"):
            open_place("127.0.0.1", port)


def test_without_a_port_the_next_free_one_is_taken():
    first, second = open_place(), open_place()
    try:
        assert first.access.port != second.access.port
    finally:
        first.line.close()
        second.line.close()


def test_an_unknown_address_is_told():
    with pytest.raises(SoftlearnError, match="not an address of this machine"):
        open_place("no such host", 0)


def test_a_slow_answer_is_given_up():
    client = Client(session_of(fork()), seconds=0.0)
    reply = client.get("/api/sample", n=10)
    assert reply.status == 503
    assert "takes more than 0 seconds" in reply.json()["error"]["message"]


def test_too_many_at_once_are_sent_away():
    client = Client(session_of(fork()))
    replies = client.gather([("/api/posterior", {})] * (MOST_WAITING + 20))
    assert [reply.status for reply in replies].count(503) == 20


def test_an_explorer_in_the_background_starts_and_stops():
    model = fork()
    explorer = explore(model, model.sample(20, random_state=0), title="<fork>")
    try:
        with urlopen(explorer.url + "api/model") as reply:
            assert reply.status == 200
        assert "&lt;fork&gt;" in explorer._repr_html_()
    finally:
        explorer.stop()
    with pytest.raises(OSError):  # noqa: PT011 - nobody listens any more
        urlopen(explorer.url)


def test_what_is_being_computed_does_not_complain_when_the_explorer_stops(monkeypatch, capfd):
    begun, done = Event(), Event()

    def slow(session: Session) -> None:
        begun.set()
        done.wait(20)

    monkeypatch.setattr(Session, "overview", slow)
    explorer = explore(fork())
    place = urlsplit(explorer.url)
    with socket.create_connection((place.hostname, place.port)) as line:
        line.sendall(f"GET /api/model HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        assert begun.wait(10)
        explorer.stop()
    done.set()
    assert capfd.readouterr().err == ""


def test_a_model_starts_its_own_explorer():
    explorer = Model(fork().circuit).explore()
    explorer.stop()
    assert "127.0.0.1" in repr(explorer)
