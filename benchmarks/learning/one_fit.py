"""Learn one circuit in a process of its own, and print what it cost as JSON.

`python -m benchmarks.learning.one_fit '{"dataset": "nltcs", …}'`: a process of its own, because the
peak of memory is that of a process.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from softlearn.datasets import load_debd

_WARM_UP_ROWS = 300  # enough for every kernel to be compiled or loaded


@dataclass(frozen=True)
class Job:
    """What to learn, from which data.

    Attributes
    ----------
    pilot
        The file of a program to be compared with, instead of the library.
    """

    dataset: str
    system: str  # "softlearn" or "learnspn"
    clustering: str
    significance: float
    smoothing: float
    beta: float
    seed: int
    n_jobs: int | None = None
    pilot: str | None = None


@dataclass(frozen=True)
class Cost:
    """What a fit took and what it is worth."""

    seconds: float
    peak_mb: float  # of the process
    added_mb: float  # by the fit
    n_nodes: int
    valid: float
    test: float


def measure(job: Job) -> Cost:
    """Learn and score; compilation is over before the clock starts."""
    train, valid, test = load_debd(job.dataset)
    learn = _library(job) if job.pilot is None else _pilot(job)
    learn(train[:_WARM_UP_ROWS])
    before = _peak_mb()
    begin = time.perf_counter()
    n_nodes, score = learn(train)
    seconds = time.perf_counter() - begin
    peak = _peak_mb()
    return Cost(seconds, peak, peak - before, n_nodes, score(valid), score(test))


Learnt = tuple[int, Callable[[np.ndarray], float]]  # number of nodes, and the scoring function


def _library(job: Job) -> Callable[[np.ndarray], Learnt]:
    import softlearn  # noqa: PLC0415 - the pilot's process does without

    choices: dict[str, Any] = {
        "clustering": job.clustering,
        "significance": job.significance,
        "smoothing": job.smoothing,
        "random_state": job.seed,
        "n_jobs": job.n_jobs,
    }
    if job.system == "softlearn":
        estimator = softlearn.SoftLearn(beta=job.beta, **choices)
    else:
        estimator = softlearn.LearnSPN(**choices)

    def learn(table: np.ndarray) -> Learnt:
        # The whole table has both levels in every column, its first rows may not.
        kinds = {str(i): softlearn.Column(str(i), "boolean", (0, 1)) for i in range(table.shape[1])}
        estimator.set_params(schema=kinds).fit(table)
        return estimator.model_.circuit.n_nodes, estimator.score

    return learn


def _pilot(job: Job) -> Callable[[np.ndarray], Learnt]:
    spec = importlib.util.spec_from_file_location("pilot", str(job.pilot))
    assert spec is not None
    assert spec.loader is not None
    pilot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pilot)
    sys.setrecursionlimit(100_000)

    def learn(table: np.ndarray) -> Learnt:
        rows, weights = pilot.merge_duplicates(table.astype(np.float32))
        learner = pilot.Pilot(
            job.clustering,
            job.system == "softlearn",
            job.significance,
            job.smoothing,
            beta=job.beta,
            seed=job.seed,
        )
        root = learner.learn(rows, weights, np.arange(rows.shape[1]))

        def score(unseen: np.ndarray) -> float:
            return float(pilot.log_likelihood(root, unseen.astype(np.float32)).mean())

        return sum(learner.counts.values()), score

    return learn


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(measure(Job(**json.loads(sys.argv[1]))))))
