"""A live line in the terminal that says how far learning has come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from softlearn.learn import Progress

Watch: TypeAlias = Callable[[Progress], None]

_BAR_WIDTH = 24  # letters


class ProgressLine:
    """Shows the latest news; rich asks it again and again, so that the seconds run."""

    def __init__(self) -> None:
        self.latest: Progress | None = None

    def watch(self, progress: Progress) -> None:
        """Take note of how far the circuit has grown."""
        self.latest = progress

    def __rich__(self) -> str:
        if self.latest is None:
            return "learning …"
        done = round(self.latest.share * _BAR_WIDTH)
        return (
            f"learning {'█' * done}{'░' * (_BAR_WIDTH - done)} {self.latest.share:4.0%} of the "
            f"mass, {self.latest.n_nodes:,} nodes, {self.latest.seconds:.1f} s"
        )


@contextmanager
def progress_line(verbose: int) -> Iterator[Watch]:
    """Yield who watches; without ``verbose``, or without a terminal, nothing is shown."""
    line = ProgressLine()
    # Asked of the stream itself: rich takes FORCE_COLOR for a terminal.
    if not verbose or not sys.stderr.isatty():
        yield line.watch
        return
    from rich.console import Console  # noqa: PLC0415 - only those who look on wait for it
    from rich.live import Live  # noqa: PLC0415

    with Live(line, console=Console(stderr=True, highlight=False), refresh_per_second=8):
        yield line.watch
