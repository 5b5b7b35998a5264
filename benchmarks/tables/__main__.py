"""Draw rows and judge them: `python -m benchmarks.tables`, from the root of the repository."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.tables.ledger import Ledger, failed
from benchmarks.tables.one_case import Case
from benchmarks.tables.page import write_page
from benchmarks.tables.settings import SETTINGS
from benchmarks.tables.splits import DATASETS

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "tables.jsonl"
PAGE = ROOT / "docs" / "tables-benchmark.md"


def main(arguments: list[str] | None = None) -> int:
    """Do what the command says."""
    options = _parser().parse_args(arguments)
    return options.do(options)


def run(options: argparse.Namespace) -> int:
    """Measure what is not in the results yet."""
    ledger = Ledger(options.results)
    label = options.label or _commit()
    cases = [
        Case(dataset, settings, seed, label)
        for settings in options.settings
        for seed in range(options.seeds)
        for dataset in options.only
    ]
    n_failed = 0
    for case in cases:
        if case in ledger:
            continue
        try:
            row = measured_apart(case)
            told = f"C2ST-XGB {row['figures']['c2st_xgb']:.3f}, fit {row['fit_seconds']:.1f} s"
        except RuntimeError as error:
            row, told = failed(case, str(error)), f"failed: {error}"
            n_failed += 1
        ledger.add(case, row)
        _say(f"{case.dataset} {case.settings} {case.seed}: {told}")
    return 1 if n_failed else 0


def page(options: argparse.Namespace) -> int:
    """Write the page of the documentation from the results."""
    write_page(options.write, Ledger(options.results).rows())
    return 0


def why(options: argparse.Namespace) -> int:
    """Print which columns, and pairs of them, give drawn rows away."""
    from benchmarks.tables.why import report_of  # noqa: PLC0415 - the judges are slow to import

    for settings in options.settings:
        for line in report_of(Case(options.dataset, settings, options.seed, label="")):
            _say(line)
    return 0


def measured_apart(case: Case) -> dict[str, Any]:
    """Return the row of a case, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.tables.one_case", json.dumps(asdict(case))]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"ended with status {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.tables", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    running = commands.add_parser("run", help=run.__doc__)
    running.add_argument("--only", type=_names(DATASETS), default=DATASETS, metavar="SET,…")
    running.add_argument("--seeds", type=int, default=1, help="seeds 0, 1, … of each (default 1)")
    running.add_argument("--label", help="tells versions apart (default: the commit)")
    running.set_defaults(do=run)
    paging = commands.add_parser("page", help=page.__doc__)
    paging.add_argument("--write", type=Path, default=PAGE, metavar="PAGE")
    paging.set_defaults(do=page)
    asking = commands.add_parser("why", help=why.__doc__)
    asking.add_argument("dataset", choices=DATASETS, metavar="SET")
    asking.add_argument("--seed", type=int, default=0)
    asking.set_defaults(do=why)
    for command in (running, asking):
        command.add_argument(
            "--settings", type=_names(SETTINGS), default=("default",), metavar="NAME,…"
        )
    for command in (running, paging):
        command.add_argument("--results", type=Path, default=RESULTS, help="the file of rows")
    return parser


def _names(known: Any) -> Any:
    """Return a reader of names with commas between them."""

    def read(text: str) -> tuple[str, ...]:
        names = tuple(text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"no {name!r}; known are {', '.join(known)}")
        return names

    return read


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
