"""Shared code of learners that fix a structure and then learn its parameters by EM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from softlearn.circuit import Circuit
from softlearn.learn.blocks import Block, joined
from softlearn.learn.em import Rows, Schedule, train
from softlearn.learn.first_leaves import FirstLeaves
from softlearn.learn.grower_config import Leaves
from softlearn.learn.held_out import different_rows, hold_out
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import number, or_none, whole
from softlearn.learn.watch import Engine
from softlearn.numeric_policy import HELD_OUT_SHARE, SUM_SMOOTHING
from softlearn.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class EmConfig(Leaves):
    """How parameters are learnt by EM."""

    max_iter: int = parameter(100, whole(0), "The maximum number of EM passes through the rows.")
    batch_rows: int | None = parameter(
        None,
        or_none(whole(1)),
        "The number of distinct rows per parameter update; by default all rows. Smaller batches "
        "are faster on very large tables.",
    )
    held_out: float = parameter(
        HELD_OUT_SHARE,
        number("a number from 0 to below 1", lambda x: 0.0 <= x < 1.0),
        "The share of the rows that is held out for early stopping; the circuit that scores best "
        "on them is kept. 0 learns from all rows.",
    )
    sum_smoothing: float = parameter(
        SUM_SMOOTHING,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "Smoothing: pseudo-rows added to every sum, divided equally among its branches.",
    )


First: TypeAlias = Callable[[FirstLeaves, np.random.Generator], Circuit]


def fitted(
    first: First,
    blocks: Sequence[Block],
    schema: Schema,
    config: EmConfig,
    *,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return an initial circuit after EM on the distinct rows of the blocks."""
    to_hold, to_start, to_train = seed.spawn(3)
    rows = different_rows(joined(blocks))
    block, valid = hold_out(rows, config.held_out, np.random.default_rng(to_hold))
    leaves = FirstLeaves.of(block, schema, config)
    circuit = first(leaves, np.random.default_rng(to_start))
    schedule = Schedule(max_iter=config.max_iter, batch_rows=config.batch_rows)
    pseudo = leaves.pseudo_rows(config.sum_smoothing)
    return train(
        circuit, Rows(block, valid), pseudo, schedule, seed=to_train, engine=engine
    ).circuit


def random_weights(n_sums: int, n_children: int, rng: np.random.Generator) -> np.ndarray:
    """Return random weights of sums, drawn uniformly from the simplex."""
    return rng.dirichlet(np.ones(n_children), n_sums)
