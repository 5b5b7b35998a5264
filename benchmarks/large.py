"""Queries on large circuits: ``python -m benchmarks.large``.

Trees of 65,000 edges are asked about 10,000 rows, each of which lacks its own half of the cells; it
prints CPU seconds on one thread, and how much memory the process took at most so far.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import numpy as np

from benchmarks.workloads import rows_of, tree
from softlearn.circuit import Circuit
from softlearn.model.posterior import centres
from softlearn.query import Evidence, covariance, log_likelihood, sample_given
from softlearn.query.surprise import surprises

N_EDGES = 65_000
N_ROWS = 10_000
EXPLAINED = 1_000  # rows whose cells' surprises are asked for: as many passes as there are columns

CIRCUITS = {
    "100 two-level columns": lambda: tree(100, N_EDGES),
    "100 columns of four levels": lambda: tree(100, N_EDGES, n_levels=4),
    "100 columns of numbers": lambda: tree(100, N_EDGES, n_levels=0),
    "1,000 two-level columns": lambda: tree(1_000, N_EDGES),
}
# Columns of numbers whose covariances are asked for.
CORRELATED = (20, 100, 1_000)


def main() -> None:
    """Print a line for each circuit and question."""
    for name, make in CIRCUITS.items():
        circuit = make()
        print(f"{name}: {circuit.n_nodes:,} nodes")
        _ask(circuit)
    for n_columns in CORRELATED:
        circuit = tree(n_columns, N_EDGES, n_levels=0)
        nothing, all_columns = Evidence.nothing(n_columns), range(n_columns)
        print(f"{n_columns} columns of numbers: {circuit.n_nodes:,} nodes")
        _tell("covariance", lambda c=circuit, e=nothing, k=all_columns: covariance(c, e, k))


def _ask(circuit: Circuit) -> None:
    whole = rows_of(circuit, N_ROWS)
    half = rows_of(circuit, N_ROWS, missing="cells")
    few = np.ascontiguousarray(whole.values[:, :EXPLAINED])
    _tell("likelihood", lambda: log_likelihood(circuit, half, n_threads=1))
    _tell("posteriors, and all gaps filled", lambda: centres(circuit, half))
    rng = np.random.default_rng(0)
    _tell("a draw for each row", lambda: sample_given(circuit, half, rng, n_threads=1))
    _tell(f"what is odd in {EXPLAINED:,} rows", lambda: surprises(circuit, few))


def _tell(question: str, run: Callable[[], object]) -> None:
    begin = time.process_time()
    run()
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {seconds:7.2f} s  {peak:6.0f} MB  {question}", flush=True)


if __name__ == "__main__":
    main()
