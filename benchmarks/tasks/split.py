"""A mixed table, cut at random into rows to learn from and rows to be judged by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softlearn.datasets import load_mixed
from softlearn.table import Schema

TEST_SHARE = 0.2
MOST_TEST_ROWS = 2_000


@dataclass(frozen=True)
class Split:
    """Rows of one table; every system learns from the same `train` and is judged by `test`."""

    train: Any  # pandas frames
    test: Any
    schema: Schema
    target: str
    seed: int

    @property
    def categorical(self) -> list[str]:
        """The names of the columns with levels."""
        return [column.name for column in self.schema.columns if column.kind == "categorical"]

    @property
    def numeric(self) -> list[str]:
        """The names of the columns of numbers that are not all the same in training."""
        names = [column.name for column in self.schema.columns if column.kind != "categorical"]
        return [name for name in names if self.train[name].nunique() > 1]

    def rng(self) -> np.random.Generator:
        """Return the source of what a task does to the rows: the same for every system."""
        return np.random.default_rng([self.seed, 1])

    def with_floats(self) -> Split:
        """Return the split with all numbers as floats, so that their cells can be missing."""
        names = [column.name for column in self.schema.columns if column.kind != "categorical"]
        floats = dict.fromkeys(names, np.float64)
        return replace(self, train=self.train.astype(floats), test=self.test.astype(floats))


def split_of(dataset: str, seed: int, max_rows: int) -> Split:
    """Return a random 80/20 split, of which at most `max_rows` rows are learnt from."""
    frame, schema, target = load_mixed(dataset)
    order = np.random.default_rng([seed, 0]).permutation(len(frame))
    n_test = round(TEST_SHARE * len(frame))
    test, train = order[:n_test][:MOST_TEST_ROWS], order[n_test:][:max_rows]
    return Split(
        frame.iloc[train].reset_index(drop=True),
        frame.iloc[test].reset_index(drop=True),
        schema,
        target,
        seed,
    )


def with_holes(frame: Any, share: float, rng: np.random.Generator) -> Any:
    """Return the frame with this share of its cells removed, each by its own chance."""
    return frame.mask(rng.random(frame.shape) < share)
