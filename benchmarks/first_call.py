"""Print, as JSON, how long first calls take: elapsed seconds and CPU seconds."""

from __future__ import annotations

import json
import sys
import time

_START = (time.perf_counter(), time.process_time())

import numpy as np  # noqa: E402 - the import is what is measured

from softlearn.circuit import Gaussian, flatten  # noqa: E402
from softlearn.query import Evidence, log_likelihood, posteriors, sample  # noqa: E402


def main() -> None:
    seconds = {"import": _since(_START)}
    left = Gaussian("X", -0.5, 1) * Gaussian("Y", -2, 0.2)
    right = Gaussian("X", 0.5, 1) * Gaussian("Y", 2, 0.2)
    circuit = flatten(0.5 * left + 0.5 * right)
    rows = Evidence(np.zeros((2, 10)))
    queries = {
        "likelihood": lambda: log_likelihood(circuit, rows),
        "posterior": lambda: posteriors(circuit, rows),
        "sample": lambda: sample(circuit, 10, np.random.default_rng(0)),
    }
    for name, query in queries.items():
        begin = (time.perf_counter(), time.process_time())
        query()
        seconds[f"first {name}"] = _since(begin)
    sys.stdout.write(json.dumps(seconds))


def _since(begin: tuple[float, float]) -> tuple[float, float]:
    return time.perf_counter() - begin[0], time.process_time() - begin[1]


if __name__ == "__main__":
    main()
