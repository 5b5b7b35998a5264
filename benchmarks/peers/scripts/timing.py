"""What the scripts share: how long a query takes, and the line that says so. NumPy alone."""

import json
import sys
import time
from pathlib import Path

import numpy as np

REPEATS = 5
COMPARED = 1_024  # rows whose mean log-density is compared: those that every system is asked about


def given(name):
    """Return the circuit and the rows of a name, from the folder that the caller names."""
    return np.load(Path(sys.argv[1]) / f"{name}.npz")


def tell(system, circuit, query, n_rows, run, *, repeats=REPEATS, size=None):
    """Time a query in CPU seconds, after one call for nothing, and print a line.

    What ``run`` returns is compared by the mean of its first rows, if it is a log-density each.
    """
    found = run()
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    mean = float(np.mean(found[:COMPARED])) if query in ("likelihood", "marginal") else None
    rate = n_rows / float(np.median(seconds))
    line = {"system": system, "circuit": circuit, "query": query, "rows_per_second": rate}
    print(json.dumps({**line, "mean": mean, "size": size}), flush=True)
