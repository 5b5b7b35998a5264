"""A progress bar on standard error; silent unless it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

_PATIENCE = 1.0  # seconds before a bar is shown


@contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[float | None, int], None]]:
    """Yield a function that takes the share that is done, None if unknown, and rows so far."""
    bar = _Bar(doing)
    try:
        yield bar.advance if sys.stderr.isatty() else _say_nothing
    finally:
        bar.close()


def _say_nothing(share: float | None, n_rows: int) -> None:
    """Show nothing in pipes and log files."""


class _Bar:
    """A bar that appears after some seconds, and is removed at the end."""

    def __init__(self, doing: str) -> None:
        self._doing, self._started = doing, monotonic()
        self._progress: Any = None
        self._task: Any = None

    def advance(self, share: float | None, n_rows: int) -> None:
        if self._progress is None:
            if monotonic() - self._started < _PATIENCE:
                return
            self._open()
        total = None if share is None else 1.0
        self._progress.update(self._task, completed=share or 0.0, total=total, rows=f"{n_rows:,}")

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _open(self) -> None:
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        self._progress = Progress(
            TextColumn(self._doing),
            BarColumn(bar_width=32),
            TextColumn("{task.fields[rows]} rows"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task(self._doing, total=None, rows="0")
