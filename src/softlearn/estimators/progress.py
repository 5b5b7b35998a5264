"""A live progress line in the terminal or in a notebook."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from softlearn.estimators.notebook import Line, in_notebook, notebook_line
from softlearn.learn import Progress

if TYPE_CHECKING:  # the search is only imported when it is used
    from softlearn.learn.search import News

Watch: TypeAlias = Callable[[Progress], None]

_BAR_WIDTH = 24  # letters
_STAGES = {
    "search": "finding settings",
    "member": "adding circuits",
    "refit": "learning again from all rows",
}


class ProgressLine:
    """The progress of a fit; rich renders it repeatedly, so that the seconds run."""

    def __init__(self) -> None:
        self.latest: Progress | None = None

    def watch(self, progress: Progress) -> None:
        """Store the progress of learning."""
        self.latest = progress

    def __rich__(self) -> str:
        if self.latest is None:
            return "learning …"
        now = self.latest
        done = round(now.share * _BAR_WIDTH)
        line = (
            f"learning {'█' * done}{'░' * (_BAR_WIDTH - done)} {now.share:4.0%}, "
            f"{now.n_nodes:,} nodes, {now.seconds:.1f} s"
        )
        if now.n_rows is None:
            return line
        speed = now.share * now.n_rows / max(now.seconds, 0.001)
        return f"{line}, {speed:,.0f} rows/s, {now.bytes_moved / 1e6:,.1f} MB moved"


class SearchLine:
    """Shows how far a search has come: the best score so far, and the time left."""

    def __init__(self) -> None:
        self.latest: News | None = None

    def watch(self, news: News) -> None:
        """Store the progress of the search."""
        self.latest = news

    def __rich__(self) -> str:
        if self.latest is None:
            return "searching …"
        news = self.latest
        best = f"best {news.score:.4f} nats" if math.isfinite(news.score) else "no model yet"
        left = f", {news.seconds_left:.0f} s left" if math.isfinite(news.seconds_left) else ""
        return f"{_STAGES[news.stage]}: fit {news.n_fits}, {best}, {news.seconds:.0f} s{left}"


@contextmanager
def progress_line(verbose: int) -> Iterator[Watch]:
    """Yield the progress callback; without ``verbose``, or without a terminal, nothing is shown."""
    line = ProgressLine()
    with _live(line, verbose) as shown:

        def watch(progress: Progress) -> None:
            line.watch(progress)
            shown()

        yield watch


@contextmanager
def search_line(verbose: int) -> Iterator[Callable[[News], None]]:
    """Yield the progress callback of a search; see ``progress_line``."""
    line = SearchLine()
    with _live(line, verbose) as shown:

        def watch(news: News) -> None:
            line.watch(news)
            shown()

        yield watch


@contextmanager
def _live(line: ProgressLine | SearchLine, verbose: int) -> Iterator[Callable[[], None]]:
    """Show a live line; yields the function that updates it."""
    if verbose and in_notebook():
        with notebook_line() as show:
            yield lambda: show(line.__rich__())
        return
    # The stream itself is asked, because rich treats FORCE_COLOR as a terminal.
    if not verbose or not sys.stderr.isatty():
        yield _ignore
        return
    from rich.console import Console  # noqa: PLC0415 - only those who look on wait for it
    from rich.live import Live  # noqa: PLC0415

    with Live(line, console=Console(stderr=True, highlight=False), refresh_per_second=8):
        yield _ignore


@contextmanager
def progress_bar(what: str, total: int, verbose: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each of so many steps; see ``progress_line``."""
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
    """Return a function that counts steps, and shows how many are done."""
    steps = count(1)
    return lambda: show(f"{what} {next(steps)} of {total}")


def _ignore() -> None:
    """Watch nothing."""
