"""Sixteen threads at three models: `python -m benchmarks.soak`, from the root of the repository.

Every thread asks everything of the models while others save, load and replace their files. Answers
must equal those of a quiet process. After a warm-up neither the memory in use nor the number of
open files may grow. `--seconds` says how long it takes; the default is ten minutes.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import threading
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import numpy as np

from softlearn import Categorical, Gaussian, Histogram, Model, load

SECONDS = 600.0
THREADS = 16
GROWTH = 2_000_000  # bytes of caches and buffers that may differ between two looks
N_ROWS = 64

Question = Callable[[Model], object]


def models() -> list[Model]:
    """Return three models: mixed columns, labels alone, numbers alone."""
    mixed = [
        Gaussian("x", shift, 1.0) * Histogram("y", [0, 1, 3], [p, 1 - p]) * _labels("c", p)
        for shift, p in ((0.0, 0.25), (4.0, 0.5))
    ]
    labels = [_labels("x", p) * _labels("y", 1 - p) * _labels("c", p) for p in (0.1, 0.7)]
    numbers = [Gaussian("x", i, 1) * Gaussian("y", -i, 2) * Gaussian("c", 2 * i, 1) for i in (1, 4)]
    return [Model(0.25 * a + 0.75 * b) for a, b in (mixed, labels, numbers)]


def _labels(name: str, p: float) -> Categorical:
    return Categorical(name, {0: p, 1: (1 - p) / 2, 2: (1 - p) / 2})


def questions() -> dict[str, Question]:
    """Return everything that is asked, each with an answer that does not depend on chance."""
    return {
        "sample": lambda model: model.sample(N_ROWS, random_state=1),
        "score": lambda model: model.score_samples(model.sample(N_ROWS, random_state=2)),
        "impute": lambda model: model.impute(_with_gaps(model)),
        "probability": lambda model: model.probability(
            {"x": (0, 1)}, given={"y": (0, 1)}, log=True
        ),
        "expectation": lambda model: list(model.expectation(given={"y": (0, 2)}).values()),
        "variance": lambda model: list(model.variance(given={"x": (0, 2)}).values()),
        "distribution": lambda model: str(model.distribution("c", given={"x": (0, 1)})),
        "entropy": lambda model: model.entropy(200, random_state=3).value,
    }


def _with_gaps(model: Model) -> object:
    rows = model.sample(N_ROWS, random_state=4).astype(float)
    rows.loc[::2, "x"] = np.nan
    return rows


@dataclass
class Soak:
    """What all threads share."""

    folder: Path
    until: float
    answers: dict[tuple[int, str], object]
    n_asked: int = 0
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def path(self, which: int) -> Path:
        """Return where a model's file lies."""
        return self.folder / f"model-{which}.safetensors"

    def work(self, seed: int) -> None:
        """Ask, save and load in an order of one's own until time is up."""
        rng = np.random.default_rng(seed)
        asked, n_asked = questions(), 0
        try:
            while monotonic() < self.until and not self.wrong:
                which = int(rng.integers(3))
                model = load(self.path(which))
                if rng.random() < 0.25:
                    model.save(self.path(which))
                for name in rng.permutation(sorted(asked)).tolist():
                    n_asked += 1
                    if not same(asked[name](model), self.answers[which, name]):
                        raise AssertionError(f"{name} of model {which} has another answer")
        except Exception as error:
            self.wrong.append(f"thread {seed}: {error!r}")
        with self.lock:
            self.n_asked += n_asked


def same(one: object, other: object) -> bool:
    """Return whether two answers are equal, bit for bit."""
    if hasattr(one, "equals"):
        return bool(one.equals(other))
    if isinstance(one, str):
        return one == other
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)


def open_files() -> int:
    """Return how many descriptors this process holds; 0 where nobody can say."""
    listed = Path("/proc/self/fd")
    return len(os.listdir(listed)) if listed.is_dir() else 0


def run(seconds: float, n_threads: int = THREADS) -> str:
    """Soak for so long, and return what was seen; anything wrong is raised."""
    with tempfile.TemporaryDirectory() as folder:
        quiet = models()
        answers = {
            (which, name): ask(model)
            for which, model in enumerate(quiet)
            for name, ask in questions().items()
        }
        soak = Soak(Path(folder), 0.0, answers)
        for which, model in enumerate(quiet):
            model.save(soak.path(which))
        tracemalloc.start()
        looks = []
        for share in (0.3, 0.7):  # a warm-up, and what is compared with it
            soak.until = monotonic() + share * seconds
            threads = [threading.Thread(target=soak.work, args=(i,)) for i in range(n_threads)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            gc.collect()
            looks.append((tracemalloc.get_traced_memory()[0], open_files()))
        tracemalloc.stop()
        assert not soak.wrong, soak.wrong
        (memory, files), (memory_after, files_after) = looks
        assert memory_after - memory < GROWTH, looks
        assert files_after <= files, looks
        assert len(list(Path(folder).iterdir())) == 3, "temporary files were left behind"
    return (
        f"{soak.n_asked:,} answers in {seconds:.0f} s by {n_threads} threads, all as in quiet; "
        f"memory in use {(memory_after - memory) / 1e6:+.2f} MB, "
        f"open files {files_after - files:+d}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--threads", type=int, default=THREADS)
    asked = parser.parse_args()
    sys.stdout.write(run(asked.seconds, asked.threads) + "\n")


if __name__ == "__main__":
    main()
