"""The learners by name: pure functions from rows, a schema, choices and a seed to a circuit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.learn.assemble import assemble
from softlearn.learn.config import GrowConfig
from softlearn.learn.grow import grow
from softlearn.learn.training import training_table
from softlearn.learn.watch import Engine
from softlearn.table.schema import Schema


class Block(NamedTuple):
    """Some rows of a table."""

    values: Floats  # (columns, rows) codes of levels or numbers, NaN where missing
    weights: Floats  # (rows,)


Learner: TypeAlias = Callable[
    [Sequence[Block], Schema, GrowConfig, np.random.SeedSequence, Engine], Circuit
]


def softlearn(
    blocks: Sequence[Block],
    schema: Schema,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """SoftLearn: clusters share each row by its membership, all tests and leaves are weighted."""
    return _grown(blocks, schema, replace(config, soft=True, ranks=False), seed, engine)


def learnspn(
    blocks: Sequence[Block],
    schema: Schema,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """LearnSPN: each row goes to one cluster, pairs with numbers are tested by their ranks."""
    return _grown(blocks, schema, replace(config, soft=False, ranks=True), seed, engine)


LEARNERS: Final[dict[str, Learner]] = {"softlearn": softlearn, "learnspn": learnspn}


def _grown(
    blocks: Sequence[Block],
    schema: Schema,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    if not blocks:
        raise SoftlearnError("learning needs at least two rows; there is no block of them")
    values = np.concatenate([block.values for block in blocks], axis=1)
    weights = np.concatenate([block.weights for block in blocks])
    _check_rows(values, weights, schema)
    training = training_table(values, weights, schema)
    return assemble(grow(training, config, seed, engine), schema)


def _check_rows(values: Floats, weights: Floats, schema: Schema) -> None:
    if weights.shape != (values.shape[1],):
        raise SoftlearnError(f"{values.shape[1]} rows need as many weights, not {weights.shape}")
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise SoftlearnError("row weights must be finite and not negative")
    if np.count_nonzero(weights) < 2 and weights.sum() < 2.0:  # a row of weight 2 is two rows
        raise SoftlearnError("learning needs at least two rows of positive weight")
    for name, column in zip(schema.names, values, strict=True):
        if np.isinf(column).any():
            raise SoftlearnError(f"column {name!r} holds an infinite number; mark it as missing")
