"""How well one column, or two, tell drawn rows from real ones: where to look for a fault."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.tables.cells import as_categories
from benchmarks.tables.detection import fold_aucs, trees

MOST_ROWS = 10_000  # of each side
MOST_ROWS_OF_PAIRS = 5_000
N_TREES = 50
DEPTH = 4


class Told(NamedTuple):
    """Columns and the AUC with which they tell; 0.5 is not at all."""

    names: tuple[str, ...]
    auc: float


def by_column(real: Any, drawn: Any, seed: int) -> list[Told]:
    """Return what each column tells alone, the worst first."""
    return _told(real, drawn, [(name,) for name in real], MOST_ROWS, seed)


def by_pair(real: Any, drawn: Any, seed: int) -> list[Told]:
    """Return what each pair of columns tells, the worst first."""
    return _told(real, drawn, list(combinations(real, 2)), MOST_ROWS_OF_PAIRS, seed)


def _told(
    real: Any, drawn: Any, choices: list[tuple[str, ...]], most_rows: int, seed: int
) -> list[Told]:
    rng = np.random.default_rng(seed)
    some = [
        frame.iloc[rng.permutation(len(frame))[:most_rows]] for frame in as_categories(real, drawn)
    ]
    rows = pd.concat(some, ignore_index=True)
    is_real = np.r_[np.ones(len(some[0])), np.zeros(len(some[1]))]
    judge = trees(n_estimators=N_TREES, max_depth=DEPTH)
    found = [
        Told(names, float(np.mean(fold_aucs(judge, rows[list(names)], is_real, seed))))
        for names in choices
    ]
    return sorted(found, key=lambda told: -told.auc)
