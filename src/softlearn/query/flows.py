"""Expected counts of edges, and expected sufficient statistics of leaves, for weighted rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from softlearn.arrays import Bools, Floats, Ids
from softlearn.circuit import Circuit
from softlearn.errors import EvidenceError
from softlearn.kernels.circuit.program import Batch, LeafReach, LeafTotals
from softlearn.query.coding import log_base, needs_families
from softlearn.query.evidence import Evidence
from softlearn.query.far import LARGE_LOG, RelativeLeaves, far_rows, leaf_values
from softlearn.query.impossible import impossible_rows
from softlearn.query.leaf_layout import LeafLayout
from softlearn.query.leaf_statistics import LeafStatistics, merged
from softlearn.query.leaves import log_values
from softlearn.query.plan import Plan, plan_for
from softlearn.query.region_statistics import BlockFlow, add_intervals
from softlearn.query.rounding import check_rounding
from softlearn.query.workspace import (
    LeafValues,
    Workspace,
    batch_of,
    block_rows,
    blocks,
    over_chunks,
)

# Each chunk of rows has separate sums; with so many nodes times rows, merging them is cheap.
_CHUNK_NODE_ROWS = 1 << 25
_FEWEST_ROWS, _MOST_ROWS = 1 << 12, 1 << 16

SkipImpossible: TypeAlias = Literal["error", "skip"]


@dataclass(frozen=True, eq=False)
class Flows:
    """The expected use of every edge and leaf: the expected counts of EM.

    Attributes
    ----------
    circuit
        The circuit that the rows flow through.
    weight
        The weight of all rows that count; it is the flow into the root.
    log_likelihood
        (rows,) the log-probability of each row's evidence; -inf for rows that were skipped.
    score
        The weighted sum of the log-likelihoods of the rows that count.
    edge
        (edges,) the sum over rows of weight times the probability that the row uses the edge. The
        edges of a sum share the flow into it, each edge of a product has all of it.
    leaves
        The sufficient statistics of all leaves.
    """

    circuit: Circuit
    weight: float
    log_likelihood: Floats
    score: float
    edge: Floats
    leaves: LeafStatistics

    @cached_property
    def node(self) -> Floats:
        """(nodes,) the flow into every node."""
        circuit = self.circuit
        into = np.bincount(circuit.child, self.edge, circuit.n_nodes).astype(np.float64)
        into[circuit.root] = self.weight
        return into

    @property
    def leaf(self) -> Floats:
        """(leaves,) the flow into every leaf, of rows that know its column and of others."""
        return self.node[: self.circuit.n_leaves]

    def merge(self, other: Flows) -> Flows:
        """Return the total flows of two blocks of rows through the same circuit."""
        if other.circuit is not self.circuit:
            raise EvidenceError("flows through different circuits cannot be merged")
        return Flows(
            self.circuit,
            self.weight + other.weight,
            np.concatenate([self.log_likelihood, other.log_likelihood]),
            self.score + other.score,
            self.edge + other.edge,
            self.leaves.merge(other.leaves),
        )


def flows(
    circuit: Circuit,
    evidence: Evidence,
    weights: Floats | None = None,
    *,
    impossible: SkipImpossible = "error",
    n_threads: int | None = None,
) -> Flows:
    """Return the expected use of every edge and leaf, summed over weighted rows.

    The result does not depend on the number of threads.

    Parameters
    ----------
    circuit
        The circuit: a tree, or a graph with shared parts.
    evidence
        The evidence; columns may be unobserved, sets or intervals.
    weights
        (rows,) how much each row counts, 0 or more; by default 1. A row of weight 0 is absent.
    impossible
        A row of probability zero flows nowhere. With "error" it raises an
        ``ImpossibleEvidenceError``; with "skip" it is left out, and its log-likelihood is -inf.
    n_threads
        The number of threads; by default one for each core.
    """
    evidence.check_all_but_codes(circuit.schema)
    if impossible not in ("error", "skip"):
        raise EvidenceError(f"impossible must be 'error' or 'skip', not {impossible!r}")
    counted = _row_weights(weights, evidence.n_rows)
    layout = LeafLayout.of(circuit)
    logs, edge, totals = np.empty(evidence.n_rows), np.zeros(circuit.n_edges), layout.no_rows()
    far = far_rows(circuit, evidence)
    near = _Pass(circuit, layout, evidence, counted, far, is_far=False)
    for part in near.parts(logs, n_threads):
        edge, totals = edge + part.edge, merged(totals, part.leaves)
    later = np.flatnonzero(far & (logs < -LARGE_LOG) & (counted > 0.0))
    if later.size:
        rows, relative = evidence.rows(later), np.empty(later.size)
        check_rounding(circuit, rows, np.ones(later.size, dtype=bool))
        outside = _Pass(circuit, layout, rows, counted[later], far[later], is_far=True)
        for part in outside.parts(relative, n_threads):
            edge, totals = edge + part.edge, merged(totals, part.leaves)
        logs[later] = relative
    zero = impossible_rows(
        np.where(counted > 0.0, logs, 0.0), "error" if impossible == "error" else "nan"
    )
    logs += log_base(circuit.schema, evidence)
    counts = (counted > 0.0) & ~zero
    return Flows(
        circuit,
        float(counted[counts].sum()),
        logs,
        float(counted[counts] @ logs[counts]),
        edge,
        LeafStatistics(circuit, layout, totals),
    )


def _row_weights(weights: Floats | None, n_rows: int) -> Floats:
    if weights is None:
        return np.ones(n_rows)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n_rows,):
        raise EvidenceError(f"{n_rows} rows need as many weights, not an array of {given.shape}")
    if not (np.isfinite(given) & (given >= 0.0)).all():
        raise EvidenceError("row weights must be finite and not negative")
    return given


class _Part(NamedTuple):
    """The sums over some of the rows."""

    edge: Floats  # (edges,)
    leaves: LeafTotals


class _Pass:
    """One pass over all rows: ordinary rows first, then rows in the far tails.

    For rows that may be in the far tails, the first pass only finds their likelihood if it is so
    small that rounding decides the branches; their flows are left to the second pass.
    """

    def __init__(
        self,
        circuit: Circuit,
        layout: LeafLayout,
        evidence: Evidence,
        weights: Floats,
        may_be_far: Bools,
        *,
        is_far: bool,
    ) -> None:
        by_families = is_far or needs_families(circuit.schema, evidence)
        self.plan: Plan = plan_for(circuit, trace=True, by_families=by_families)
        self.circuit, self.layout, self.evidence = circuit, layout, evidence
        self.weights, self.may_be_far, self.is_far = weights, may_be_far, is_far
        self.batch: Batch = batch_of(circuit.schema, self.plan.shape.columns, evidence)
        self.reach: LeafReach = layout.reach(circuit, self.plan.shape)
        self.codes: Ids = layout.codes(circuit, evidence)

    def parts(self, logs: Floats, n_threads: int | None) -> Iterator[_Part]:
        """Fill the log-likelihoods, and yield the sums chunk by chunk."""
        size = int(np.clip(_CHUNK_NODE_ROWS // self.circuit.n_nodes, _FEWEST_ROWS, _MOST_ROWS))

        def work(first: int, last: int) -> _Part:
            return self._chunk(first, last, logs)

        yield from over_chunks(work, self.evidence.n_rows, size, n_threads)

    def _chunk(self, first: int, last: int, logs: Floats) -> _Part:
        from softlearn.kernels.circuit.downward import spread  # noqa: PLC0415 - loads Numba
        from softlearn.kernels.circuit.leaf_totals import add_leaves  # noqa: PLC0415

        plan, batch = self.plan, self.batch
        space = Workspace(plan, self.evidence, batch, block_rows(plan, last - first, trace=True))
        flow, scratch = space.block.values.mantissa, np.empty(space.n_rows)
        edge, totals = np.zeros(self.circuit.n_edges), self.layout.no_rows()
        done = first
        for start in blocks(first, last, space.n_rows):
            rows = slice(start, start + space.n_rows)
            self._run(space, rows, logs)
            weight = self._weights(rows, done, logs)
            spread(plan.graph, space.block.values, weight, scratch, edge)
            add_leaves(plan.graph, self.reach, batch, self.codes, start, flow, scratch, totals)
            if needs_families(self.circuit.schema, self.evidence):
                block = BlockFlow(self.evidence.rows(rows), flow, self.reach)
                totals = add_intervals(self.circuit, self.layout, block, totals)
            done = rows.stop
        return _Part(edge, totals)

    def _run(self, space: Workspace, rows: slice, logs: Floats) -> None:
        """Evaluate one block; in the far tails, relative to reference leaves."""
        leaves: LeafValues = log_values
        if self.is_far:
            leaves = leaf_values(self.circuit, self.evidence.rows(rows))
        space.run(rows.start, rows.stop, leaves, logs)
        if isinstance(leaves, RelativeLeaves):
            logs[rows] += leaves.base

    def _weights(self, rows: slice, done: int, logs: Floats) -> Floats:
        """Return the weights of a block; 0 for rows that are done, or left to the second pass."""
        weight = self.weights[rows].copy()
        weight[: max(done - rows.start, 0)] = 0.0
        if not self.is_far:
            weight[self.may_be_far[rows] & (logs[rows] < -LARGE_LOG)] = 0.0
        return weight
