"""The twenty binary sets with the paper's settings: its first table, and its detail tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from softlearn.datasets import DEBD_NAMES, Splits, info, load_debd
from softlearn.experiments.binary_tables import document
from softlearn.experiments.cell import SYSTEMS, Cell
from softlearn.experiments.choices import Choices
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.fitting import fit
from softlearn.experiments.published import detail

SEEDS: Final = 9  # as in the paper


def cells(choices: Choices) -> list[Cell]:
    """Return the paper's settings; soft k-means once for each of several betas."""
    found = []
    for dataset in choices.datasets(DEBD_NAMES):
        for system in choices.systems_of(SYSTEMS):
            for clustering in choices.clusterings:
                paper = detail()[dataset, system, clustering]
                found += [
                    Cell(
                        dataset=dataset,
                        system=system,
                        clustering=clustering,
                        p=paper.p,
                        alpha=paper.alpha,
                        beta=beta,
                        max_rows=choices.max_rows,
                        seed=seed,
                    )
                    for beta in choices.betas
                    for seed in choices.seeds_or(SEEDS)
                ]
    return list(dict.fromkeys(found))  # only soft k-means has a beta


def measure(cell: Cell) -> Mapping[str, Any]:
    """Learn from the training split, and score the two others."""
    splits = _splits(cell.dataset)
    fitted = fit(cell, splits.train)
    scores = {name: fitted.model.score(getattr(splits, name)) for name in ("valid", "test")}
    return {**scores, **fitted.size}


def cost(cell: Cell) -> float:
    """Return the number of cells of the training table."""
    about = info(cell.dataset)
    rows = about.splits["train"]
    return float(min(rows, cell.max_rows or rows) * about.columns)


@lru_cache(maxsize=1)  # the seeds of a data set are run one after the other
def _splits(name: str) -> Splits:
    return load_debd(name)


BINARY: Final = Experiment(
    name="binary", cells=cells, measure=measure, cost=cost, document=document
)
