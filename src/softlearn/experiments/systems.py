"""Every system of the comparison table: choices made on valid, the test split read once."""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time
from typing import Any, Final

import numpy as np

from softlearn.datasets import DEBD_NAMES, Splits, info, load_debd
from softlearn.estimators import estimator_named
from softlearn.experiments.cell import Cell
from softlearn.experiments.choices import Choices
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.systems_compared import COMPARED
from softlearn.experiments.systems_tables import document

SEEDS: Final = 1


def cells(choices: Choices) -> list[Cell]:
    """Return one cell for each data set, system and seed; a cell tries all settings."""
    return [
        Cell(dataset=dataset, system=system, max_rows=choices.max_rows, seed=seed)
        for system in choices.systems_of(tuple(COMPARED))
        for dataset in choices.datasets(DEBD_NAMES)
        for seed in choices.seeds_or(SEEDS)
    ]


def measure(cell: Cell) -> Mapping[str, Any]:
    """Try all settings of a system, then score the best on the test split."""
    return measured(cell, load_debd(cell.dataset))


def measured(cell: Cell, splits: Splits) -> Mapping[str, Any]:
    """Return the scores of the setting that is best on valid; only then is test read."""
    system = COMPARED[cell.system]
    estimator, tried = estimator_named(system.learner), []
    best, best_model = -np.inf, None
    estimator(**system.fixed, random_state=0, n_jobs=1).fit(splits.train[:50])  # compiles
    for setting in system.settings:
        started = process_time()
        learner = estimator(**system.fixed, **setting, random_state=cell.seed, n_jobs=1)
        learner.fit(splits.train[: cell.max_rows])
        seconds, valid = process_time() - started, learner.score(splits.valid)
        tried.append({**setting, "valid": valid, "seconds": round(seconds, 3)})
        if best_model is None or valid > best:
            best, best_model = valid, learner.model_
    assert best_model is not None
    scores, circuit = best_model.score_samples(splits.test), best_model.circuit
    chosen = max(tried, key=lambda one: one["valid"])
    return {
        "valid": best,
        "test": float(scores.mean()),
        "test_error": float(scores.std(ddof=1) / np.sqrt(scores.size)),
        "seconds": chosen["seconds"],
        "seconds_of_all": round(sum(one["seconds"] for one in tried), 3),
        "chosen": {name: chosen[name] for name in system.grid},
        "tried": tried,
        "n_nodes": circuit.n_nodes,
        "n_edges": circuit.n_edges,
    }


def cost(cell: Cell) -> float:
    """Return about how long a cell takes, by the size of its table and its number of settings."""
    about, system = info(cell.dataset), COMPARED[cell.system]
    rows = about.splits["train"]
    n_cells = min(rows, cell.max_rows or rows) * about.columns
    return float(n_cells * system.cost * len(system.settings))


SYSTEMS: Final = Experiment(
    name="systems", cells=cells, measure=measure, cost=cost, document=document
)
