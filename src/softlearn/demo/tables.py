"""The demo's training tables, drawn from the true distribution, with missing cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from softlearn.arrays import Bools
from softlearn.errors import MissingDependencyError
from softlearn.model import Model

Frame: TypeAlias = Any  # a pandas DataFrame

N_ROWS: Final = 1000
N_FRESH: Final = 2000
LOST_SHARE: Final = 0.12


@dataclass(frozen=True)
class Lossy:
    """A complete table, a mask of its lost cells, and the table without them."""

    full: Frame
    lost: Bools  # (rows, columns)
    table: Frame


def lossy(truth: Model, seed: int, n_rows: int = N_ROWS) -> Lossy:
    """Draw a table, and remove some of its cells."""
    full = drawn(truth, n_rows, seed)
    lost = np.random.default_rng(seed).random(full.shape) < LOST_SHARE
    return Lossy(full, lost, full.mask(lost))


def drawn(truth: Model, n_rows: int, seed: int) -> Frame:
    """Draw a whole table."""
    rows = truth.sample(n_rows, random_state=seed)
    if isinstance(rows, np.ndarray):
        raise MissingDependencyError("the demo shows pandas frames: pip install pandas")
    return rows
