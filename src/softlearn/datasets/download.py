"""Download bytes, with a time limit, retries and a line of progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from typing import IO, Final
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from softlearn.errors import SoftlearnError

SILENCE: Final = 30.0  # seconds without a single byte after which a connection is given up
SCHEMES: Final = ("https://",)
LIMIT: Final = 1 << 29  # bytes of one file; the largest published one has a tenth of that
PAUSES: Final = (1.0, 3.0, 9.0)  # seconds before the second, third and fourth attempt

_CHUNK = 1 << 16  # bytes; often enough for a line of progress
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # HTTP statuses that may be temporary


def download(url: str) -> bytes:
    """Return what a server sends, whole; failures that may pass are tried again.

    Only HTTPS is allowed, also in redirects, and at most ``LIMIT`` bytes are read.
    """
    _require_https(url)
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


def _require_https(url: str) -> None:
    if not url.startswith(SCHEMES):  # `urlopen` would also read local files
        raise SoftlearnError(f"{url}: not an address that begins with https://")


class _Redirects(HTTPRedirectHandler):
    """Follows redirects to HTTPS only."""

    def redirect_request(  # noqa: PLR0917 - as the standard library calls it
        self,
        req: Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> Request | None:
        _require_https(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _received(url: str) -> bytes:
    request = Request(url, headers={"User-Agent": "softlearn"})
    with build_opener(_Redirects).open(request, timeout=SILENCE) as answer:
        length = answer.headers.get("Content-Length", "")
        expected = int(length) if length.isdecimal() and len(length) < 20 else None
        _require_moderate(url, expected or 0)
        content = bytearray()
        with _progress(url.rsplit("/", 1)[-1], expected) as advance:
            while chunk := answer.read(_CHUNK):
                content += chunk
                _require_moderate(url, len(content))
                advance(len(chunk))
    # A connection that breaks in the middle looks to `read` like the end of the file.
    if expected is not None and len(content) != expected:
        raise ConnectionError(f"the connection broke after {len(content)} of {expected} bytes")
    return bytes(content)


def _require_moderate(url: str, n_bytes: int) -> None:
    if n_bytes > LIMIT:
        raise SoftlearnError(f"{url}: it sends more than {LIMIT:,} bytes, which no table here has")


def _reason(error: Exception) -> str:
    if isinstance(error, URLError):
        return str(error.reason)
    return str(error) or type(error).__name__


@contextmanager
def _progress(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield a callback for the number of bytes received; without a terminal nothing is shown."""
    # The stream itself is asked, because rich treats FORCE_COLOR as a terminal.
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - only those who look on wait for it
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("fetching {task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda n_bytes: bar.update(task, advance=n_bytes)
