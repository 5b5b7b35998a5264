"""Conditional probabilities: how likely one thing is when another is known."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.query.evidence import Evidence, intersect
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.likelihood import log_likelihood


def conditional_log_probability(
    circuit: Circuit,
    event: Evidence,
    given: Evidence,
    *,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Floats:
    """Return log P(event | given) of each row, (rows,).

    An event that contradicts what is given has -inf. A condition of probability zero raises an
    error, or marks its row with NaN.
    """
    given.must_suit(circuit.schema)
    event.must_suit(circuit.schema)
    condition = log_likelihood(circuit, given, n_threads=n_threads)
    zero = impossible_rows(condition, impossible)
    joint = log_likelihood(circuit, intersect(circuit.schema, event, given), n_threads=n_threads)
    return np.where(zero, np.nan, joint - np.where(zero, 0.0, condition))
