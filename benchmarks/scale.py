"""Learning from more and more rows, in parts on workers and here: `python -m benchmarks.scale`.

Rows of 30 columns of all kinds are drawn from a known circuit into Parquet files, a piece at a
time. Each fit has a process of its own, so that its memory is its own. With `--save` the lines are
kept, and fits that have one are not repeated; `python -m benchmarks.scale_page` writes them into
docs/scale.md.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.report import append
from softlearn import Model, load
from softlearn.datasets.worlds import hidden_groups

SIZES = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000)
N_COLUMNS, N_GROUPS, SEED = 30, 8, 0
PIECE_ROWS = 250_000
HELD_OUT_ROWS = 20_000
LOCAL_ROWS = 1_000_000  # beyond it rows are not learnt from in one process
RESULTS = Path(__file__).resolve().parent / "results" / "scale.jsonl"
_ROOT = Path(__file__).resolve().parents[1]
_MB = 1e6


@dataclass(frozen=True)
class Run:
    """A fit: so many rows, by so many workers; 0 is the learner in this process."""

    rows: int
    workers: int
    memory: str | None
    learner: str
    max_nodes: int | None


def main(arguments: list[str] | None = None) -> int:
    """Measure all sizes, and print a line for each fit."""
    options = _options().parse_args(arguments)
    with TemporaryDirectory() as scratch:
        folder = Path(options.folder or scratch)
        truth = hidden_groups(N_COLUMNS, N_GROUPS, SEED, mixed=True)
        held_out = written(truth, HELD_OUT_ROWS, folder / "held-out", seed=1)
        limit = _score(truth, held_out)
        print(_heading(options.learner, limit))
        failures = 0
        for rows in options.rows:
            written(truth, rows, folder / f"rows-{rows}", seed=0)
            for run in _runs(rows, options):
                if options.save and run in _finished():
                    continue
                found = _in_process(run, folder)
                print(_line(run, found), flush=True)
                failures += "error" in found
                if options.save:
                    append(RESULTS, [{**asdict(run), **found, "truth": limit}])
    return int(failures > 0)


def written(truth: Model, rows: int, folder: Path, *, seed: int) -> Path:
    """Draw rows into Parquet files unless they are there; memory holds one piece at a time."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    starts = range(0, rows, PIECE_ROWS)
    seeds = np.random.SeedSequence([SEED, seed]).spawn(len(starts))
    for number, (start, own) in enumerate(zip(starts, seeds, strict=True)):
        path = folder / f"{number:05d}.parquet"
        if path.exists():
            continue
        n = min(PIECE_ROWS, rows - start)
        drawn = truth.sample(n, random_state=np.random.default_rng(own))
        unfinished = path.with_suffix(".part")
        pq.write_table(pa.Table.from_pandas(drawn, preserve_index=False), unfinished)
        unfinished.replace(path)
    return folder


def learn_once(run: Run, folder: Path) -> dict[str, Any]:
    """Fit in this process, and return what it took."""
    rows = folder / f"rows-{run.rows}"
    found = _local(run, rows) if run.workers == 0 else _on_workers(run, rows)
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "model.safetensors"
        found.pop("model").save(path)
        found["nodes"] = load(path).circuit.n_nodes
        found["held_out"] = _score(load(path), folder / "held-out")
    return found


def _local(run: Run, rows: Path) -> dict[str, Any]:
    import pyarrow.parquet as pq  # noqa: PLC0415

    ready = _get_ready()
    start, worked = time.perf_counter(), time.process_time()
    learnt = _learner_of(run).fit(pq.read_table(rows))
    return {
        "ready_cpu_seconds": ready,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - worked,
        "client_mb": _peak() / _MB,
        "model": learnt.model_,
    }


def _on_workers(run: Run, rows: Path) -> dict[str, Any]:
    from softlearn.scale import open_cluster, read_partitions  # noqa: PLC0415

    with open_cluster(run.workers, memory=run.memory) as cluster, _counted_passes() as counts:
        ready = _get_ready() + sum(cluster.client.run(_get_ready).values())
        start, here = time.perf_counter(), time.process_time()
        there = sum(cluster.client.run(time.process_time).values())
        learnt = _learner_of(run).fit(read_partitions(str(rows)))
        return {
            "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time()
            - here
            + sum(cluster.client.run(time.process_time).values())
            - there,
            "ready_cpu_seconds": ready,
            **counts,
            "client_mb": _peak() / _MB,
            "worker_mb": max(cluster.client.run(_peak).values()) / _MB,
            "moved_mb": cluster.bytes_moved() / _MB,
            "model": learnt.model_,
        }


def _learner_of(run: Run) -> Any:
    from softlearn.estimators import estimator_named  # noqa: PLC0415

    return estimator_named(run.learner)(random_state=0, max_nodes=run.max_nodes)


def _get_ready() -> float:
    """Load all compiled code into this process, and return the CPU time since it began."""
    from softlearn.warm_up import warm_up  # noqa: PLC0415

    warm_up()
    return time.process_time()


@contextmanager
def _counted_passes() -> Iterator[dict[str, int]]:
    """Count the passes over slices on workers, and the bytes that all parts send after them."""
    from softlearn.scale import parts as module  # noqa: PLC0415

    counts = {"passes": 0, "pass_bytes": 0, "parts": 0}
    plain_total, plain_each = module.WorkerParts.total, module.WorkerParts.each

    def total(self: Any, *args: Any, **options: Any) -> Any:
        found = plain_total(self, *args, **options)
        counts["passes"] += 1
        counts["parts"] = len(self.tables)
        counts["pass_bytes"] += len(pickle.dumps(found)) * len(self.tables)
        return found

    def each(self: Any, *args: Any, **options: Any) -> Any:
        counts["passes"] += 1
        return plain_each(self, *args, **options)

    module.WorkerParts.total, module.WorkerParts.each = total, each  # type: ignore[method-assign]
    try:
        yield counts
    finally:
        module.WorkerParts.total, module.WorkerParts.each = (  # type: ignore[method-assign]
            plain_total,
            plain_each,
        )


def _finished() -> list[Run]:
    """Return the fits that have a line in the results."""
    if not RESULTS.exists():
        return []
    rows = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    names = [one.name for one in fields(Run)]
    return [Run(**{name: row[name] for name in names}) for row in rows if "error" not in row]


def _peak() -> float:
    """Return the most bytes that this process has held."""
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _score(model: Model, folder: Path) -> float:
    """Return the mean log-density of the rows of a folder, file by file."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    scores = [model.score_samples(pq.read_table(file)) for file in sorted(folder.glob("*.parquet"))]
    return float(np.concatenate(scores).mean())


def _runs(rows: int, options: argparse.Namespace) -> list[Run]:
    local = [0] if rows <= options.local_rows else []
    return [
        Run(rows, workers, options.memory if workers else None, options.learner, options.max_nodes)
        for workers in (*local, *options.workers)
    ]


def _in_process(run: Run, folder: Path) -> dict[str, Any]:
    """Fit in a process of its own; what goes wrong is a line of the table too."""
    code = (
        "import json, sys; from pathlib import Path; from benchmarks.scale import Run, learn_once\n"
        "if __name__ == '__main__':\n"
        "    run, folder = json.loads(sys.argv[1])\n"
        "    print(json.dumps(learn_once(Run(**run), Path(folder))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps([asdict(run), str(folder.resolve())])],
        cwd=_ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _heading(learner: str, truth: float) -> str:
    about = f"{learner}, {N_COLUMNS} columns of all kinds, truth {truth:.4f} nats on held-out rows"
    names = ("rows", "workers", "seconds", "rows/s", "client MB", "worker MB", "moved MB", "nodes")
    return f"{about}\n" + "".join(f"{name:>11}" for name in (*names, "held-out"))


def _line(run: Run, found: dict[str, Any]) -> str:
    who = str(run.workers) if run.workers else "local"
    if "error" in found:
        return f"{run.rows:>11,}{who:>11}  {found['error']}"
    cells = [
        f"{run.rows:,}",
        who,
        f"{found['seconds']:.1f}",
        f"{run.rows / found['seconds']:,.0f}",
        *(
            f"{found[name]:,.0f}" if name in found else "–"
            for name in ("client_mb", "worker_mb", "moved_mb")
        ),
        f"{found['nodes']:,}",
        f"{found['held_out']:.4f}",
    ]
    return "".join(f"{cell:>11}" for cell in cells)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--rows", type=_count, nargs="+", default=SIZES, help="such as 1e5 1e6")
    parser.add_argument("--workers", type=_count, nargs="*", default=(1, 2), help="processes")
    parser.add_argument("--memory", help="of all workers together, such as 2GB")
    parser.add_argument("--learner", default="softlearn")
    parser.add_argument("--max-nodes", type=_count, help="the most that a circuit may have")
    parser.add_argument("--folder", help="keep the drawn rows here, for the next time")
    parser.add_argument(
        "--local-rows", type=_count, default=LOCAL_ROWS, help="the most learnt here"
    )
    parser.add_argument("--save", action="store_true", help="add the lines to results/scale.jsonl")
    return parser


def _count(text: str) -> int:
    return int(float(text))


if __name__ == "__main__":
    sys.exit(main())
