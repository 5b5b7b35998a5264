"""The page of the documentation that holds the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.tasks.split import MOST_TEST_ROWS
from benchmarks.tasks.tables import sizes, tables
from softlearn.experiments.wrapping import wrapped
from softlearn.whole_files import write_whole

COMMAND = "python -m benchmarks.tasks --write docs/tasks.md"


def write_page(path: Path, rows: list[dict[str, Any]], n_seeds: int, max_rows: int) -> None:
    """Write the tables with what one has to know to read them."""
    write_whole(path, wrapped(_page(rows, n_seeds, max_rows) + "\n"))


def _page(rows: list[dict[str, Any]], n_seeds: int, max_rows: int) -> str:
    seeds = f"{n_seeds} seeds" if n_seeds > 1 else "one seed"
    points = (
        f"Random 80/20 splits, {seeds}. All systems see the same rows: at most {max_rows:,} to "
        f"learn from and {MOST_TEST_ROWS:,} to be judged by, so that the slow ones come to an end. "
        f"Learnt from + judged by: {sizes(rows)}.",
        "Everybody has default parameters, the same for all tables; nothing is chosen by test "
        "rows. `SoftLearn` is one circuit, `CircuitMixture(10)` ten of them below one sum.",
        "A cell is the mean ± standard deviation over seeds, and in brackets the mean seconds of a "
        "fit. The best of a column is bold. The mean rank is over the sets that a system was run "
        "on; 1 is best.",
        f"{report.machine()}; systems run one after the other and may use all cores. Compilation "
        "is not in the seconds.",
    )
    intro = (
        "Circuits at what people do with tables, beside what they use for it today, on public "
        f"tables of mixed columns. This page is written by `{COMMAND}` and edited by nobody; "
        "[the benchmark's page](../benchmarks/README.md) says how to run it."
    )
    listed = "\n".join(f"- {point}" for point in points)
    return f"# What it is good for, measured\n\n{intro}\n\n{listed}\n\n{tables(rows)}"
