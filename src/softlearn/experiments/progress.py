"""A bar on standard error while cells are run; silent if that is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(n_cells: int, total: float) -> Iterator[Callable[[float], None]]:
    """Yield a callback for the cost of each finished cell; ``total`` is that of all."""
    # The stream itself is asked, because rich treats FORCE_COLOR as a terminal.
    if not n_cells or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - only those who look on wait for it
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.fields[done]} of {task.fields[cells]} cells"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    done = 0
    # Cells take seconds to minutes: their speed is that of the last hour, not of half a minute.
    bar = Progress(*columns, console=Console(stderr=True), speed_estimate_period=3600.0)
    with bar:
        task = bar.add_task("cells", total=total, done=0, cells=n_cells)

        def advance(cost: float) -> None:
            nonlocal done
            done += 1
            bar.update(task, advance=cost, done=done)

        yield advance
