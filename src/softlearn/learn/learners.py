"""The learners by name: pure functions from rows, a schema, choices and a seed to a circuit."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.learn.assemble import assemble
from softlearn.learn.config import GrowConfig
from softlearn.learn.grow import grow
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.watch import Engine
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema


class Block(NamedTuple):
    """Some rows of a table."""

    values: Floats  # (columns, rows) codes of levels or numbers, NaN where missing
    weights: Floats  # (rows,)


Learner: TypeAlias = Callable[
    [Sequence[Block], Schema, GrowConfig, np.random.SeedSequence, Engine], Circuit
]


@dataclass(frozen=True, slots=True)
class Growing:
    """A learner that grows a tree from a work list; see ``GrowConfig`` for the two choices."""

    soft: bool
    ranks: bool

    def __call__(
        self,
        blocks: Sequence[Block],
        schema: Schema,
        config: GrowConfig,
        seed: np.random.SeedSequence,
        engine: Engine,
    ) -> Circuit:
        """Return the circuit that the rows grow into."""
        chosen = replace(config, soft=self.soft, ranks=self.ranks)
        return grown(blocks, schema, chosen, seed, engine)


LEARNERS: Final[dict[str, Learner]] = {
    # Clusters share each row by its membership; all tests and leaves are weighted.
    "softlearn": Growing(soft=True, ranks=False),
    # Each row goes to one cluster; pairs with numbers are tested by their ranks.
    "learnspn": Growing(soft=False, ranks=True),
}


def grown(
    blocks: Sequence[Block],
    schema: Schema,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the circuit that the rows grow into; the time budget begins here."""
    ends = np.inf if config.time_budget is None else time.monotonic() + config.time_budget
    table = training_table(*_all_rows(blocks, schema), schema, with_histograms(schema, config))
    tree = grow(table, config, seed, engine, ends)
    return assemble(tree, finish_leaves(tree, table, config), schema)


def _all_rows(blocks: Sequence[Block], schema: Schema) -> Block:
    """Return the blocks' rows together."""
    if not blocks:
        raise SoftlearnError("learning needs at least two rows; there is no block of them")
    values, weights = blocks[0]
    if len(blocks) > 1:
        values = np.concatenate([block.values for block in blocks], axis=1)
        weights = np.concatenate([block.weights for block in blocks])
    _check_rows(values, weights, schema)
    return Block(values, weights)


def _check_rows(values: Floats, weights: Floats, schema: Schema) -> None:
    if weights.shape != (values.shape[1],):
        raise SoftlearnError(f"{values.shape[1]} rows need as many weights, not {weights.shape}")
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise SoftlearnError("row weights must be finite and not negative")
    if np.count_nonzero(weights) < 2 and weights.sum() < 2.0:  # a row of weight 2 is two rows
        raise SoftlearnError("learning needs at least two rows of positive weight")
    for column, cells in zip(schema, values, strict=True):
        missing = cells == column.missing_code if column.missing == "modelled" else False
        if (np.isinf(cells) & ~np.asarray(missing)).any():
            raise SoftlearnError(
                f"column {column.name!r} holds an infinite number; mark it as missing"
            )
        # Written so that NaN, a missing cell, is not strange.
        strange = (cells < 0) | (cells >= column.n_levels) | (np.floor(cells) < cells)
        if column.is_discrete and strange.any():
            raise SoftlearnError(
                f"column {column.name!r} has {column.n_levels} levels, so its codes are the whole "
                f"numbers from 0 to {column.n_levels - 1}; encode the table by its schema"
            )
