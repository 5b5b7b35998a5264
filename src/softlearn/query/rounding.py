"""Check that rounding does not decide the posterior of evidence in the far tails."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import Circuit
from softlearn.errors import EvidenceError
from softlearn.numeric_policy import TELLABLE
from softlearn.query.evidence import Evidence
from softlearn.query.far import RelativeLeaves
from softlearn.query.plan import Plan, plan_for
from softlearn.query.workspace import Workspace, batch_of, block_rows, blocks


def check_rounding(circuit: Circuit, evidence: Evidence, far: Bools) -> None:
    """Raise an ``EvidenceError`` if rounding decides the leaves of a row in the far tails.

    Each leaf's logarithm has a bound of its error. The most probable leaves are moved down by
    their bounds and all others up: if no leaf's probability changes, rounding does not matter.
    """
    rows = np.flatnonzero(far)
    if rows.size == 0:
        return
    plan, some = plan_for(circuit, trace=True, by_families=True), evidence.rows(rows)
    size = block_rows(plan, rows.size, trace=True)
    for start in blocks(0, rows.size, size):
        block = slice(start, start + size)
        _check_block(plan, some.rows(block), rows[block])


def _check_block(plan: Plan, rows: Evidence, names: Offsets) -> None:
    circuit = plan.circuit
    leaves = RelativeLeaves(circuit, rows, np.arange(rows.n_rows))
    error = leaves.errors(circuit)
    if error.max(initial=0.0) < TELLABLE:
        return
    before = _leaf_flows(plan, rows, leaves, np.zeros(error.shape))
    likely = _of_class(circuit, before)
    top = np.zeros((len(circuit.schema), rows.n_rows))
    np.maximum.at(top, circuit.leaf_column, likely)
    wins = likely == top[circuit.leaf_column]
    after = _leaf_flows(plan, rows, leaves, np.where(wins, -error, error))
    moved = np.abs(_of_class(circuit, after) - likely) * (error > 0.0)
    if (moved <= TELLABLE).all():
        return
    row = int(np.argmax(moved.max(axis=0)))
    # Of the columns whose leaves are undecided, the one with the largest rounding error.
    leaf = int(np.argmax(np.where(moved[:, row] > TELLABLE, error[:, row], -1.0)))
    column = circuit.schema.names[circuit.leaf_column[leaf]]
    raise EvidenceError(
        f"row {names[row]}: the evidence about column {column!r} lies so far out that float64 "
        "cannot tell which part of the model it belongs to"
    )


def _of_class(circuit: Circuit, flow: Floats) -> Floats:
    """Return the flow of each leaf together with those of equal leaves, (leaves, rows)."""
    _, group = np.unique(_signature(circuit), return_inverse=True)
    total = np.zeros((int(group.max()) + 1, flow.shape[1]))
    np.add.at(total, group, flow)
    return total[group]


def _signature(circuit: Circuit) -> Ids:
    """Return a number for each leaf that equal leaves share."""
    known: dict[tuple[int, int, bytes], int] = {}
    found = np.empty(circuit.n_leaves, np.int32)
    for leaf in range(circuit.n_leaves):
        own = circuit.params[circuit.param_start[leaf] : circuit.param_start[leaf + 1]]
        key = (int(circuit.leaf_column[leaf]), int(circuit.leaf_family[leaf]), own.tobytes())
        found[leaf] = known.setdefault(key, len(known))
    return found


def _leaf_flows(plan: Plan, rows: Evidence, leaves: RelativeLeaves, move: Floats) -> Floats:
    """Return the posterior of every leaf, with its logarithm moved; both (leaves, rows)."""
    from softlearn.kernels.circuit.downward import spread  # noqa: PLC0415 - loads Numba

    circuit = plan.circuit

    def moved(circuit: Circuit, some: Ids, rows: Evidence) -> Floats:
        logs = leaves(circuit, some, rows)
        assert isinstance(logs, np.ndarray)  # the rows are those given, so there are no factors

        return logs + move[some]

    batch = batch_of(circuit.schema, plan.shape.columns, rows)
    space = Workspace(plan, rows, batch, rows.n_rows)
    space.run(0, rows.n_rows, moved)
    scratch, everything = np.empty(rows.n_rows), np.ones(rows.n_rows)
    spread(plan.graph, space.block.values, everything, scratch, np.empty(0))
    found = np.zeros((circuit.n_leaves, rows.n_rows))
    _, leaf, slot = plan.shape.reach
    np.add.at(found, leaf, space.block.values.mantissa[slot])
    return found
