"""Fine-tune the parameters of a model on a frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState, generator
from softlearn.table import encode


class Sources(NamedTuple):
    """What the caller gives to learn from."""

    frame: Frame
    valid: Frame | None
    sample_weight: object
    random_state: RandomState
    unknown: Unknown


def fine_tuned_circuit(circuit: Circuit, given: Sources, **choices: object) -> Circuit:
    """Return the circuit with the parameters that explain the held-out rows best."""
    from softlearn.learn import Block, Engine  # noqa: PLC0415 - a model knows learners only here
    from softlearn.learn.fine_tune import FineTuning, fine_tuned  # noqa: PLC0415
    from softlearn.learn.parameters import parameters_of, read_parameters  # noqa: PLC0415

    rules = {name: one.rule for name, one in parameters_of(FineTuning).items()}
    tuning = FineTuning(**read_parameters(choices, rules))
    values = encode(given.frame, circuit.schema, unknown=given.unknown)
    block = Block(values, _weights(given.sample_weight, values.shape[1]))
    valid = None
    if given.valid is not None:
        held = encode(given.valid, circuit.schema, unknown=given.unknown)
        if not held.shape[1]:
            raise SoftlearnError(
                "valid has no rows; leave it out to hold out a share of the training rows"
            )
        valid = Block(held, np.ones(held.shape[1]))
    drawn = generator(given.random_state).integers(2**32, size=4)
    seed = np.random.SeedSequence(drawn.tolist())
    return fine_tuned(circuit, block, valid, tuning, seed=seed, engine=Engine()).circuit


def _weights(sample_weight: object, n_rows: int) -> Floats:
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        return np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SoftlearnError(f"sample_weight must be numbers, one per row ({error})") from error
