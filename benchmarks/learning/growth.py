"""How the time to learn grows with rows and columns, on samples of a world with hidden groups."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from softlearn import SoftLearn
from softlearn.datasets.worlds import hidden_groups

_GROUPS = 8
_COLUMNS, _ROWS = 50, 10_000  # the size from which one of the two grows
_ROW_STEPS = (1, 10, 100)
_COLUMN_STEPS = (1, 2, 4, 8)


class Step(NamedTuple):
    """One table and the time it took."""

    grows: str  # "rows" or "columns"
    n_rows: int
    n_columns: int
    seconds: float
    n_nodes: int
    times_first: float  # seconds, compared with the first step

    def __str__(self) -> str:
        return (
            f"{self.grows:8s}  {self.n_rows:9,d} rows  {self.n_columns:4d} columns  "
            f"{self.seconds:7.2f} s  {self.n_nodes:7,d} nodes  {self.times_first:7.1f} × the first"
        )


def steps() -> Iterator[Step]:
    """Yield both series; a first small fit has everything compiled."""
    _learn(300, _COLUMNS)
    yield from _series("rows", [(_ROWS * n, _COLUMNS) for n in _ROW_STEPS])
    yield from _series("columns", [(_ROWS, _COLUMNS * n) for n in _COLUMN_STEPS])


def _series(grows: str, sizes: list[tuple[int, int]]) -> Iterator[Step]:
    first = None
    for n_rows, n_columns in sizes:
        seconds, n_nodes = _learn(n_rows, n_columns)
        first = seconds if first is None else first
        yield Step(grows, n_rows, n_columns, seconds, n_nodes, seconds / first)


def _learn(n_rows: int, n_columns: int) -> tuple[float, int]:
    world = hidden_groups(n_columns, _GROUPS)
    table = np.asarray(world.sample(n_rows, random_state=0), dtype=np.uint8)
    begin = time.perf_counter()
    learnt = SoftLearn(random_state=0).fit(table)
    return time.perf_counter() - begin, learnt.model_.circuit.n_nodes
