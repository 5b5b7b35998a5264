"""Measure the queries: the library, the plain loop and the limit by turns, medians of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import parity
from benchmarks.baselines import PlainCircuit, limit
from benchmarks.workloads import Workload, rows_of
from softlearn.circuit import SUM, Circuit
from softlearn.query import Evidence, log_likelihood, posteriors, sample, sample_given
from softlearn.query.plan import plan_for
from softlearn.query.workspace import Workspace, batch_of, block_rows

QUERIES = ("likelihood", "marginal", "posterior", "sample", "conditional")
# Queries that go down again take longer a row; a share of the rows keeps a run short.
_ROWS = {"likelihood": 1.0, "marginal": 1.0, "posterior": 0.25, "sample": 1.0, "conditional": 0.25}
_DOWN = ("posterior", "conditional", "sample")  # these keep every node's value


@dataclass(frozen=True)
class Result:
    """One line of the report."""

    workload: str
    query: str
    n_columns: int
    n_edges: int
    n_rows: int
    n_threads: int
    n_slots: int
    n_instructions: int
    bytes_per_thread: int
    disagreement: str  # empty if parity holds; otherwise nothing was timed
    seconds: float = np.nan
    spread: float = np.nan  # half the distance between the quartiles, as a share of the median
    edge_rows: float = np.nan
    plain_seconds: float = np.nan
    limit_seconds: float = np.nan

    @property
    def times_plain(self) -> float:
        """How many times as fast as the plain loop."""
        return self.plain_seconds / self.seconds

    @property
    def of_limit(self) -> float:
        """The share of the machine's multiply-adds."""
        return self.limit_seconds / self.seconds


@dataclass(frozen=True)
class Case:
    """The same question to both sides."""

    evidence: Evidence
    ours: Callable[[], object]
    plain: Callable[[], object]
    check: Callable[[object, object], None]
    edges_per_row: float  # multiply-adds that the question costs at least


def measure(
    workload: Workload, n_rows: int | None, n_threads: int, repeats: int
) -> Iterator[Result]:
    """Yield one result for each query on a workload."""
    circuit = workload.build()
    rows = n_rows or workload.n_rows
    if n_threads > 1 and n_rows is None:
        rows = max(rows, 16_384 * n_threads)  # smaller batches run on one thread
    for query in QUERIES:
        n = max(parity.FEW, int(rows * _ROWS[query]))
        yield _measured(workload.name, circuit, query, n, n_threads=n_threads, repeats=repeats)


def interleaved(repeats: int, *runs: Callable[[], object], n_threads: int) -> list[np.ndarray]:
    """Return the seconds of each run, by turns, so that a busy machine hits all of them.

    With one thread these are CPU seconds, which other programs stretch less.
    """
    clock = time.process_time if n_threads == 1 else time.perf_counter
    seconds = np.empty((repeats, len(runs)))
    for i in range(repeats):
        for k, run in enumerate(runs):
            start = clock()
            run()
            seconds[i, k] = clock() - start
    return list(seconds.T)


def _measured(
    name: str, circuit: Circuit, query: str, n_rows: int, *, n_threads: int, repeats: int
) -> Result:
    case = _case(circuit, query, n_rows, n_threads)
    trace = query in _DOWN
    plan = plan_for(circuit, trace=trace)
    size = {
        "workload": name,
        "query": query,
        "n_columns": len(circuit.schema),
        "n_edges": circuit.n_edges,
        "n_rows": n_rows,
        "n_threads": n_threads,
        "n_slots": plan.shape.n_slots,
        "n_instructions": plan.program.op.size,
        "bytes_per_thread": _workspace_bytes(circuit, case.evidence, trace=trace),
    }
    try:
        case.check(case.ours(), case.plain())
    except parity.DisagreementError as error:
        return Result(**size, disagreement=str(error))
    edge_rows = case.edges_per_row * n_rows
    limit(edge_rows, n_threads)
    ours, plain, bare = interleaved(
        repeats,
        case.ours,
        case.plain,
        lambda: limit(edge_rows, n_threads),
        n_threads=n_threads,
    )
    low, middle, high = np.percentile(ours, [25, 50, 75])
    return Result(
        **size,
        disagreement="",
        seconds=float(middle),
        spread=float((high - low) / 2 / middle),
        edge_rows=edge_rows,
        plain_seconds=float(np.median(plain)),
        limit_seconds=float(np.median(bare)),
    )


def _case(circuit: Circuit, query: str, n_rows: int, n_threads: int) -> Case:
    loop = PlainCircuit(circuit)
    if query == "sample":
        nothing = Evidence.nothing(len(circuit.schema))
        return Case(
            nothing,
            lambda: sample(circuit, n_rows, np.random.default_rng(3), n_threads=n_threads),
            lambda: loop.sample(nothing.values, n_rows, np.random.default_rng(4), n_threads),
            lambda a, b: parity.same_samples(circuit, nothing, a, b, n_threads),
            path_edges(circuit),
        )
    rows = rows_of(circuit, n_rows, missing="none" if query == "likelihood" else "cells")
    if query == "conditional":
        return Case(
            rows,
            lambda: sample_given(circuit, rows, np.random.default_rng(3), n_threads=n_threads),
            lambda: loop.sample(rows.values, 1, np.random.default_rng(4), n_threads),
            lambda a, b: parity.same_samples(circuit, rows, a, b, n_threads),
            circuit.n_edges + path_edges(circuit),
        )
    if query == "posterior":
        return Case(
            rows,
            lambda: posteriors(circuit, rows, n_threads=n_threads),
            lambda: loop.posteriors(rows.values, n_threads),
            lambda a, b: parity.same_posteriors(circuit, rows, a, b),
            2.0 * circuit.n_edges,  # up, and down again
        )
    return Case(
        rows,
        lambda: log_likelihood(circuit, rows, n_threads=n_threads),
        lambda: loop.log_likelihood(rows.values, n_threads),
        lambda a, b: parity.same_logs(circuit, rows, a, b),
        float(circuit.n_edges),
    )


def path_edges(circuit: Circuit) -> float:
    """Return how many edges a draw walks on average: one below a sum, all below a product."""
    visits = [0.0] * circuit.n_nodes
    visits[-1] = 1.0
    start, child, weight = (
        circuit.edge_start.tolist(),
        circuit.child.tolist(),
        circuit.weight.tolist(),
    )
    walked = 0.0
    for node in range(circuit.n_nodes - 1, circuit.n_leaves - 1, -1):
        edges = range(start[node], start[node + 1])
        walked += visits[node] * (1 if circuit.kind[node] == SUM else len(edges))
        for e in edges:
            visits[child[e]] += visits[node] * weight[e]
    return walked


def _workspace_bytes(circuit: Circuit, evidence: Evidence, *, trace: bool) -> int:
    """Return the memory of one thread's workspace; arrays that threads share do not count."""
    plan = plan_for(circuit, trace=trace)
    batch = batch_of(circuit.schema, plan.shape.columns, evidence)
    space = Workspace(plan, evidence, batch, block_rows(plan, evidence.n_rows, trace=trace))
    found = {}
    for part in space.block:
        for array in part:
            found[array.ctypes.data] = max(array.nbytes, found.get(array.ctypes.data, 0))
    return sum(found.values()) - batch.set_factors.nbytes
