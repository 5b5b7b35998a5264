"""A learner of one file: what it takes to add one, and what it then gets by itself.

It takes columns with levels only, no missing cells and no weights, so that refusals can be tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softlearn.circuit import Circuit, Leaf, Product, flatten
from softlearn.learn import Block, Engine, Entry, Progress, Promises, Takes
from softlearn.learn.blocks import joined
from softlearn.learn.entry import DISCRETE
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import number, one_of, or_none, whole
from softlearn.table.schema import Column, Schema


@dataclass(frozen=True, kw_only=True)
class ToyConfig:
    """Every form of a parameter that the command line can say, but one per column."""

    pseudo_rows: float = parameter(
        1.0,
        number("a number above 0", lambda x: x > 0.0),
        "Rows that every level has before any is counted.",
        grid=(0.5, 1.0, 100.0),
    )
    first_rows: int | None = parameter(
        None, or_none(whole(1)), "Count so many rows only; by default all."
    )
    order: str = parameter("first", one_of("first", "last"), "Which rows are counted.")
    unruly: int = 3  # no rule, and so no parameter of estimators and commands


def toy(
    blocks: Sequence[Block],
    schema: Schema,
    config: ToyConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Take all columns as independent."""
    values = joined(blocks).values
    rows = values[:, np.lexsort(values)]  # so that the order of the rows makes no difference
    if config.first_rows is not None:
        last = config.order == "last"
        rows = rows[:, -config.first_rows :] if last else rows[:, : config.first_rows]
    leaves = [
        _leaf(column, cells, config.pseudo_rows) for column, cells in zip(schema, rows, strict=True)
    ]
    engine.watch(Progress(total=1.0, done=1.0, n_nodes=len(leaves)))
    return flatten(leaves[0] if len(leaves) == 1 else Product(tuple(leaves)), schema)


def _leaf(column: Column, cells: np.ndarray, pseudo_rows: float) -> Leaf:
    counts = np.bincount(cells.astype(int), minlength=column.n_levels) + pseudo_rows
    shares = tuple((counts / counts.sum()).tolist())
    return Leaf(column.name, "categorical", shares, column.levels)


ENTRY = Entry(
    estimator="Toy",
    label="Toy",
    summary="Count the levels of each column by itself.",
    description="All columns are taken as independent.",
    advice="Take it in tests.",
    reference="None.",
    function=toy,
    config=ToyConfig,
    takes=Takes(kinds=DISCRETE, missing=False, weights=False),
    promises=Promises(structure="tree", deterministic=True),
    example="""
>>> import numpy as np
>>> from softlearn import Toy
>>> round(Toy().fit(np.array([[0], [1], [1]])).probability({"0": 1}), 2)
0.6
""",
)
