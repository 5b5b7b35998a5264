"""Lines for people on the terminal, lines of JSON for later."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.query import Result

RESULTS = Path(__file__).resolve().parent / "results" / "query.jsonl"

# Heading, width. The README says what each column means.
_COLUMNS = (
    ("workload", -14),
    ("query", -12),
    ("columns", 7),
    ("edges", 7),
    ("rows", 7),
    ("slots", 6),
    ("instr", 6),
    ("kB/thread", 9),
    ("k rows/s", 9),
    ("±%", 3),
    ("G edge-rows/s", 13),
    ("× plain", 7),
    ("of limit", 8),
)


def heading() -> str:
    """Return the first line of the table."""
    return _line([name for name, _ in _COLUMNS])


def line(result: Result) -> str:
    """Return a result as a line of the table; one without parity has no times."""
    size = [
        result.workload,
        result.query,
        str(result.n_columns),
        str(result.n_edges),
        str(result.n_rows),
        str(result.n_slots),
        str(result.n_instructions),
        f"{result.bytes_per_thread / 1024:.0f}",
    ]
    if result.disagreement:
        return f"{_line(size)}  NO PARITY: {result.disagreement}"
    speed = [
        f"{result.n_rows / result.seconds / 1e3:.1f}",
        f"{100 * result.spread:.0f}",
        f"{result.edge_rows / result.seconds / 1e9:.2f}",
        f"{result.times_plain:.2f}",
        f"{result.of_limit:.2f}",
    ]
    return _line(size + speed)


def record(results: list[Result], numbers: list[tuple[str, float, str]], n_threads: int) -> None:
    """Append the run to the results: one line for each measurement."""
    lines: list[dict[str, Any]] = [asdict(r) for r in results if not r.disagreement]
    lines += [{"what": what, "value": value, "unit": unit} for what, value, unit in numbers]
    append(RESULTS, lines, n_threads)


def append(path: Path, lines: list[dict[str, Any]], n_threads: int | None = None) -> None:
    """Append lines to a file of results, each with what is known of the run."""
    path.parent.mkdir(exist_ok=True)
    about = {"run": _about(n_threads)}
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(about | entry, allow_nan=False) + "\n" for entry in lines)


def machine() -> str:
    """Return the processor's name and the number of cores."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [row for row in info.read_text().splitlines() if row.startswith("model name")]
        name = models[0].partition(":")[2].strip() if models else name
    return f"{name}, {os.cpu_count()} cores"


def _about(n_threads: int | None) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=RESULTS.parent.parent,
        check=False,
        capture_output=True,
        text=True,
    )
    packages = ("softlearn", "numpy", "numba", "scipy")
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit.stdout.strip(),
        "machine": machine(),
        "python": sys.version.split()[0],
        "versions": {name: version(name) for name in packages},
        "n_threads": n_threads,
    }


def _line(cells: list[str]) -> str:
    parts = [
        cell.ljust(-width) if width < 0 else cell.rjust(width)
        for cell, (_, width) in zip(cells, _COLUMNS, strict=False)
    ]
    return "  ".join(parts)
