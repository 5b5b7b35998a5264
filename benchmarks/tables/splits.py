"""The ten tables: rows to learn from, rows that nobody has seen, and the column to predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softlearn.datasets import MIXED_NAMES, TABULAR_NAMES, load_mixed, load_tabular

DATASETS = (*TABULAR_NAMES, *MIXED_NAMES)
TEST_SHARE = 0.2
SPLIT_SEED = 0  # the same cut for all seeds of a learner: their differences are its own


@dataclass(frozen=True)
class Split:
    """A table in two, as a user would have it."""

    train: Any  # pandas frames
    test: Any
    target: str
    task: str  # "classification" or "regression"


def split_of(dataset: str) -> Split:
    """Return a table in its published splits, or cut 80/20 if it has none."""
    if dataset in TABULAR_NAMES:
        return Split(*load_tabular(dataset))
    frame, _, target = load_mixed(dataset)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(frame))
    n_test = round(TEST_SHARE * len(frame))
    test, train = (
        frame.iloc[rows].reset_index(drop=True) for rows in (order[:n_test], order[n_test:])
    )
    return Split(train, test, target, "classification")
