"""Time queries of other libraries beside ours, each in a process of its own, on one thread.

The other libraries are installed into an environment that this command makes. One that cannot be
installed, or fails, is left out, and the reason is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.peers.circuits import CIRCUITS, write

_ROOT = Path(__file__).parents[2]
_SCRIPTS = Path(__file__).parent / "scripts"
_PARITY = 1e-4  # of mean log-densities; some systems count in single precision

# What has to be installed for each script, in this order. A version of PyTorch is named since the
# newest one may come with gigabytes for graphics cards.
_TORCH = "torch==2.13.0"
_PEERS = {
    "ask_cirkit": (_TORCH, "libcirkit"),
    "ask_deeprob": (_TORCH, "deeprob-kit"),
    "ask_mixtures": (_TORCH, "pomegranate", "scikit-learn"),
}


def main() -> None:
    """Make the environment, run everything, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    home = Path.home() / ".cache" / "softlearn-peers"
    parser.add_argument("--environment", type=Path, default=home, help="where it is, or is made")
    environment = parser.parse_args().environment
    with tempfile.TemporaryDirectory() as folder:
        for name, make in CIRCUITS.items():
            write(name, make(), Path(folder))
        lines = list(_answers(sys.executable, "ask_softlearn", folder))
        for script, packages in _PEERS.items():
            reason = _not_installed(environment, packages)
            if reason:
                print(f"{script} is skipped: {reason}")
                continue
            lines += _answers(str(environment / "bin" / "python"), script, folder)
    print(_table(lines))


def _not_installed(environment: Path, packages: tuple[str, ...]) -> str:
    """Install packages; return why that did not work, empty if it did."""
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
    for package in packages:
        command = [str(python), "-m", "pip", "install", "--quiet", package]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{package} cannot be installed: {_last_line(done.stderr)}"
    return ""


def _answers(python: str, script: str, folder: str) -> Iterator[dict[str, Any]]:
    """Run a script and yield its lines; one that fails says why."""
    paths = os.pathsep.join([str(_ROOT / "src"), str(_ROOT)])
    settings = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ours = {"PYTHONPATH": paths} if python == sys.executable else {}
    done = subprocess.run(
        [python, str(_SCRIPTS / f"{script}.py"), folder],
        env={**os.environ, "PYTHONPATH": "", **settings, **ours},
        capture_output=True,
        text=True,
        check=False,
    )
    yield from map(json.loads, done.stdout.splitlines())
    if done.returncode:
        print(f"{script} failed: {_last_line(done.stderr)}")


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no message")


def _table(lines: list[dict[str, Any]]) -> str:
    """Return rows per second of each system and query, and how many times as fast we are."""
    ours = {(one["circuit"], one["query"]): one for one in lines if one["system"] == "softlearn"}
    rows = ["| circuit | system | weights or edges | same circuit | query | rows/s | ours |"]
    rows.append("|---|---|---|---|---|---|---|")
    for one in lines:
        beside = ours[one["circuit"], one["query"]]
        times = "" if one is beside else f"{_rate(beside) / _rate(one):.1f} × as fast"
        cells = (one["circuit"], one["system"], f"{one['size']:,}", _same(one, beside))
        rows.append(f"| {' | '.join(cells)} | {one['query']} | {_rate(one):,.0f} | {times} |")
    return "\n".join(rows)


def _rate(line: dict[str, Any]) -> float:
    return float(line["rows_per_second"])


def _same(one: dict[str, Any], ours: dict[str, Any]) -> str:
    """Say whether both gave the rows the same mean log-density; nothing is said of draws."""
    if one is ours or one["mean"] is None:
        return ""
    return "yes" if abs(one["mean"] - ours["mean"]) < _PARITY * abs(ours["mean"]) else "no"


if __name__ == "__main__":
    main()
