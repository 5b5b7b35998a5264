"""Cells that cost nothing, and rows made by hand; also for processes that a run starts."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from softlearn.experiments.cell import Cell, row_of
from softlearn.experiments.ledger import Ledger
from softlearn.experiments.running import run

DIARY = "SOFTLEARN_TEST_DIARY"  # the file in which each cell that is begun is noted


def cells(n):
    return [Cell(dataset=f"set{i}", system="softlearn") for i in range(n)]


def no_cost(cell):
    return 1.0


def measure(cell):
    """Note that the cell was begun, and measure something that depends on it alone."""
    with Path(os.environ[DIARY]).open("a", encoding="utf-8") as diary:
        diary.write(cell.dataset + "\n")
    return {"valid": -float(len(cell.dataset)), "test": -2.0, "seconds": 0.5, "n_nodes": 3}


def measure_slowly(cell):
    found = measure(cell)
    time.sleep(0.15)
    return found


def measure_or_die(cell):
    if cell.dataset == "set1":
        os._exit(9)
    return measure(cell)


def row(dataset, system="softlearn", clustering="em", *, valid, test, seed=0, **further):
    """Return a row made by hand; what is not a choice of a cell counts as measured."""
    choices = {name: further.pop(name) for name in tuple(further) if hasattr(Cell, name)}
    cell = Cell(dataset=dataset, system=system, clustering=clustering, seed=seed, **choices)
    measured = {"valid": valid, "test": test, "seconds": 1.0, "n_nodes": 10, "n_edges": 9}
    return row_of(cell, measured | further)


if __name__ == "__main__":
    n, path, n_jobs = sys.argv[1:]
    run(cells(int(n)), measure_slowly, Ledger(Path(path)), cost=no_cost, n_jobs=int(n_jobs))
