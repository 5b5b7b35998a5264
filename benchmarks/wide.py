"""Many columns: ``python -m benchmarks.wide`` learns tables whose truth is known.

400 independent normal columns with 200 rows must not look dependent by chance, and 300 mixed
columns with 10,000 rows come from eight hidden groups, in each of which all are independent. Scores
are of fresh rows, in nats per row; whole numbers have probabilities, and in the truth densities
that are nearly the same.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from softlearn import SoftLearn
from softlearn.datasets.worlds import hidden_groups

FRESH = 2_000


class Found(NamedTuple):
    """What was learnt from a table, and how far it lies below what could be known."""

    table: str
    below: str  # below what
    nats: float
    n_nodes: int
    processor_seconds: float

    def __str__(self) -> str:
        return (
            f"{self.table}: {self.nats:.2f} nats per row below {self.below}, "
            f"{self.n_nodes:,} nodes, {self.processor_seconds:.1f} CPU s"
        )


def independent_normals(n_rows: int = 200, n_columns: int = 400) -> Found:
    """Compare with a circuit that takes all columns as independent, as they are."""
    rng = np.random.default_rng(0)
    table, fresh = rng.normal(size=(n_rows, n_columns)), rng.normal(size=(FRESH, n_columns))
    learnt, seconds = _learnt(table)
    alone = SoftLearn(max_depth=0, random_state=0).fit(table)
    return Found(
        f"{n_columns} independent normal columns, {n_rows:,} rows",
        "independent columns",
        alone.score(fresh) - learnt.score(fresh),
        learnt.model_.circuit.n_nodes,
        seconds,
    )


def hidden_world(n_rows: int = 10_000, n_columns: int = 300, n_groups: int = 8) -> Found:
    """Compare with the world that the rows were drawn from."""
    truth = hidden_groups(n_columns, n_groups, mixed=True)
    table, fresh = (truth.sample(n, random_state=seed) for seed, n in enumerate((n_rows, FRESH)))
    learnt, seconds = _learnt(table)
    return Found(
        f"{n_columns} mixed columns, {n_groups} hidden groups, {n_rows:,} rows",
        "the truth",
        truth.score(fresh) - learnt.score(fresh),
        learnt.model_.circuit.n_nodes,
        seconds,
    )


def _learnt(table):
    """Return the fitted learner and its seconds; a small fit before has everything compiled."""
    SoftLearn(random_state=0).fit(table[:100])
    begin = time.process_time()
    learnt = SoftLearn(random_state=0).fit(table)
    return learnt, time.process_time() - begin


if __name__ == "__main__":
    for measure in (independent_normals, hidden_world):
        print(measure())
