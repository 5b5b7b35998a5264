"""A pass of EM beside the posterior pass on the same circuit, and the matrix products inside it.

``python -m benchmarks.em`` prints, in one thread, the time of one pass of EM (flows, statistics,
new parameters, the plan for them) and of the posteriors of the same rows, for circuits as learners
grow them and for hidden Chow–Liu trees; for the latter also the bare products of matrices that a
pass consists of, one up and two down for each edge of the tree, as a share of its time.
``python -m benchmarks.em learners`` fits HCLT, RatSpn and EinsumNetwork on nltcs and msnbc.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.workloads import dag, tree
from softlearn import HCLT, EinsumNetwork, RatSpn
from softlearn.circuit import Circuit
from softlearn.datasets import load_debd
from softlearn.learn import Block
from softlearn.learn.em_config import EmConfig
from softlearn.learn.first_leaves import FirstLeaves
from softlearn.learn.hclt import hidden_tree
from softlearn.learn.m_step import PseudoRows, refitted
from softlearn.query import Evidence, flows, posteriors, sample
from softlearn.query.plan import plan_for
from softlearn.table.schema import Column, Schema

_ROWS, _REPEATS = 4_096, 5
# Test log-likelihoods that the papers report.
_PUBLISHED = {
    ("HCLT", "nltcs"): -5.99,
    ("HCLT", "msnbc"): -6.05,
    ("RatSpn", "nltcs"): -6.011,
    ("RatSpn", "msnbc"): -6.039,
    ("EinsumNetwork", "nltcs"): -6.015,
    ("EinsumNetwork", "msnbc"): -6.119,
}


def passes() -> None:
    """Print the time of a pass of EM and of a posterior pass."""
    print("circuit                 edges   EM ms  posterior ms  ratio  of matrix products")
    for name, circuit, products in _circuits():
        rows = Evidence(sample(circuit, _ROWS, np.random.default_rng(0)))
        runs = [partial(em_step, circuit, rows), partial(_believe, circuit, rows)]
        runs += [products] if products else []
        for run in runs:
            run()
        took = _by_turns(runs)
        limit = f"{took[2] / took[0]:8.2f}" if products else ""
        em, posterior = 1e3 * took[0], 1e3 * took[1]
        times = f"{em:7.1f} {posterior:13.1f} {em / posterior:6.2f}"
        print(f"{name:20} {circuit.n_edges:8,} {times}  {limit}", flush=True)


def em_step(circuit: Circuit, rows: Evidence) -> None:
    """Carry out one pass of EM, with the plan for the new parameters."""
    found = flows(circuit, rows, n_threads=1)
    after = refitted(circuit, found.edge, found.leaves, PseudoRows.none(circuit.schema))
    plan_for(after, trace=True)


def _believe(circuit: Circuit, rows: Evidence) -> None:
    posteriors(circuit, rows, n_threads=1)


def _by_turns(runs: list[Callable[[], None]]) -> list[float]:
    """Return the median seconds of each run, by turns, so that a busy machine hits all of them."""
    seconds = np.empty((_REPEATS, len(runs)))
    for i in range(_REPEATS):
        for k, run in enumerate(runs):
            start = time.perf_counter()
            run()
            seconds[i, k] = time.perf_counter() - start
    return [float(one) for one in np.median(seconds, axis=0)]


def _circuits() -> Iterator[tuple[str, Circuit, Callable[[], None] | None]]:
    yield "tree-10k", tree(100, 10_000), None
    yield "tree-10k-cat4", tree(100, 10_000, n_levels=4), None
    yield "gauss-10k", tree(20, 10_000, n_levels=0), None
    yield "dag-10k", dag(128, 8), None
    for n_states in (16, 64):
        yield f"hclt-{n_states}", _hidden_chain(100, n_states), _products(99, n_states)


def _hidden_chain(n_columns: int, n_states: int) -> Circuit:
    """Return a hidden tree in which each column has two children."""
    rng = np.random.default_rng(0)
    schema = Schema(tuple(Column(f"c{i}", "boolean") for i in range(n_columns)), "numpy")
    values = (rng.random((n_columns, 256)) < 0.5).astype(np.float64)
    leaves = FirstLeaves.of(Block(values, np.ones(256)), schema, EmConfig())
    parent = (np.arange(n_columns) - 1) // 2
    return hidden_tree(leaves, parent, n_states, rng)


def _products(n_edges: int, n_states: int) -> Callable[[], None]:
    rng = np.random.default_rng(0)
    weights, rows = rng.random((n_states, n_states)), rng.random((n_states, 256))
    below, table = np.empty_like(rows), np.empty_like(weights)

    def run() -> None:
        for _ in range(n_edges * (_ROWS // 256)):
            np.matmul(weights, rows, out=below)  # values of the sums
            np.matmul(weights.T, rows, out=below)  # flow of their children
            np.matmul(rows, rows.T, out=table)  # flow of the edges

    return run


def learners() -> None:
    """Print the test log-likelihood and the time of each learner with its defaults."""
    print("learner        set     edges   seconds     test  published")
    for estimator in (HCLT, RatSpn, EinsumNetwork):
        for name in ("nltcs", "msnbc"):
            splits = load_debd(name)
            start = time.perf_counter()
            learnt = estimator(random_state=0).fit(splits.train)
            took = time.perf_counter() - start
            n_edges, label = learnt.model_.circuit.n_edges, estimator.__name__
            print(
                f"{label:14} {name:6} {n_edges:7,} {took:8.1f} {learnt.score(splits.test):9.4f} "
                f"{_PUBLISHED[label, name]:9.3f}",
                flush=True,
            )


if __name__ == "__main__":
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        learners() if sys.argv[1:] == ["learners"] else passes()
