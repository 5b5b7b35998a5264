"""A live line in the terminal, or in a notebook, that says how far learning has come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TypeAlias

from softlearn.estimators.notebook import Line, in_notebook, notebook_line
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
    if verbose and in_notebook():
        with notebook_line() as show:

            def watch(progress: Progress) -> None:
                line.watch(progress)
                show(line.__rich__())

            yield watch
        return
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
    if verbose and in_notebook():
        with notebook_line() as show:
            yield _counted(what, total, show)
        return
    if not verbose or not sys.stderr.isatty():
        yield _ignore
        return
    from rich.console import Console  # noqa: PLC0415 - only those who look on wait for it
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True, highlight=False)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _counted(what: str, total: int, show: Line) -> Callable[[], None]:
    """Return what counts steps, and shows how many are done."""
    steps = count(1)
    return lambda: show(f"{what} {next(steps)} of {total}")


def _ignore() -> None:
    """Watch nothing."""
