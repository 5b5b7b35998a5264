"""Fifty people at one explorer: `python -m benchmarks.explore`, from the root of the repository.

A server in a process of its own answers posterior updates as the page asks them: three conditions
that no other request has, and the whole distributions of the dozen columns in sight, or of all
columns, which the page asks for by naming none. The bare query
is one call of `posteriors` for one row of such evidence in this process, measured in between.

"Quiet p95" is the 95th percentile of the CPU seconds that server and visitors together
spend while a request waits: what the clock shows where one core has nothing else to do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import clock_gettime, perf_counter, process_time
from urllib.parse import urlencode, urlsplit

import numpy as np

from benchmarks import report
from benchmarks.workloads import tree
from softlearn.circuit import Circuit
from softlearn.conditions import format_conditions
from softlearn.model import Model
from softlearn.model.given import read_mapping
from softlearn.query import posteriors

RESULTS = Path(__file__).resolve().parent / "results" / "explore.jsonl"
IN_SIGHT = 12
# Intervals of plain Gaussian columns are asked of their family, leaf by leaf: the last one takes
# more than ten milliseconds per request, and is only measured by name.
WORKLOADS = {
    "tree-10k": lambda: tree(100, 10_000),
    "tree-10k-cat4": lambda: tree(100, 10_000, n_levels=4),
    "tree-10k-gauss": lambda: tree(100, 10_000, n_levels=0),
}

_HEADS = (
    *("workload", "in sight", "median ms", "p95 ms", "quiet p95 ms", "per second", "failed"),
    *("processor ms", "bare ms", "p95/bare", "machine load"),
)
USUAL = ("tree-10k", "tree-10k-cat4")


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each workload, and add them to the results; 1 if a request fails."""
    options = _parser().parse_args(arguments)
    _say(f"{report.machine()}; {options.at_once} connections, {options.rounds} requests on each")
    _say("".join(f"{head:>14}" for head in _HEADS))
    lines = []
    for name in options.only or USUAL:
        model = Model(WORKLOADS[name]())
        with served(model.circuit) as server:
            for in_sight in (IN_SIGHT, len(model.schema)):
                found = measure(model, server, in_sight, options.at_once, options.rounds)
                lines.append({"workload": name, "in_sight": in_sight, **found})
                _say(_line(lines[-1]))
    if options.record:
        report.append(RESULTS, lines)
    return 1 if any(line["failed"] for line in lines) else 0


@contextmanager
def served(circuit: Circuit) -> Iterator[tuple[str, int]]:
    """Yield the address of an explorer that runs as a command, and its process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        Model(circuit).save(path)
        command = [sys.executable, "-m", "softlearn", "explore", str(path), "--no-browser"]
        with subprocess.Popen(
            [*command, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True
        ) as server:
            try:
                yield json.loads(server.stdout.readline())["url"], server.pid
            finally:
                server.terminate()


def measure(
    model: Model, server: tuple[str, int], in_sight: int, at_once: int, rounds: int
) -> dict[str, float]:
    """Return the times of all requests, and of bare queries right before and after."""
    url, process = server
    said = list(questions(model, at_once * rounds))
    some = {"column": model.schema.names[:in_sight]} if in_sight < len(model.schema) else {}
    asked = [{"given": format_conditions(one), **some} for one in said]
    paths = [f"/api/posterior?{urlencode(one, doseq=True)}" for one in asked]
    asyncio.run(load(url, paths[:at_once], at_once, process))  # warm
    bare = bare_times(model, said[:60])
    begin, spent = perf_counter(), processor_seconds(process)
    waits, failed = asyncio.run(load(url, paths, at_once, process))
    total, spent = perf_counter() - begin, processor_seconds(process) - spent
    seconds, busy = np.array(waits).T
    bare += bare_times(model, said[:60])
    p95 = float(np.quantile(seconds, 0.95))
    return {
        "at_once": at_once,
        "median_ms": 1e3 * float(np.median(seconds)),
        "p95_ms": 1e3 * p95,
        "quiet_p95_ms": 1e3 * float(np.quantile(busy, 0.95)),
        "per_second": len(paths) / total,
        "failed": failed,
        "processor_ms": 1e3 * spent / len(paths),
        "machine_load": os.getloadavg()[0],
        "bare_ms": 1e3 * float(np.median(bare)),
        "p95_over_bare": p95 / float(np.median(bare)),
    }


def processor_seconds(process: int) -> float:
    """Return the CPU time that a process has had; others do not stretch it."""
    return clock_gettime((~process << 3) | 2)  # how Linux numbers the clocks of processes


def questions(model: Model, n: int) -> Iterator[dict[str, object]]:
    """Yield conditions on three columns, which hold for a row of the model."""
    rng, names = np.random.default_rng(0), list(model.schema.names)
    rows = model.sample(n, random_state=0)
    for row in rows.to_dict("records"):
        chosen = rng.choice(len(names), 3, replace=False)
        yield {names[i]: _condition(row[names[i]]) for i in chosen}


def _condition(value: object) -> object:
    return (value - 1.0, value + 1.0) if isinstance(value, float) else value


def bare_times(model: Model, said: list[dict[str, object]]) -> list[float]:
    evidence = [read_mapping(one, model.schema).evidence for one in said]
    posteriors(model.circuit, evidence[0], n_threads=1)
    times = []
    for one in evidence:
        begin = perf_counter()
        posteriors(model.circuit, one, n_threads=1)
        times.append(perf_counter() - begin)
    return times


async def load(
    url: str, paths: list[str], at_once: int, process: int
) -> tuple[list[tuple[float, float]], int]:
    """Ask all questions over so many connections; return what each waited, and failures.

    It waits so many elapsed seconds, and CPU seconds.
    """
    place, waiting = urlsplit(url), iter(paths)
    waits: list[tuple[float, float]] = []
    failed = 0

    def now() -> tuple[float, float]:
        return perf_counter(), process_time() + processor_seconds(process)

    async def visitor() -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        for path in waiting:
            begin = now()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(size)
            end = now()
            waits.append((end[0] - begin[0], end[1] - begin[1]))
            failed += not head.startswith(b"HTTP/1.1 200")
        writer.close()

    await asyncio.gather(*(visitor() for _ in range(at_once)))
    return waits, failed


def _line(found: dict[str, float]) -> str:
    words = [found["workload"], str(found["in_sight"])]
    words += [f"{found[key]:.1f}" for key in ("median_ms", "p95_ms", "quiet_p95_ms", "per_second")]
    words += [str(found["failed"]), f"{found['processor_ms']:.2f}", f"{found['bare_ms']:.2f}"]
    words += [f"{found['p95_over_bare']:.0f}", f"{found['machine_load']:.1f}"]
    return "".join(f"{word:>14}" for word in words)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.explore", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(WORKLOADS), help="these workloads")
    parser.add_argument("--at-once", type=int, default=50, help="connections (default 50)")
    parser.add_argument("--rounds", type=int, default=10, help="requests on each (default 10)")
    parser.add_argument("--record", action="store_true", help="add the run to the results")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
