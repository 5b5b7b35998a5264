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
        """Take note of how far learning has come."""
        self.latest = progress

    def __rich__(self) -> str:
        if self.latest is None:
            return "learning …"
        done = round(self.latest.share * _BAR_WIDTH)
        return (
            f"learning {'█' * done}{'░' * (_BAR_WIDTH - done)} {self.latest.share:4.0%}, "
            f"{self.latest.n_nodes:,} nodes, {self.latest.seconds:.1f} s"
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


@contextmanager
def progress_bar(what: str, total: int, verbose: int) -> Iterator[Callable[[], None]]:
    """Yield what is called after each of so many steps; shown as ``progress_line`` is."""
    if not verbose or not sys.stderr.isatty():
        yield _ignore
        return
    from rich.console import Console  # noqa: PLC0415 - only those who look on wait for it
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True, highlight=False)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _ignore() -> None:
    """Watch nothing."""
