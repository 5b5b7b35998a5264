"""Rows of results as tables in Markdown, which a terminal can show as well."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean, stdev
from typing import Any

from benchmarks.tasks.catalogue import TASKS, Figure, Task

Row = dict[str, Any]
EMPTY = "not run"


def tables(rows: list[Row]) -> str:
    """Return a section for each task that has rows."""
    return "\n\n".join(
        _section(task, [row for row in rows if row["task"] == task.name])
        for task in TASKS.values()
        if any(row["task"] == task.name for row in rows)
    )


def sizes(rows: list[Row]) -> str:
    """Return how many rows of each set were learnt from and judged by."""
    counts = {row["dataset"]: row for row in rows if "n_train" in row}
    told = [f"{name} {row['n_train']:,} + {row['n_test']:,}" for name, row in counts.items()]
    return "; ".join(told)


def _section(task: Task, rows: list[Row]) -> str:
    parts = [f"## {task.title}", task.about]
    parts += [_table(task, figure, rows) for figure in task.figures]
    reasons = sorted(
        {
            f"{row['system']} on {row['dataset']}: {row['not_run']}."
            for row in rows
            if "not_run" in row
        }
    )
    if reasons:
        parts.append("Not run: " + " ".join(reasons))
    return "\n\n".join(parts)


def _table(task: Task, figure: Figure, rows: list[Row]) -> str:
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    found = {
        (system, dataset): _of(rows, system, dataset)
        for system in task.systems
        for dataset in datasets
    }
    values = {
        place: [float(row["figures"][figure.name]) for row in those]
        for place, those in found.items()
    }
    means = {place: fmean(numbers) for place, numbers in values.items() if numbers}
    body = []
    for system in task.systems:
        cells = [
            _cell(
                found[system, name],
                values[system, name],
                figure,
                (system, name) in _best(means, figure),
            )
            for name in datasets
        ]
        body.append([system, *cells, _mean_rank(means, system, datasets, figure)])
    head = ["system", *datasets, "mean rank"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return f"### {figure.title}\n\n" + "\n".join(_aligned(lines))


def _of(rows: list[Row], system: str, dataset: str) -> list[Row]:
    return [
        row
        for row in rows
        if (row["system"], row["dataset"]) == (system, dataset) and "figures" in row
    ]


def _cell(rows: list[Row], values: list[float], figure: Figure, best: bool) -> str:
    """Return mean ± deviation over seeds, and the mean seconds of a fit in brackets."""
    if not values:
        return EMPTY
    mean = _number(fmean(values), figure.digits)
    told = f"**{mean}**" if best else mean
    if len(values) > 1 and all(map(math.isfinite, values)):
        told += f" ± {stdev(values):.{figure.digits}f}"
    return f"{told} ({_seconds(fmean(row['fit_seconds'] for row in rows))})"


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def _contest(means: dict[tuple[str, str], float], dataset: str, figure: Figure) -> list[float]:
    """Return how bad the systems are on one set, best first; real rows do not compete."""
    values = [v for (system, name), v in means.items() if name == dataset and not _is_bound(system)]
    return sorted(map(figure.worse_by, values))


def _best(means: dict[tuple[str, str], float], figure: Figure) -> set[tuple[str, str]]:
    return {
        (system, name)
        for (system, name), value in means.items()
        if not _is_bound(system) and figure.worse_by(value) == _contest(means, name, figure)[0]
    }


def _mean_rank(
    means: dict[tuple[str, str], float], system: str, datasets: list[str], figure: Figure
) -> str:
    """Return the mean place over the sets on which the system was run."""
    if _is_bound(system):
        return "–"
    places = [
        _contest(means, name, figure).index(figure.worse_by(means[system, name])) + 1
        for name in datasets
        if (system, name) in means
    ]
    return f"{fmean(places):.1f}" if places else "–"


def _is_bound(system: str) -> bool:
    return system.startswith("(")


def _aligned(lines: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        first, *others = zip(line, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        yield "| " + " | ".join(cells) + " |"
