"""The library and a pilot, one after the other on the same tables, with the same choices."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.learning.one_fit import Cost, Job
from softlearn.datasets import DEBD_NAMES
from softlearn.experiments.published import detail

_ROOT = Path(__file__).resolve().parent.parent.parent
BETA = 40.0
HARD_SETS = ("nltcs", "plants", "baudio")  # for LearnSPN by k-means


@dataclass(frozen=True)
class Bout:
    """One table and seed: what both cost, or the library alone."""

    job: Job
    ours: Cost
    pilot: Cost | None

    @property
    def speed_up(self) -> float | None:
        """How many times as fast the library is."""
        return None if self.pilot is None else self.pilot.seconds / self.ours.seconds

    @property
    def gain(self) -> float | None:
        """By how much the library's validation likelihood is better, in percent."""
        if self.pilot is None:
            return None
        return 100.0 * (self.ours.valid - self.pilot.valid) / abs(self.pilot.valid)


def jobs(only: list[str] | None, n_seeds: int) -> list[Job]:
    """Return what is learnt: SoftLearn by EM everywhere, LearnSPN by k-means on three sets."""
    found = []
    for (dataset, system, clustering), choice in detail().items():
        soft = (system, clustering) == ("softlearn", "em") and dataset in DEBD_NAMES
        hard = (system, clustering) == ("learnspn", "kmeans") and dataset in HARD_SETS
        if (soft or hard) and (not only or dataset in only):
            found += [
                Job(dataset, system, clustering, choice.p, choice.alpha, BETA, seed)
                for seed in range(n_seeds)
            ]
    return sorted(found, key=lambda job: job.system, reverse=True)


def bouts(wanted: list[Job], pilot: Path | None) -> Iterator[Bout]:
    """Yield each job's costs, the library first and then the pilot."""
    for job in wanted:
        ours = _cost(job)
        theirs = None if pilot is None else _cost(replace(job, pilot=str(pilot.resolve())))
        yield Bout(job, ours, theirs)


def _cost(job: Job) -> Cost:
    command = [sys.executable, "-m", "benchmarks.learning.one_fit", json.dumps(asdict(job))]
    run = subprocess.run(command, cwd=_ROOT, check=False, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{job} failed:\n{run.stderr}")
    return Cost(**json.loads(run.stdout))
