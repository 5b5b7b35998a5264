"""Smaller circuits: what rows hardly use is left out, up to a size or a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softlearn.arrays import Ids
from softlearn.circuit import Circuit
from softlearn.circuit.compact import compact
from softlearn.circuit.flat import SUM
from softlearn.errors import SoftlearnError
from softlearn.query import Evidence, log_likelihood
from softlearn.query.flows import flows

if TYPE_CHECKING:
    from softlearn.model.model import Model


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
    order = _least_used(exact, rows)

    def pruned(n_dropped: int) -> tuple[Circuit, float]:
        keep = np.ones(exact.n_edges, dtype=bool)
        keep[order[:n_dropped]] = False
        smaller = compact(exact, keep)
        return smaller, float(np.mean(before - log_likelihood(smaller, rows)))

    def is_enough(found: tuple[Circuit, float]) -> bool:
        if max_loss is not None:
            return found[1] > max_loss
        assert max_nodes is not None
        return found[0].n_nodes <= max_nodes

    low, high = 0, order.size + 1  # of edges: too few, and enough or one too many
    below, above = (exact, 0.0), None
    while high - low > 1:
        middle = (low + high) // 2
        found = pruned(middle)
        if is_enough(found):
            high, above = middle, found
        else:
            low, below = middle, found
    if max_loss is not None:
        return below
    if above is None:
        raise SoftlearnError(
            f"the circuit cannot have fewer than {below[0].n_nodes} nodes; max_nodes is {max_nodes}"
        )
    return above


def _least_used(circuit: Circuit, rows: Evidence) -> Ids:
    """Return the edges of sums that can be left out, the least used first."""
    used = flows(circuit, rows).edge
    owner = circuit.edge_owner
    by_sum = np.lexsort((-used, owner))
    is_first = np.r_[True, np.diff(owner[by_sum]) > 0]
    can_go = circuit.kind[owner] == SUM
    can_go[by_sum[is_first]] = False  # every sum keeps the edge that is used most
    edges = np.flatnonzero(can_go)
    return np.asarray(edges[np.argsort(used[edges], kind="stable")])
