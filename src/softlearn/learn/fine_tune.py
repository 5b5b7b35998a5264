"""Improve the parameters of a circuit by EM, with early stopping on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.learn.blocks import Block, check_blocks
from softlearn.learn.config import GrowConfig
from softlearn.learn.em import Rows, Schedule, Trained, train
from softlearn.learn.held_out import different_rows, hold_out
from softlearn.learn.leaves import pseudo_counts
from softlearn.learn.m_step import PseudoRows
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import number, or_none, whole
from softlearn.learn.watch import Engine
from softlearn.numeric_policy import HELD_OUT_SHARE, LAPLACE_SMOOTHING
from softlearn.stats.levels import level_weights


@dataclass(frozen=True, kw_only=True)
class FineTuning:
    """The settings of fine-tuning."""

    max_iter: int = parameter(30, whole(0), "The maximum number of EM passes through the rows.")
    batch_rows: int | None = parameter(
        None,
        or_none(whole(1)),
        "Different rows after which the parameters change; by default all rows.",
    )
    smoothing: float = parameter(
        LAPLACE_SMOOTHING,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "Pseudo-rows of every sum and every leaf.",
    )


def fine_tuned(
    circuit: Circuit,
    block: Block,
    valid: Block | None,
    tuning: FineTuning,
    *,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Trained:
    """Run EM, and return the circuit that explains the held-out rows best.

    Parameters
    ----------
    circuit
        The circuit to begin with.
    block
        The rows to learn from.
    valid
        The validation rows; None holds out a share of the block, if that is enough rows.
    tuning
        The settings.
    seed
        The source of randomness of the held-out rows and of batches.
    engine
        The number of threads, and the progress callback.
    """
    schema = circuit.schema
    check_blocks([block], schema)
    to_hold, to_train = seed.spawn(2)
    rows = different_rows(block)
    if valid is None:
        rows, valid = hold_out(rows, HELD_OUT_SHARE, np.random.default_rng(to_hold))
    shares = GrowConfig(smoothing=tuning.smoothing, smoothing_per="column")
    levels: list[Floats] = [
        pseudo_counts(weights, shares) for weights in level_weights(*rows, schema)
    ]
    pseudo = PseudoRows.like(
        rows, schema, levels, of_sum=tuning.smoothing, of_leaf=tuning.smoothing
    )
    schedule = Schedule(max_iter=tuning.max_iter, batch_rows=tuning.batch_rows)
    return train(circuit, Rows(rows, valid), pseudo, schedule, seed=to_train, engine=engine)
