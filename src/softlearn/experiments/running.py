"""Run the cells that are not finished yet, in processes of their own, and keep every row."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeAlias

from softlearn.errors import SoftlearnError
from softlearn.experiments.cell import Cell, row_of
from softlearn.experiments.ledger import Ledger
from softlearn.experiments.progress import progress_bar

Measure: TypeAlias = Callable[[Cell], Mapping[str, Any]]


def run(
    cells: Iterable[Cell],
    measure: Measure,
    ledger: Ledger,
    *,
    cost: Callable[[Cell], float],
    n_jobs: int = 1,
    cluster: str | None = None,
) -> int:
    """Measure the cells that the ledger does not hold, and return how many there were.

    Parameters
    ----------
    cells
        What is wanted.
    measure
        Fits and scores one cell; a function of a module, so that another process can call it.
    ledger
        Where each row is added as soon as its cell is finished. Only this process writes to it.
    cost
        About how long a cell takes, in any unit. The longest are run first, so that none of them
        is left to run alone at the end.
    n_jobs
        How many cells are run at a time.
    cluster
        The address of a Dask scheduler whose workers run them instead, as many as there are.
    """
    finished = ledger.by_cell()
    wanted = [cell for cell in dict.fromkeys(cells) if cell not in finished]
    wanted.sort(key=cost, reverse=True)
    with progress_bar(len(wanted), sum(map(cost, wanted))) as advance:
        found = (
            _measured(wanted, measure, n_jobs)
            if cluster is None
            else _measured_on(cluster, wanted, measure)
        )
        for cell, measured in found:
            ledger.append(row_of(cell, measured))
            advance(cost(cell))
    return len(wanted)


def _measured(
    cells: Sequence[Cell], measure: Measure, n_jobs: int
) -> Iterator[tuple[Cell, Mapping[str, Any]]]:
    """Yield the cells as they are finished."""
    if n_jobs == 1 or len(cells) < 2:
        yield from ((cell, measure(cell)) for cell in cells)
        return
    # Spawned, not forked: threads of this process, such as the bar's, do not survive a fork.
    pool = ProcessPoolExecutor(
        min(n_jobs, len(cells)), multiprocessing.get_context("spawn"), _begin_work
    )
    others = set(multiprocessing.active_children())
    try:
        waiting = {pool.submit(measure, cell): cell for cell in cells}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool as error:
        raise SoftlearnError(
            "a process that ran a cell was killed, probably because memory ran out; finished cells "
            "are kept: run the same command again, with fewer --jobs"
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()  # the unfinished cell is not needed


def _measured_on(
    address: str, cells: Sequence[Cell], measure: Measure
) -> Iterator[tuple[Cell, Mapping[str, Any]]]:
    """Yield the cells as the workers of a cluster finish them."""
    from softlearn.scale import open_cluster  # noqa: PLC0415 - loads Dask

    with open_cluster(address=address) as workers:
        yield from workers.each(measure, cells)


def _begin_work() -> None:
    """Leave Ctrl-C to the parent, and end with it, also if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "this runs in a spawned process"
    parent.join()
    os._exit(1)
