"""Compress circuits: drop rarely used parts and merge similar ones, up to a size or a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softlearn.arrays import Bools
from softlearn.circuit import Circuit
from softlearn.circuit.alike import with_alike_leaves
from softlearn.circuit.compact import Alike, compact
from softlearn.circuit.flat import SUM
from softlearn.circuit.use import Use, expected_use
from softlearn.errors import SoftlearnError
from softlearn.numeric_policy import SMALLEST_CHANGE, UNUSED
from softlearn.query import Evidence, log_likelihood

if TYPE_CHECKING:
    from softlearn.model.model import Model

_STEPS = 20  # of the search for how much may go
_MOST_PER_COLUMN = 1e3  # nats per row that one change may lose at most, in that search


class Compressed(NamedTuple):
    """A smaller model, and what it costs.

    Attributes
    ----------
    model
        The model.
    loss
        By how much the mean log-density of the given rows has fallen, in nats; 0 if nothing was
        left out, below 0 if that did the rows good.
    """

    model: Model
    loss: float


def compressed_circuit(
    circuit: Circuit,
    rows: Evidence | None,
    max_nodes: int | None,
    max_loss: float | None,
) -> tuple[Circuit, float]:
    """Return the smaller circuit and the loss; without a bound equal parts are shared, no more."""
    exact = compact(circuit)
    if max_nodes is None and max_loss is None:
        return exact, 0.0
    if max_nodes is not None and max_loss is not None:
        raise SoftlearnError("give either max_nodes or max_loss, not both")
    if rows is None or not rows.n_rows:
        raise SoftlearnError("the loss is measured on rows: pass a table")
    if max_nodes is not None and exact.n_nodes <= max_nodes:
        return exact, 0.0
    before = log_likelihood(exact, rows)
    if not np.isfinite(before).all():
        raise SoftlearnError("some of the rows are impossible in this model; leave them out")
    use = expected_use(exact)

    def smaller(most: float) -> tuple[Circuit, float]:
        found = without_small_differences(exact, use, most)
        return found, float(np.mean(before - log_likelihood(found, rows)))

    def is_enough(found: tuple[Circuit, float]) -> bool:
        if max_loss is not None:
            return found[1] > max_loss
        assert max_nodes is not None
        return found[0].n_nodes <= max_nodes

    low, high = SMALLEST_CHANGE, _MOST_PER_COLUMN * len(circuit.schema)
    below, above = (exact, 0.0), smaller(high)
    if max_nodes is not None and not is_enough(above):
        raise SoftlearnError(
            f"the circuit cannot be compressed to fewer than {above[0].n_nodes} nodes; max_nodes "
            f"is {max_nodes}"
        )
    for _ in range(_STEPS):
        middle = float(np.sqrt(low * high))
        found = smaller(middle)
        if is_enough(found):
            high, above = middle, found
        else:
            low, below = middle, found
    return above if max_nodes is not None else below


def without_small_differences(circuit: Circuit, use: Use, most: float) -> Circuit:
    """Return a circuit without what costs little.

    Edges of sums go that are used less than so much, for that is about what a row loses by it on
    average; leaves of a column, and sums over the same children, are made one if rows that use
    them lose no more. What is used is found from the circuit itself, not by some rows: those would
    miss what only others use.

    Parameters
    ----------
    circuit
        The circuit.
    use
        How likely its parts are used.
    most
        The nats per row that may be lost by one such change.
    """
    mass = np.maximum(use.node, UNUSED)
    alike = with_alike_leaves(circuit, mass[: circuit.n_leaves], most)
    return compact(alike, _worth_keeping(circuit, use, most), Alike(mass, most))


def _worth_keeping(circuit: Circuit, use: Use, most: float) -> Bools:
    """Return the edges that are used more than so much; every sum keeps the one used most."""
    owner = circuit.edge_owner
    by_sum = np.lexsort((-use.edge, owner))
    is_first = np.r_[True, np.diff(owner[by_sum]) > 0]
    keep = (use.edge > most) | (circuit.kind[owner] != SUM)
    keep[by_sum[is_first]] = True
    return np.asarray(keep)
