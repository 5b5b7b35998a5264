"""Start the explorer: in the foreground by a command, or in the background of a notebook."""

from __future__ import annotations

import errno
import secrets
import socket
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

import uvicorn

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.model import Model
from softlearn.model.given import Unknown
from softlearn.table import encode
from softlearn.web.app import application
from softlearn.web.safety import Access, is_loopback
from softlearn.web.session import Session
from softlearn.web.work import Work

HOST = "127.0.0.1"
PORT = 8765
_BACKLOG = 512
_TRIED = 50  # ports to try after the default one
_LONGEST_REQUEST = 32_768  # bytes of a request line with its headers
_BUSY = (errno.EADDRINUSE, errno.EACCES)
_PATIENCE = 10.0  # seconds to wait for the server to start or to stop


@dataclass(frozen=True)
class Place:
    """Where the explorer listens, and who has access."""

    line: socket.socket
    access: Access

    @property
    def url(self) -> str:
        """The address to open."""
        host = self.access.host
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        shown = f"[{shown}]" if ":" in shown else shown
        token = f"?{urlencode({'token': self.access.token})}" if self.access.token else ""
        return f"http://{shown}:{self.access.port}/{token}"


class Explorer:
    """An explorer that runs in the background; ``stop`` ends it, and so does the end of Python.

    Attributes
    ----------
    url
        The address of the page.
    """

    def __init__(self, session: Session, place: Place) -> None:
        self.url, self._title = place.url, session.title
        self._server, self._work = _server(session, place)
        self._thread = Thread(
            target=self._server.run, kwargs={"sockets": [place.line]}, daemon=True
        )
        self._thread.start()
        _wait_until(lambda: self._server.started or not self._thread.is_alive())

    def stop(self) -> None:
        """Close the page's server."""
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
        self._work.close()

    def __repr__(self) -> str:
        return f"Explorer of {self._title} at {self.url}"

    def _repr_html_(self) -> str:
        url, title = escape(self.url), escape(self._title)
        return f'<a href="{url}" target="_blank" rel="noopener">Explore {title}</a> · {url}'


def explore(
    model: Model,
    data: Any = None,  # noqa: ANN401 - a frame of any library
    *,
    title: str = "model",
    port: int | None = None,
    unknown: Unknown = "error",
    open_browser: bool = False,
) -> Explorer:
    """Start the explorer of a model in the background, for this machine only.

    Parameters
    ----------
    model : Model
        The model.
    data : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array, optional
        Rows to look at beside the model; further columns are left out.
    title : str
        What the page calls the model.
    port : int, optional
        The port; by default the first free one from 8765.
    unknown : {"error", "missing"}
        Whether an unknown level in the table is an error, or treated as missing.
    open_browser : bool
        Whether to open the page.
    """
    values = None if data is None else encode(data, model.schema, unknown=unknown, extra="ignore")
    explorer = Explorer(Session(model, title, values), open_place(HOST, port))
    if open_browser:
        webbrowser.open(explorer.url)
    return explorer


def serve(
    model: Model, values: Floats | None, title: str, place: Place, ready: Callable[[str], None]
) -> None:
    """Serve the explorer until it is interrupted; ``ready`` is called with the address."""
    server, work = _server(Session(model, title, values), place)
    ready(place.url)
    try:
        server.run(sockets=[place.line])
    except KeyboardInterrupt:  # uvicorn raises it again after shutting down
        pass
    finally:
        work.close()


def open_place(host: str = HOST, port: int | None = None) -> Place:
    """Return a free place to listen; addresses that other machines can reach get a token.

    If the given port is busy, that is an error; without one the next free port is used.
    """
    token = None if is_loopback(host) else secrets.token_urlsafe(18)
    wanted = [port] if port is not None else [*range(PORT, PORT + _TRIED), 0]
    for one in wanted:
        line = _listening(host, one)
        if line is not None:
            return Place(line, Access(host, line.getsockname()[1], token))
    raise SoftlearnError(
        f"port {port} on {host} is busy; choose another one with --port, or leave it out to take "
        "the next free one"
    )


def _listening(host: str, port: int) -> socket.socket | None:
    """Return a bound socket; None if the port is busy."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    line = socket.socket(family, socket.SOCK_STREAM)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((host, port))
        line.listen(_BACKLOG)  # bound alone, another process could still bind it as well
    except socket.gaierror:
        line.close()
        raise SoftlearnError(f"{host!r} is not an address of this machine") from None
    except OSError as error:
        line.close()
        if error.errno in _BUSY:
            return None
        raise SoftlearnError(f"cannot listen on {host}, port {port}: {error.strerror}") from None
    return line


def _server(session: Session, place: Place) -> tuple[uvicorn.Server, Work]:
    from softlearn import __version__  # noqa: PLC0415

    work = Work(session)
    config = uvicorn.Config(
        application(session, place.access, work, __version__),
        log_level="critical",  # a request that is cancelled with the server is not an error
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        h11_max_incomplete_event_size=_LONGEST_REQUEST,
        http="h11",
        limit_concurrency=1000,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config), work


def _wait_until(done: Callable[[], bool]) -> None:
    until = monotonic() + _PATIENCE
    while not done() and monotonic() < until:
        sleep(0.01)
