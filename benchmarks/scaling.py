"""How time grows with rows, edges and threads, and what the first call costs."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.query import interleaved
from benchmarks.workloads import WORKLOADS, rows_of, tree
from softlearn.circuit import Circuit, with_parameters
from softlearn.model import Model
from softlearn.query import Evidence, flows, log_likelihood, posteriors
from softlearn.query.plan import plan_for

_ROOT = Path(__file__).resolve().parent.parent


def growth(n_threads: int, repeats: int) -> Iterator[tuple[str, float, str]]:
    """Yield (what, number, unit): linear growth gives equal numbers in a group."""
    middle, rows = tree(100, 10_000), 4_096
    batches = {f"{n} rows": (middle, rows_of(middle, n)) for n in (rows, 10 * rows)}
    yield from _per_edge_row("10k edges", batches, n_threads, repeats)
    sizes = {}
    for n_edges in (1_000, 10_000, 100_000):
        circuit = tree(100, n_edges)
        sizes[f"{circuit.n_edges} edges"] = (circuit, rows_of(circuit, 20_480_000 // n_edges))
    yield from _per_edge_row("100 columns", sizes, n_threads, repeats)
    yield from _threads(middle, rows_of(middle, 32_768), repeats)


def plans(repeats: int) -> Iterator[tuple[str, float, str]]:
    """Yield the time to compile a large circuit into a plan, without and with a trace."""
    for trace in (False, True):
        seconds = []
        for seed in range(min(3, repeats)):
            circuit = tree(1_000, 100_000, seed=seed)
            start = time.perf_counter()
            plan_for(circuit, trace=trace)
            seconds.append(time.perf_counter() - start)
        name = "plan with trace" if trace else "plan"
        yield f"{name}, 100k edges", 1e3 * float(np.median(seconds)), "ms"


def new_numbers(repeats: int) -> Iterator[tuple[str, float, str]]:
    """Yield the time to plan a circuit whose structure is new, and one whose numbers are."""
    known, shape = tree(100, 10_000), "plan of 10k edges"
    plan_for(known, trace=True)
    seconds = np.empty((2, repeats))
    for i in range(repeats):
        fresh = tree(100, 10_000, seed=2 + i)
        start = time.perf_counter()
        plan_for(fresh, trace=True)
        seconds[0, i] = time.perf_counter() - start
        changed = with_parameters(known, params=1.0 - known.params)
        start = time.perf_counter()
        plan_for(changed, trace=True)
        seconds[1, i] = time.perf_counter() - start
    scratch, again = np.median(seconds, axis=1)
    yield f"{shape}, new structure", 1e3 * float(scratch), "ms"
    yield f"{shape}, new numbers", 1e3 * float(again), "ms"
    yield f"{shape}, ratio", float(scratch / again), "times"


def flow_passes(n_threads: int, repeats: int) -> Iterator[tuple[str, float, str]]:
    """Yield the time of flows of edges and leaves next to that of the posteriors of columns."""
    for workload in WORKLOADS:
        if workload.name not in {"tree-10k", "tree-10k-cat4", "gauss-10k", "dag-10k"}:
            continue
        circuit = workload.build()
        rows = rows_of(circuit, workload.n_rows // 2, missing="cells")
        answers = posteriors(circuit, rows), flows(circuit, rows)
        np.testing.assert_allclose(*(answer.log_likelihood for answer in answers), rtol=1e-9)
        runs = [
            lambda c=circuit, r=rows: posteriors(c, r, n_threads=n_threads),
            lambda c=circuit, r=rows: flows(c, r, n_threads=n_threads),
        ]
        before, after = (
            float(np.median(each)) for each in interleaved(repeats, *runs, n_threads=n_threads)
        )
        yield f"{workload.name}, flows", 1e3 * after, "ms"
        yield f"{workload.name}, flows / posteriors", after / before, "times as long"


def first_calls() -> Iterator[tuple[str, float, str]]:
    """Yield the seconds of first calls in new processes, from an empty cache and a full one."""
    with tempfile.TemporaryDirectory() as cache:
        for state in ("empty cache", "full cache"):
            command = [sys.executable, "-m", "benchmarks.first_call"]
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            run = subprocess.run(
                command, cwd=_ROOT, env=environment, check=True, capture_output=True, text=True
            )
            for name, (clock, processor) in json.loads(run.stdout).items():
                yield f"{name}, {state}", clock, "s elapsed"
                yield f"{name}, {state}", processor, "CPU s"


def warm_starts() -> Iterator[tuple[str, float, str]]:
    """Yield the CPU seconds until a new process has an estimator, or an answer."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.safetensors"
        Model(tree(20, 1_000)).save(model)
        asked = [sys.executable, "-m", "softlearn", "query", str(model), "b0", "--given", "b1=true"]
        programs = {
            "from softlearn import SoftLearn": [
                sys.executable,
                "-c",
                "from softlearn import SoftLearn",
            ],
            "softlearn query": asked,
        }
        empty = min(_processor_seconds([sys.executable, "-c", "pass"]) for _ in range(3))
        for name, command in programs.items():
            _processor_seconds(command)  # fills the caches
            seconds = min(_processor_seconds(command) for _ in range(3)) - empty
            yield name, seconds, "CPU s"


def _processor_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=_ROOT, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _per_edge_row(
    group: str, cases: dict[str, tuple[Circuit, Evidence]], n_threads: int, repeats: int
) -> Iterator[tuple[str, float, str]]:
    runs = [
        lambda c=circuit, e=evidence: log_likelihood(c, e, n_threads=n_threads)
        for circuit, evidence in cases.values()
    ]
    interleaved(1, *runs, n_threads=n_threads)
    for (name, (circuit, evidence)), seconds in zip(
        cases.items(), interleaved(repeats, *runs, n_threads=n_threads), strict=True
    ):
        each = float(np.median(seconds)) / (circuit.n_edges * evidence.n_rows)
        yield f"{group}, {name}", 1e12 * each, "ps per edge-row"


def _threads(
    circuit: Circuit, evidence: Evidence, repeats: int
) -> Iterator[tuple[str, float, str]]:
    counts = (1, 2)
    runs = [lambda n=n: log_likelihood(circuit, evidence, n_threads=n) for n in counts]
    interleaved(1, *runs, n_threads=max(counts))
    for n, seconds in zip(counts, interleaved(repeats, *runs, n_threads=max(counts)), strict=True):
        yield (
            f"10k edges, {n} threads",
            evidence.n_rows / float(np.median(seconds)) / 1e3,
            "k rows/s",
        )
