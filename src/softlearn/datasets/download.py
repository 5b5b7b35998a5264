"""Bytes from a web address: with a time limit, several attempts and a line of progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from softlearn.errors import SoftlearnError

SILENCE: Final = 30.0  # seconds without a single byte after which a connection is given up
PAUSES: Final = (1.0, 3.0, 9.0)  # seconds before the second, third and fourth attempt

_CHUNK = 1 << 16  # bytes; often enough for a line of progress
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # answers of a server that may soon think better


def download(url: str) -> bytes:
    """Return what a server sends, whole; failures that may pass are tried again."""
    if not url.startswith(("https://", "http://")):  # `urlopen` would also read local files
        raise SoftlearnError(f"{url}: not a web address")
    for pause in (*PAUSES, None):
        try:
            return _received(url)
        except HTTPError as error:
            error.close()
            reason = f"the server answered {error.code} {error.reason}"
            if error.code not in _PASSING:
                raise SoftlearnError(f"{url}: {reason}") from error
        except (OSError, HTTPException) as error:
            reason = _reason(error)
        if pause is not None:
            time.sleep(pause)
    raise SoftlearnError(f"{url}: {reason} (attempt {len(PAUSES) + 1} of {len(PAUSES) + 1})")


def _received(url: str) -> bytes:
    request = Request(url, headers={"User-Agent": "softlearn"})
    with urlopen(request, timeout=SILENCE) as answer:
        length = answer.headers.get("Content-Length", "")
        expected = int(length) if length.isdigit() else None
        content = bytearray()
        with _progress(url.rsplit("/", 1)[-1], expected) as advance:
            while chunk := answer.read(_CHUNK):
                content += chunk
                advance(len(chunk))
    # A connection that breaks in the middle looks to `read` like the end of the file.
    if expected is not None and len(content) != expected:
        raise ConnectionError(f"the connection broke after {len(content)} of {expected} bytes")
    return bytes(content)


def _reason(error: Exception) -> str:
    if isinstance(error, URLError):
        return str(error.reason)
    return str(error) or type(error).__name__


@contextmanager
def _progress(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield who is told of bytes received; without a terminal nothing is shown."""
    # Asked of the stream itself: rich takes FORCE_COLOR for a terminal.
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - only those who look on wait for it
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("fetching {task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda n_bytes: bar.update(task, advance=n_bytes)
