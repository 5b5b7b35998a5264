"""Run the learning benchmark: `python -m benchmarks.learning`, from the root of the repository."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks import report
from benchmarks.learning import contest, growth, mixed, where

RESULTS = Path(__file__).resolve().parent.parent / "results" / "learning.jsonl"
PARTS = ("contest", "mixed", "growth", "where")


def main(arguments: list[str] | None = None) -> int:
    """Print the tables and add them to the results."""
    options = _parser().parse_args(arguments)
    _say(f"{report.machine()}; warm, each fit in a process of its own")
    lines: list[dict[str, object]] = []
    if "contest" in options.parts:
        lines += _contest(options)
    if "mixed" in options.parts:
        lines += _mixed(options)
    if "growth" in options.parts:
        lines += [{"part": "growth", **step._asdict()} for step in _said(growth.steps())]
    if "where" in options.parts:
        lines += _where()
    if not options.only:
        report.append(RESULTS, lines)
    return 0


def _contest(options: argparse.Namespace) -> list[dict[str, object]]:
    found = []
    _say(
        f"{'table':11s} {'system':9s} {'by':6s} seed  seconds  pilot  × pilot  peak MB   nodes"
        f"{'valid':>11s} {'pilot':>10s} {'gain %':>8s} {'test':>10s}"
    )
    for bout in contest.bouts(contest.jobs(options.only, options.seeds), options.pilot):
        _say(_line(bout))
        found.append(bout)
    for system in ("softlearn", "learnspn"):
        _say(_total([bout for bout in found if bout.job.system == system], system))
    return [{"part": "contest", **asdict(bout)} for bout in found]


def _line(bout: contest.Bout) -> str:
    job, ours, theirs = bout.job, bout.ours, bout.pilot
    seconds, times, valid, gain = "–", "–", "–", "–"
    if theirs is not None:
        seconds, times = f"{theirs.seconds:.2f}", f"{bout.speed_up:.2f}"
        valid, gain = f"{theirs.valid:.4f}", f"{bout.gain:.3f}"
    return (
        f"{job.dataset:11s} {job.system:9s} {job.clustering:6s} {job.seed:4d} {ours.seconds:8.2f}"
        f" {seconds:>6s} {times:>8s} {ours.peak_mb:8.0f} {ours.n_nodes:7,d} {ours.valid:10.4f}"
        f" {valid:>10s} {gain:>8s} {ours.test:10.4f}"
    )


def _total(bouts: list[contest.Bout], system: str) -> str:
    ours = sum(bout.ours.seconds for bout in bouts)
    told = f"{system}: {ours:.1f} s in all"
    if bouts and all(bout.pilot for bout in bouts):
        theirs = sum(bout.pilot.seconds for bout in bouts if bout.pilot)
        gains = [bout.gain for bout in bouts if bout.gain is not None]
        told += f", the pilot {theirs:.1f} s: × {theirs / ours:.2f}; "
        told += f"valid better by {sum(gains) / len(gains):.4f} % on average"
    return told


def _mixed(options: argparse.Namespace) -> list[dict[str, object]]:
    _say(mixed.HEAD)
    only = [table for table in mixed.TABLES if not options.only or table in options.only]
    found = list(_said(mixed.fits(only, options.before)))
    for line in mixed.ratios(found):
        _say(line)
    # JSON has no NaN, which is the score where held-out rows have a level that was never seen.
    scores = [fit.score if math.isfinite(fit.score) else None for fit in found]
    return [
        {"part": "mixed", **fit._asdict(), "score": score}
        for fit, score in zip(found, scores, strict=True)
    ]


def _where() -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for dataset in where.SETS:
        parts = where.shares(dataset)
        told = ", ".join(f"{kind} {share:.0%}" for kind, share in parts.items())
        _say(f"{dataset}: {told}")
        lines.append({"part": "where", "dataset": dataset, "shares": parts})
    for dataset in ("plants", "baudio"):
        share = where.of_limit(dataset)
        _say(f"{dataset}: a pass of EM runs at {share:.2f} of two matrix-vector products by BLAS")
        lines.append({"part": "limit", "dataset": dataset, "of_limit": share})
    return lines


def _said(items):
    for item in items:
        _say(str(item))
        yield item


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.learning", description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--only", nargs="+", help="these tables, nothing else; not recorded")
    parser.add_argument("--seeds", type=int, default=1, help="fits of each table (default 1)")
    parser.add_argument("--before", type=Path, help="a checkout of another version: mixed tables")
    parser.add_argument("--pilot", type=Path, help="a program to compare with: pilot.py")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
