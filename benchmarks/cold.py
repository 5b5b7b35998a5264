"""Measure the first minute after installation: `python -m benchmarks.cold`.

A process with an empty cache fits a table of all kinds of columns, scores it and draws from it,
then fits a table of two-level columns. It prints the CPU seconds that each step
takes, and what was compiled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_SHOWN = 15
_ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Cold:
    """What happened in a process that had nothing compiled."""

    seconds: dict[str, float]  # CPU time, by step
    own_seconds: dict[str, float]  # by compiled function, without what it made compile
    signatures: dict[str, int]  # by compiled function


def measure() -> Cold:
    """Run all steps in a process of its own, with an empty cache."""
    with TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", "from benchmarks.cold import run_steps; run_steps()"],
            env={**os.environ, "NUMBA_CACHE_DIR": cache},
            cwd=_ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    return Cold(**json.loads(done.stdout))


def run_steps() -> None:
    """Take the steps in this process; print what is measured as JSON."""
    seconds: dict[str, float] = {}
    begin = time.process_time()

    def done(step: str) -> None:
        nonlocal begin
        seconds[step] = time.process_time() - begin
        begin = time.process_time()

    import numpy as np  # noqa: PLC0415 - the imports are a step
    import pandas as pd  # noqa: PLC0415

    from softlearn import SoftLearn  # noqa: PLC0415

    done("import")
    compilations = _Compilations()
    rng = np.random.default_rng(0)
    number, n_rows = rng.normal(size=400), 400
    mixed = pd.DataFrame(
        {
            "number": number,
            "count": rng.integers(0, 5, n_rows),
            "word": rng.choice(list("xyz"), n_rows),
            "flag": rng.random(n_rows) < 0.5,
            "other number": number + rng.normal(size=n_rows),
        }
    )
    learner = SoftLearn(random_state=0).fit(mixed)
    done("first fit")
    learner.score(mixed)
    done("first score")
    learner.sample(10)
    done("first sample")
    hidden = rng.integers(0, 2, n_rows)[:, None]
    binary = pd.DataFrame(rng.random((n_rows, 8)) < 0.2 + 0.6 * hidden)
    SoftLearn(random_state=0).fit(binary.rename(columns="x{}".format))
    done("binary fit")
    found = {"own_seconds": compilations.seconds, "signatures": compilations.counts}
    sys.stdout.write(json.dumps({"seconds": seconds, **found}))


class _Compilations:
    """Listens to Numba: counts what is compiled, and the time of each function by itself."""

    def __init__(self) -> None:
        from numba.core import event  # noqa: PLC0415

        self.seconds: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self._open: list[tuple[float, float]] = []  # begin, and seconds of what is inside

        outer = self

        class Listener(event.Listener):  # type: ignore[misc]
            def on_start(self, event: Any) -> None:
                outer._open.append((time.process_time(), 0.0))

            def on_end(self, event: Any) -> None:
                outer._close(event.data["dispatcher"].py_func)

        event.register("numba:compile", Listener())

    def _close(self, function: Any) -> None:
        begin, inside = self._open.pop()
        taken = time.process_time() - begin
        name = f"{function.__module__}.{function.__qualname__}".removeprefix("softlearn.kernels.")
        self.seconds[name] += taken - inside
        self.counts[name] += 1
        if self._open:
            self._open[-1] = (self._open[-1][0], self._open[-1][1] + taken)


def main() -> None:
    """Print seconds and the costliest functions."""
    cold = measure()
    for step, seconds in cold.seconds.items():
        print(f"{seconds:7.1f} s  {step}")
    print(f"{sum(cold.seconds.values()):7.1f} s  together")
    print(f"\n{len(cold.signatures)} functions, {sum(cold.signatures.values())} compilations")
    for name, seconds in Counter(cold.own_seconds).most_common(_SHOWN):
        print(f"{seconds:7.2f} s  {cold.signatures[name]:3} ×  {name}")


if __name__ == "__main__":
    main()
