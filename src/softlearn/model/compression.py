"""Smaller circuits: what rows hardly use or hardly tell apart goes, up to a size or a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softlearn.arrays import Bools
from softlearn.circuit import Circuit
from softlearn.circuit.alike import with_alike_leaves
from softlearn.circuit.compact import Alike, compact
from softlearn.circuit.flat import SUM
from softlearn.errors import SoftlearnError
from softlearn.query import Evidence, log_likelihood
from softlearn.query.flows import Flows, flows

if TYPE_CHECKING:
    from softlearn.model.model import Model

_STEPS = 20  # of the search for how much may go
_LEAST, _MOST_PER_CELL = 1e-6, 1e3  # nats of all rows that one change may lose, in that search
_UNUSED = 1e-6  # rows of a leaf that no row uses


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
        raise SoftlearnError("say max_nodes or max_loss, not both")
    if rows is None or not rows.n_rows:
        raise SoftlearnError("what may be left out is told by rows; give a table of them")
    if max_nodes is not None and exact.n_nodes <= max_nodes:
        return exact, 0.0
    before = log_likelihood(exact, rows)
    if not np.isfinite(before).all():
        raise SoftlearnError("some of the rows are impossible in this model; leave them out")
    used = flows(exact, rows)

    def smaller(most: float) -> tuple[Circuit, float]:
        found = without_small_differences(used, most)
        return found, float(np.mean(before - log_likelihood(found, rows)))

    def is_enough(found: tuple[Circuit, float]) -> bool:
        if max_loss is not None:
            return found[1] > max_loss
        assert max_nodes is not None
        return found[0].n_nodes <= max_nodes

    low, high = _LEAST, _MOST_PER_CELL * rows.n_rows * len(circuit.schema)
    below, above = (exact, 0.0), smaller(high)
    if max_nodes is not None and not is_enough(above):
        raise SoftlearnError(
            f"the circuit cannot have fewer than {above[0].n_nodes} nodes; max_nodes is {max_nodes}"
        )
    for _ in range(_STEPS):
        middle = float(np.sqrt(low * high))
        found = smaller(middle)
        if is_enough(found):
            high, above = middle, found
        else:
            low, below = middle, found
    return above if max_nodes is not None else below


def without_small_differences(used: Flows, most: float) -> Circuit:
    """Return a circuit without what costs the rows little.

    Edges of sums go that rows use less than so much together, for that is about what they lose;
    leaves of a column, and sums over the same children, are made one if the rows that use them
    lose no more by it.

    Parameters
    ----------
    used
        How rows flow through the circuit.
    most
        The nats that all rows together may lose by one such change.
    """
    mass = np.maximum(used.node, _UNUSED)
    alike = with_alike_leaves(used.circuit, mass[: used.circuit.n_leaves], most)
    return compact(alike, _worth_keeping(used, most), Alike(mass, most))


def _worth_keeping(used: Flows, most: float) -> Bools:
    """Return the edges that rows use more than so much; every sum keeps the one used most."""
    circuit, edge = used.circuit, used.edge
    owner = circuit.edge_owner
    by_sum = np.lexsort((-edge, owner))
    is_first = np.r_[True, np.diff(owner[by_sum]) > 0]
    keep = (edge > most) | (circuit.kind[owner] != SUM)
    keep[by_sum[is_first]] = True
    return np.asarray(keep)
