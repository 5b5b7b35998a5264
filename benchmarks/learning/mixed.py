"""The time to learn from tables of mixed columns, beside another version of the library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from softlearn.datasets import load_mixed, load_tabular

TABLES = ("electricity", "bank", "adult", "generated")
_ROOT = Path(__file__).resolve().parent.parent.parent
_SCRIPT = Path(__file__).with_name("one_frame.py")
_GENERATED_ROWS, _GENERATED_COLUMNS = 200_000, 30


class Fit(NamedTuple):
    """What one fit took."""

    table: str
    version: str  # "this", "this, as before" or "before"
    n_jobs: int
    seconds: float
    cpu: float
    nodes: int
    score: float  # of held-out rows; scores of different versions have different units

    def __str__(self) -> str:
        return (
            f"{self.table:12s} {self.version:16s} {self.n_jobs:4d} {self.seconds:8.2f}"
            f" {self.cpu:8.2f} {self.nodes:8,d} {self.score:10.3f}"
        )


HEAD = f"{'table':12s} {'version':16s} jobs  seconds      cpu    nodes      score"


def fits(only: list[str] | None, before: Path | None) -> Iterator[Fit]:
    """Yield the fits of each table with defaults, by one and by two threads.

    With another version, its fit comes first, and after ours there is one with plain numbers and
    the level of tests that the first version had: that is the same work.
    """
    with TemporaryDirectory() as folder:
        for table in only or TABLES:
            path = Path(folder) / f"{table}.parquet"
            frame = _frame(table).sample(frac=1.0, random_state=0)
            frame.to_parquet(path)
            if before is not None:
                yield _fit(path, "before", 1, {}, before.resolve())
            for n_jobs in (1, 2):
                yield _fit(path, "this", n_jobs, {}, _ROOT)
            if before is not None:
                yield _fit(path, "this, as before", 1, _as_before(frame), _ROOT)


def ratios(found: list[Fit]) -> Iterator[str]:
    """Yield how many times as fast each table is learnt, by CPU time."""
    for table in dict.fromkeys(fit.table for fit in found):
        own = {(fit.version, fit.n_jobs): fit for fit in found if fit.table == table}
        one, two = own["this", 1], own["this", 2]
        said = f"{table}: two threads × {one.seconds / two.seconds:.2f}"
        if ("before", 1) in own:
            cpu = own["before", 1].cpu
            same = own["this, as before", 1].cpu
            said += f"; defaults × {cpu / one.cpu:.2f}, the same work × {cpu / same:.2f}"
        yield said


def _fit(path: Path, version: str, n_jobs: int, choices: dict[str, Any], root: Path) -> Fit:
    job = json.dumps({"path": str(path), "n_jobs": n_jobs, "choices": choices})
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    run = subprocess.run(
        [sys.executable, str(_SCRIPT), job],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise RuntimeError(f"{version} failed on {path.stem}:\n{run.stderr}")
    return Fit(path.stem, version, n_jobs, **json.loads(run.stdout))


def _as_before(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the choices that make the same work of a table as the first version."""
    numbers = [
        name for name in frame if frame[name].dtype.kind in "iuf" and frame[name].nunique() > 2
    ]
    return {"significance": 0.01, "schema": {name: {"scale": "plain"} for name in numbers}}


def _frame(table: str) -> pd.DataFrame:
    if table == "generated":
        return _generated()
    return load_tabular(table).train if table == "adult" else load_mixed(table).frame


def _generated() -> pd.DataFrame:
    """Return numbers, levels and flags that depend on two hidden groups."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 6, (2, _GENERATED_ROWS))
    columns: dict[str, np.ndarray] = {}
    for j in range(_GENERATED_COLUMNS):
        own, centre = groups[j % 2], rng.normal(0.0, 2.0, 6)
        if j % 3 == 0:
            columns[f"number {j}"] = centre[own] + rng.normal(size=own.size)
        elif j % 3 == 1:
            moved = np.where(rng.random(own.size) < 0.3, rng.integers(0, 5, own.size), 0)
            columns[f"level {j}"] = np.array(list("abcde"))[(own + moved) % 5]
        else:
            columns[f"flag {j}"] = rng.random(own.size) < 1.0 / (1.0 + np.exp(-centre[own]))
    return pd.DataFrame(columns)
