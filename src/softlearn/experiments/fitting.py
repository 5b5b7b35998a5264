"""Fit and score a cell, the same way for all experiments."""

from __future__ import annotations

from functools import cache
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.estimators import estimator_named
from softlearn.experiments.cell import CLUSTERINGS, SYSTEMS, Cell
from softlearn.learn import LEARNERS, Block, Engine
from softlearn.model import Model
from softlearn.table import Schema, encode


class Fitted(NamedTuple):
    """A model, and how long it took to learn it in one thread."""

    model: Model
    seconds: float

    @property
    def size(self) -> dict[str, Any]:
        """The size and time of the fit, for a row."""
        circuit = self.model.circuit
        return {
            "seconds": round(self.seconds, 3),
            "n_nodes": circuit.n_nodes,
            "n_edges": circuit.n_edges,
        }


def fit(cell: Cell, table: AnyArray) -> Fitted:
    """Fit the cell's estimator to a table of numbers."""
    _compile_before_timing()
    learner = estimator_named(cell.system)(
        **_choices(cell),
        random_state=cell.seed,
        n_jobs=1,  # cells are run side by side
    )
    started = perf_counter()
    learner.fit(table[: cell.max_rows])
    return Fitted(learner.model_, perf_counter() - started)


def fit_with_floor(cell: Cell, frame: Any, schema: Schema) -> Fitted:  # noqa: ANN401 - any frame
    """Fit the cell's learner with its ``deviation_floor``, which estimators do not offer."""
    _compile_before_timing()
    entry, choices = LEARNERS[cell.system], _choices(cell)
    if cell.deviation_floor is not None:
        choices["deviation_floor"] = cell.deviation_floor
    started = perf_counter()
    values = encode(frame, schema)
    block = Block(values, np.ones(values.shape[1]))
    seed = np.random.SeedSequence(cell.seed)
    circuit = entry.learn([block], schema, entry.config(**choices), seed, Engine(n_jobs=1))
    return Fitted(Model(circuit), perf_counter() - started)


def _choices(cell: Cell) -> dict[str, Any]:
    """Return the learner's parameters of a cell."""
    choices = {
        "clustering": cell.clustering,
        "n_clusters": cell.n_clusters,
        "significance": cell.p,
        "smoothing": cell.alpha,
        "smoothing_per": "level",  # as in the paper
        "max_iter": cell.max_iter,
    }
    return choices if cell.beta is None else {**choices, "beta": cell.beta}


@cache
def _compile_before_timing() -> None:
    """Fit tiny tables once per process, so that the times of cells do not include compilation."""
    rng = np.random.default_rng(0)
    groups = rng.integers(2, size=(96, 1))
    many = (rng.random((96, 4)) < 0.2 + 0.6 * groups).astype(np.uint8)
    few = (rng.random((96, 40)) < 0.2 * groups).astype(np.uint8)  # kept as a list of ones
    numbers = rng.normal(4.0 * groups, 1.0, (96, 3))
    for table, (name, clustering) in product(
        (many, few, numbers, np.hstack([many, numbers])), product(SYSTEMS, CLUSTERINGS)
    ):
        learner = estimator_named(name)(random_state=0, n_jobs=1).set_params(clustering=clustering)
        learner.fit(table).score(table)
