"""The six mixed sets: LearnSPN, SoftLearn and Early SoftLearn, in the paper's setting and in ours.

In the paper's setting numbers are taken as they are, and have Gaussian leaves. Columns need not be
standardised to report standardised log-likelihoods. The learners see numbers only through their
ranks, quantiles and standardised values, and the floor of a leaf's deviation is a share of its
column's. So a circuit learnt from standardised columns is, but for the rows that its clusterings
happen to start from, the same circuit in other units: its log-densities differ by the logarithms of
the columns' deviations.

In ours columns have scales, found from the rows that are learnt from. A score then counts the
probability of whole numbers and of values with a cell of their own, which has no unit, so there is
nothing to standardise.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from softlearn.datasets import MIXED_NAMES, Mixed, info, load_mixed
from softlearn.experiments.cell import EARLY, SYSTEMS, Cell, Clustering, System
from softlearn.experiments.choices import Choices
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.fitting import fit_with_floor
from softlearn.experiments.mixed_tables import document
from softlearn.experiments.published import detail
from softlearn.experiments.settings import FLOORS
from softlearn.table import Schema, infer_schema

SEEDS: Final = 9  # as in the paper
HELD_OUT: Final = 0.2  # share of the rows; the paper does not say
_SPLIT_STREAM: Final = 1  # a random stream separate from the learner's


class Parts(NamedTuple):
    """A table cut in two at random."""

    train: Any  # pandas frames
    test: Any


def cells(choices: Choices) -> list[Cell]:
    """Return the paper's choices for each system, and the early ones, in both settings."""
    max_iters: tuple[tuple[System, dict[str, int]], ...] = (
        ("learnspn", {}),
        ("softlearn", {}),
        ("softlearn", {"max_iter": EARLY}),
    )
    crossed = product(
        choices.datasets(MIXED_NAMES),
        max_iters,
        choices.clusterings,
        FLOORS.values(),
        choices.seeds_or(SEEDS),
    )
    return [
        _cell(
            dataset,
            system,
            clustering,
            deviation_floor=floor,
            seed=seed,
            **early,
            max_rows=choices.max_rows,
        )
        for dataset, (system, early), clustering, floor, seed in crossed
        if system in choices.systems_of(SYSTEMS)
    ]


def _cell(dataset: str, system: System, clustering: Clustering, **further: Any) -> Cell:  # noqa: ANN401
    paper = detail()[dataset, system, clustering]
    return Cell(
        dataset=dataset,
        system=system,
        clustering=clustering,
        p=paper.p,
        alpha=paper.alpha,
        **further,
    )


def measure(cell: Cell) -> Mapping[str, Any]:
    """Learn from four fifths of the rows, and score the rest; plain numbers also standardised."""
    table = _table(cell.dataset)
    parts = split(table.frame, cell.seed)
    train = parts.train[: cell.max_rows]
    is_plain = cell.deviation_floor is not None
    schema = plain(table.schema) if is_plain else with_scales(table.schema, train)
    fitted = fit_with_floor(cell, train, schema)
    raw = fitted.model.score(parts.test)
    units = log_units(train, table) if is_plain else 0.0
    return {"test": raw + units, "test_raw": raw, "log_units": units, **fitted.size}


def plain(schema: Schema) -> Schema:
    """Return the schema without scales."""
    return schema.override({one.name: {"scale": "plain"} for one in schema if not one.is_discrete})


def with_scales(schema: Schema, train: Any) -> Schema:  # noqa: ANN401 - a pandas frame
    """Return the schema, kinds and levels as published, with the scales of some rows."""
    known = {one.name: one if one.is_discrete else one.kind for one in schema}
    return infer_schema(train, overrides=known)


def split(frame: Any, seed: int) -> Parts:  # noqa: ANN401 - a pandas frame
    """Return the parts of a table; they depend on the seed alone, so all systems see the same."""
    order = np.random.default_rng([seed, _SPLIT_STREAM]).permutation(len(frame))
    n_test = round(HELD_OUT * len(frame))
    return Parts(frame.iloc[order[n_test:]], frame.iloc[order[:n_test]])


def log_units(train: Any, table: Mixed) -> float:  # noqa: ANN401 - a pandas frame
    """Return what a row's log-density gains when columns are divided by their deviations."""
    numbers = [column.name for column in table.schema if not column.is_discrete]
    deviations = train[numbers].std(ddof=0).to_numpy()
    return float(np.log(deviations[deviations > 0.0]).sum())


def cost(cell: Cell) -> float:
    """Return the number of cells of the table; clusterings that stop early are cheaper."""
    about = info(cell.dataset)
    rows = min(about.rows, cell.max_rows or about.rows)
    return float(rows * about.columns) / (2.0 if cell.max_iter == EARLY else 1.0)


@lru_cache(maxsize=1)
def _table(name: str) -> Mixed:
    return load_mixed(name)


MIXED: Final = Experiment(name="mixed", cells=cells, measure=measure, cost=cost, document=document)
