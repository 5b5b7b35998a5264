"""Run the benchmark: `python -m benchmarks`, from the root of the repository."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from benchmarks import report, scaling
from benchmarks.query import Result, measure
from benchmarks.workloads import WORKLOADS

_QUICK = ("tree-1k",)
_QUICK_ROWS = 2_000


def main(arguments: list[str] | None = None) -> int:
    """Print the table and, after a full run, add it to the results; 1 if anything disagrees."""
    options = _parser().parse_args(arguments)
    wanted = options.only or (_QUICK if options.quick else [w.name for w in WORKLOADS])
    repeats = 3 if options.quick else 7
    rows = options.rows or (_QUICK_ROWS if options.quick else None)
    _say(
        f"{report.machine()}; threads: {options.threads}; medians of {repeats} warm runs, by turns"
    )
    _say(report.heading())
    results: list[Result] = []
    for workload in WORKLOADS:
        if workload.name in wanted:
            for result in measure(workload, rows, options.threads, repeats):
                results.append(result)
                _say(report.line(result))
    if not options.quick and not options.only:
        _say("")
        numbers = list(_numbers(options.threads, repeats))
        if options.rows is None:
            report.record(results, numbers, options.threads)
    return 1 if any(result.disagreement for result in results) else 0


def _numbers(n_threads: int, repeats: int) -> Iterator[tuple[str, float, str]]:
    for section in (
        scaling.growth(n_threads, repeats),
        scaling.plans(repeats),
        scaling.new_numbers(repeats),
        scaling.flow_passes(n_threads, repeats),
        scaling.first_calls(),
        scaling.warm_starts(),
    ):
        for what, value, unit in section:
            _say(f"{what:36s}{value:10.2f} {unit}")
            yield what, value, unit


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    names = [workload.name for workload in WORKLOADS]
    parser.add_argument("--only", nargs="+", choices=names, help="these workloads, nothing else")
    parser.add_argument(
        "--rows", type=int, help="rows of each likelihood, instead of its own number"
    )
    parser.add_argument("--threads", type=int, default=1, help="threads for all sides (default 1)")
    parser.add_argument("--quick", action="store_true", help="the smallest workload, few rows")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
