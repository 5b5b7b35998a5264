"""Compute answers off the event loop, in a few threads, with a time limit.

Posteriors that wait at the same time are computed together: one pass over the circuit answers for
all of them, so that fifty requests at once cost little more than one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from softlearn.errors import SoftlearnError
from softlearn.show.views import PosteriorView, Request
from softlearn.show.views.values import Json
from softlearn.web.endpoints import POSTERIOR, Endpoint
from softlearn.web.session import Session

SECONDS = 30.0  # that a request may wait for its answer
MOST_WAITING = 256  # requests; beyond that the server says that it is busy
_TOGETHER = 64  # posteriors in one pass
_TURNS = 4  # of the event loop between two passes


class BusyError(Exception):
    """Too many requests wait, or one has waited too long."""


class Work:
    """Computes the answers of one session."""

    def __init__(self, session: Session, seconds: float = SECONDS) -> None:
        self._session, self._seconds = session, seconds
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="softlearn-answer")
        self._posterior_thread = ThreadPoolExecutor(1, thread_name_prefix="softlearn-posterior")
        self._waiting: list[tuple[Mapping[str, Any], asyncio.Future[bytes]]] = []
        self._n_inside = 0
        self._task: asyncio.Task[None] | None = None

    async def answer(self, endpoint: Endpoint, request: Mapping[str, Any]) -> bytes:
        """Return the body of an answer."""
        if self._n_inside >= MOST_WAITING:
            raise BusyError("too many requests at once; try again in a moment")
        self._n_inside += 1
        try:
            waited = (
                self._together(request) if endpoint is POSTERIOR else self._alone(endpoint, request)
            )
            return await asyncio.wait_for(waited, self._seconds)
        except TimeoutError:
            seconds = f"{self._seconds:g} seconds"
            raise BusyError(f"the answer takes more than {seconds}; ask for less") from None
        finally:
            self._n_inside -= 1

    def close(self) -> None:
        """Shut the threads down; running computations finish."""
        for threads in (self._threads, self._posterior_thread):
            threads.shutdown(wait=False, cancel_futures=True)

    def _alone(self, endpoint: Endpoint, request: Mapping[str, Any]) -> asyncio.Future[bytes]:
        def compute() -> bytes:
            found = endpoint.answer(self._session, request)
            return found.encode() if isinstance(found, str) else as_json(found)

        return asyncio.get_running_loop().run_in_executor(self._threads, compute)

    def _together(self, request: Mapping[str, Any]) -> asyncio.Future[bytes]:
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._empty_the_queue())
        return future

    async def _empty_the_queue(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
            batch = [(request, future) for request, future in batch if not future.cancelled()]
            questions = [request for request, _ in batch]
            try:
                bodies = await loop.run_in_executor(
                    self._posterior_thread, self._posteriors, questions
                )
            except Exception as error:  # all waiting requests get it
                bodies = [error for _ in batch]
            for (_, future), body in zip(batch, bodies, strict=True):
                if future.cancelled():
                    continue
                if isinstance(body, bytes):
                    future.set_result(body)
                else:
                    future.set_exception(body)
            await _others()

    def _posteriors(self, questions: Sequence[Mapping[str, Any]]) -> list[bytes | Exception]:
        """Return the bodies of all answers, or what is wrong with a question."""
        posterior_view = self._session.posterior_view
        read = [_read(posterior_view, request) for request in questions]
        sound = [one for one in read if isinstance(one, Request)]
        answers = iter(posterior_view.answers(sound) if sound else [])
        found = [next(answers) if isinstance(one, Request) else one for one in read]
        return [one if isinstance(one, Exception) else as_json(one) for one in found]


async def _others() -> None:
    """Let the event loop write answers and read requests before the next pass.

    A thread that computes takes the interpreter's lock at every write, for five milliseconds.
    """
    for _ in range(_TURNS):
        await asyncio.sleep(0)


def _read(posterior_view: PosteriorView, request: Mapping[str, Any]) -> Request | Exception:
    try:
        return posterior_view.request(request["given"], request["column"])
    except SoftlearnError as error:
        return error


_JSON = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
)


def as_json(answer: Json) -> bytes:
    """Return strict JSON; views leave no infinite or undefined numbers."""
    return _JSON.encode(answer).encode()
