"""A web server on this machine that answers as it is told, also badly."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


def whole(content: bytes) -> Answer:
    return cut_short(content, len(content))


def cut_short(content: bytes, n_sent: int) -> Answer:
    """Promise everything, send the beginning, and hang up."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[:n_sent])

    return answer


def status(code: int) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def hang_up(_: BaseHTTPRequestHandler) -> None:
    """End the connection without a word."""


class LocalServer:
    """Serves ``answers``: for each path a list, of which the last answer is given ever after."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: Counter[str] = Counter()
        self._over = threading.Event()

    def keep_waiting(self, _: BaseHTTPRequestHandler) -> None:
        """Say nothing for a second, then hang up."""
        self._over.wait(1.0)

    def give(self, path: str, *answers: Answer | bytes) -> str:
        """Set the answers for a path, and return its address."""
        self.answers[path] = [whole(one) if isinstance(one, bytes) else one for one in answers]
        return f"{self.address}{path}"

    def __enter__(self) -> LocalServer:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer_to(self, path: str) -> Answer:
        answers = self.answers.get(path, [status(404)])
        position = self.asked[path]
        self.asked[path] += 1
        return answers[min(position, len(answers) - 1)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer_to = self._answer_to

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer_to(self.path)(self)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        return Handler
