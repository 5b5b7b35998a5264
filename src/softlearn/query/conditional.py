"""Conditional probabilities."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.circuit import Circuit
from softlearn.query.coding import log_base, needs_families
from softlearn.query.evidence import Evidence, intersect
from softlearn.query.far import far_rows, leaf_values
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.leaves import log_values
from softlearn.query.plan import Plan, plan_for
from softlearn.query.rounding import check_rounding
from softlearn.query.workspace import (
    LeafValues,
    Workspace,
    batch_of,
    block_rows,
    blocks,
    over_rows,
)


def conditional_log_probability(
    circuit: Circuit,
    event: Evidence,
    given: Evidence,
    *,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Floats:
    """Return log P(event | given) of each row, (rows,).

    An event that contradicts the condition has -inf. A condition of probability zero raises an
    error, or marks its row with NaN. The result is the logarithm of a ratio, not a difference of
    logarithms, so that probabilities of exclusive events add up even far out in the tails.
    """
    given.check_all_but_codes(circuit.schema)
    event.check_all_but_codes(circuit.schema)
    joint = intersect(circuit.schema, event, given)
    found, zero = np.empty(given.n_rows), np.empty(given.n_rows, dtype=bool)
    far = far_rows(circuit, given)
    check_rounding(circuit, given, far)
    for rows in (np.flatnonzero(~far), np.flatnonzero(far)):
        if rows.size:
            part = (joint.rows(rows), given.rows(rows), bool(far[rows[0]]))
            found[rows], zero[rows] = _ratios(circuit, *part, n_threads)
    impossible_rows(np.where(zero, -np.inf, 0.0), impossible)
    found += log_base(circuit.schema, joint) - log_base(circuit.schema, given)
    return np.where(zero, np.nan, found)


def _ratios(
    circuit: Circuit, joint: Evidence, given: Evidence, far: bool, n_threads: int | None
) -> tuple[Floats, Bools]:
    """Return the logarithm of the ratio of both, and whether the condition has probability zero."""
    by_families = far or needs_families(circuit.schema, joint)
    plan, about = plan_for(circuit, by_families=by_families), given if far else None
    above = _roots(plan, joint, about, n_threads)
    below = _roots(plan, given, about, n_threads)
    zero = below[0] == 0.0
    with np.errstate(divide="ignore"):
        fraction = np.log(above[0] / np.where(zero, 1.0, below[0]))
    return fraction + (above[1] - below[1]) * math.log(2.0), zero


def _roots(
    plan: Plan, rows: Evidence, far_given: Evidence | None, n_threads: int | None
) -> tuple[Floats, Floats]:
    """Return the root's value of each row as a fraction of 1 and a binary exponent.

    Rows in the far tails are computed relative to the leaf values of their condition alone.
    """
    circuit = plan.circuit
    batch = batch_of(circuit.schema, plan.shape.columns, rows)
    fraction, exponent = np.empty(rows.n_rows), np.zeros(rows.n_rows)

    def work(first: int, last: int) -> None:
        space = Workspace(plan, rows, batch, block_rows(plan, last - first))
        for start in blocks(first, last, space.n_rows):
            block = slice(start, start + space.n_rows)
            leaves: LeafValues = log_values
            if far_given is not None:
                leaves = leaf_values(circuit, far_given.rows(block))
            space.run(start, start + space.n_rows, leaves)
            values = space.block.values
            fraction[block], size = np.frexp(values.mantissa[plan.shape.root])
            exponent[block] = size
            if values.scaled[plan.shape.root]:
                exponent[block] += values.exponent[plan.shape.root]

    over_rows(work, rows.n_rows, n_threads)
    return fraction, exponent
