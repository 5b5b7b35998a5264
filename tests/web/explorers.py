"""Models with everything that the explorer must cope with, and a client that needs no network."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from softlearn import Categorical, Column, Gaussian, Model
from softlearn.table import encode
from softlearn.web.app import application
from softlearn.web.safety import Access
from softlearn.web.session import Session
from softlearn.web.work import Work

SCRIPT = "<script>alert(1)</script>"


def nasty() -> Model:
    """Names and levels that are markup, or words of the language of conditions."""
    first = (
        Categorical(SCRIPT, {"<b>bold</b>": 0.6, "a, 'b' \"c\"": 0.4})
        * Gaussian("when", 1.705e9, 1e6)
        * Gaussian("x {y}", 5, 2)
        * Categorical("is missing", {"..": 0.5, "?": 0.5})
    )
    second = (
        Categorical(SCRIPT, {"<b>bold</b>": 0.1, "a, 'b' \"c\"": 0.9})
        * Gaussian("when", 1.69e9, 2e6)
        * Gaussian("x {y}", -5, 1)
        * Categorical("is missing", {"..": 0.9, "?": 0.1})
    )
    return Model(0.5 * first + 0.5 * second, {"when": Column("when", "datetime")})


def session_of(model: Model, n_rows: int | None = 60, *, gaps: float = 0.15) -> Session:
    """Return a model with rows drawn from it, some of whose cells are lost."""
    if n_rows is None:
        return Session(model, "model")
    values = encode(model.sample(n_rows, random_state=0), model.schema)
    values[np.random.default_rng(0).random(values.shape) < gaps] = np.nan
    return Session(model, "model", values)


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """Return strict JSON."""
        return json.loads(self.body, parse_constant=lambda word: 1 / 0)


class Client:
    """Calls the application without a server."""

    def __init__(self, session: Session, access: Access | None = None, **work: Any) -> None:
        self.access = access or Access("127.0.0.1", 8765)
        self.work = Work(session, **work)
        self._app = application(session, self.access, self.work, "test")

    def get(self, path: str, **asked: Any) -> Reply:
        """Ask one question."""
        return self.gather([(path, asked)])[0]

    def gather(self, questions: list[tuple[str, dict[str, Any]]]) -> list[Reply]:
        """Ask several questions at once."""

        async def all_of_them() -> list[Reply]:
            return await asyncio.gather(*(self._call(path, asked) for path, asked in questions))

        return asyncio.run(all_of_them())

    def call(self, path: str, **request: Any) -> Reply:
        """Send a request with a method, headers or a query string of its own."""
        return asyncio.run(self._call(path, {}, **request))

    async def _call(
        self,
        path: str,
        asked: dict[str, Any],
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        query: str | None = None,
    ) -> Reply:
        told: list[Any] = []
        sent = {"host": f"{self.access.host}:{self.access.port}", **(headers or {})}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": quote(path).encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": (query or urlencode(asked, doseq=True)).encode(),
            "headers": [(k.lower().encode(), v.encode()) for k, v in sent.items() if v is not None],
        }

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            told.append(message)

        await self._app(scope, receive, send)
        pairs = [(name.decode(), value.decode()) for name, value in told[0]["headers"]]
        assert len({name for name, _ in pairs}) == len(pairs), "a header is sent twice"
        body = b"".join(message.get("body", b"") for message in told[1:])
        return Reply(told[0]["status"], dict(pairs), body)
