"""Learn from one frame in a process of its own, and print what it cost as JSON.

`python one_frame.py '{"path": "bank.parquet", …}'` asks nothing of `softlearn` that its first
version did not have, so that PYTHONPATH can name any version.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import pandas as pd

from softlearn import SoftLearn

_WARM_UP_ROWS = 500  # enough for every kernel to be compiled or loaded


def main(job: dict) -> dict[str, float]:
    """Learn from four fifths of the rows, and score the others if they can be scored."""
    frame = pd.read_parquet(job["path"])
    n_train = len(frame) * 4 // 5
    train, test = frame.iloc[:n_train], frame.iloc[n_train:]
    estimator = SoftLearn(random_state=0, n_jobs=job["n_jobs"], **job["choices"])
    estimator.fit(train.iloc[:_WARM_UP_ROWS])
    wall, cpu = time.perf_counter(), time.process_time()
    estimator.fit(train)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    try:
        score = float(estimator.score(test))
    except ValueError:  # a level that was never seen
        score = float("nan")
    return {"seconds": wall, "cpu": cpu, "nodes": estimator.model_.circuit.n_nodes, "score": score}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))))
