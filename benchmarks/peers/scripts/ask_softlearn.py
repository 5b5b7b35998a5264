"""Ask this library; it runs in its own environment, like all others in a process of its own."""

import numpy as np
from benchmarks.em import em_step
from benchmarks.peers.circuits import CIRCUITS
from timing import given, tell

from softlearn.query import Evidence, log_likelihood, posteriors, sample

for name, make in CIRCUITS.items():
    circuit, data = make(), given(name)
    whole, half = Evidence(data["rows"].T.copy()), Evidence(data["gaps"].T.copy())
    n = whole.n_rows
    runs = {
        "likelihood": lambda c=circuit, rows=whole: log_likelihood(c, rows, n_threads=1),
        "marginal": lambda c=circuit, rows=half: log_likelihood(c, rows, n_threads=1),
        "posterior": lambda c=circuit, rows=half: posteriors(c, rows, n_threads=1),
        "sample": lambda c=circuit, n=n: sample(c, n, np.random.default_rng(0), n_threads=1),
        "epoch": lambda c=circuit, rows=whole: em_step(c, rows),
    }
    for query, run in runs.items():
        tell("softlearn", name, query, n, run, size=circuit.n_edges)
