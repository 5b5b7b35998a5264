"""Run the tasks: `python -m benchmarks.tasks`, from the root of the repository."""

from __future__ import annotations

import argparse
import shutil
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.tasks.catalogue import TASKS, Cell, can_run, cells_of, measure
from benchmarks.tasks.ledger import Ledger, row_not_run, row_of
from benchmarks.tasks.measured import NotRunError
from benchmarks.tasks.page import write_page
from benchmarks.tasks.split import split_of
from benchmarks.tasks.tables import tables
from softlearn import SoftLearn
from softlearn.datasets import MIXED_NAMES

RESULTS = Path(__file__).resolve().parent.parent / "results" / "tasks.jsonl"
SEEDS = 3
MAX_ROWS = 5_000
QUICK_SETS, QUICK_SEEDS, QUICK_ROWS = ("cmc",), 1, 200


def main(arguments: list[str] | None = None) -> int:
    """Measure what is not in the results yet, and print the tables."""
    options = _parser().parse_args(arguments)
    quick = options.quick
    n_seeds = options.seeds or (QUICK_SEEDS if quick else SEEDS)
    max_rows = options.max_rows or (QUICK_ROWS if quick else MAX_ROWS)
    named = {"Gaussian copula": options.copula, "CTGAN": options.ctgan}
    pythons = {system: python for system, python in named.items() if python}
    cells = list(
        cells_of(
            options.tasks or list(TASKS),
            options.only or (QUICK_SETS if quick else MIXED_NAMES),
            n_seeds,
            max_rows,
        )
    )
    ledger = Ledger(options.results or (None if quick else RESULTS))
    _run([cell for cell in cells if cell not in ledger and can_run(cell, pythons)], ledger, pythons)
    rows = ledger.rows(cells)
    _say(sys.stdout, tables(rows))
    if options.write:
        write_page(options.write, rows, n_seeds, max_rows)
    return 0


def _run(cells: list[Cell], ledger: Ledger, pythons: dict[str, str]) -> None:
    if cells:
        _warm_up()
    for (dataset, seed, max_rows), same in groupby(
        cells, lambda c: (c.dataset, c.seed, c.max_rows)
    ):
        split = split_of(dataset, seed, max_rows)
        for cell in same:
            try:
                row = row_of(cell, split, measure(cell, split, pythons))
                told = f"{row['fit_seconds']:.2f} s + {row['answer_seconds']:.2f} s"
            except NotRunError as reason:
                row, told = row_not_run(cell, str(reason)), f"not run: {reason}"
            ledger.add(cell, row)
            _say(sys.stderr, f"{dataset} {seed} {cell.task} {cell.system}: {told}")


def _warm_up() -> None:
    """Compile what circuits need, outside of all times."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(200, 2)) + rng.choice([-3, 3], size=(200, 1))
    frame = pd.DataFrame(numbers, columns=["a", "b"])
    frame["c"] = pd.Categorical(np.where(frame["a"] > 0, "right", "left"))
    frame.loc[::7, "b"] = np.nan
    for leaf in ("gaussian", "histogram"):
        model = SoftLearn(leaf=leaf, random_state=0).fit(frame).model_
        for method in ("mean", "most_probable"):
            model.impute(frame, method)
        model.sample(10, random_state=0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.tasks", description=__doc__)
    add = parser.add_argument
    add("--only", nargs="+", choices=MIXED_NAMES, metavar="SET", help="these tables, nothing else")
    add("--tasks", nargs="+", choices=list(TASKS), metavar="TASK", help=f"of {', '.join(TASKS)}")
    add("--seeds", type=int, help=f"splits of each table (default {SEEDS})")
    add("--max-rows", type=int, help=f"the most rows to learn from (default {MAX_ROWS})")
    add("--quick", action="store_true", help="one small table, few rows, one seed; not recorded")
    add("--copula", type=_python, metavar="PYTHON", help="a Python that has copulas; else not run")
    add("--ctgan", type=_python, metavar="PYTHON", help="a Python that has ctgan; else not run")
    add("--results", type=Path, help="where rows are added, and finished cells are looked for")
    add("--write", type=Path, metavar="PAGE", help="write the tables to a page as well")
    return parser


def _python(path: str) -> str:
    found = shutil.which(path)
    if found is None:
        raise argparse.ArgumentTypeError(f"there is no program {path!r}; name a Python")
    return found


def _say(stream, text: str) -> None:
    stream.write(text + "\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
