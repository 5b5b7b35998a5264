"""Write docs/speed.md and its picture: `python -m benchmarks.speed_page`.

The last two full runs of `python -m benchmarks` in the results are compared. Nothing is measured
here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.query import QUERIES, Result
from benchmarks.report import RESULTS
from benchmarks.workloads import WORKLOADS
from softlearn.experiments.wrapping import wrapped
from softlearn.show.plots.style import HEAT, INK, NORMAL, SMALL
from softlearn.whole_files import write_whole

Runs: TypeAlias = dict[str, list[dict[str, Any]]]

_DOCS = Path(__file__).parents[1] / "docs"
_PICTURE = "images/speed.png"

_TEXT = """# Speed

How fast queries are, beside a plain loop over the same circuit in log space and beside the
machine's own limit: a bare multiply-add over cached numbers, one for each edge and row. One thread,
CPU seconds; every answer was first compared with the slow evaluator. The circuits
and the columns of the tables are explained [beside the benchmark](../benchmarks/README.md).

![Share of the limit, for every query and kind of leaf](images/speed.png)

A share of 1 would be as fast as a loop that does nothing but multiply and add. Draws look at few
edges, one after the other, each where the one before led: their share is small, whoever makes them.

{tables}

Numbers that are not about single queries:

{numbers}

Measured by `python -m benchmarks` on {machine}, before ({before}) and after ({after});
this page is written by `python -m benchmarks.speed_page`. Other programs ran on the same machine
and emptied its caches: compare the ratios to the plain loop, which ran beside each query.
"""


def main() -> None:
    """Write the page and the picture."""
    before, after = list(_runs().values())[-2:]
    speeds = [_results(run) for run in (before, after)]
    _draw(speeds[1])
    page = _TEXT.format(
        tables="\n\n".join(_table(query, *speeds) for query in QUERIES),
        numbers=_numbers(before, after),
        machine=after[0]["run"]["machine"],
        before=before[0]["run"]["commit"],
        after=after[0]["run"]["commit"],
    )
    write_whole(_DOCS / "speed.md", wrapped(page))


def _runs() -> Runs:
    """Return the lines of all full runs with one thread, by date."""
    found: Runs = {}
    for line in RESULTS.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["run"]["n_threads"] == 1:
            found.setdefault(entry["run"]["date"], []).append(entry)
    return found


def _results(run: list[dict[str, Any]]) -> dict[tuple[str, str], Result]:
    lines = [{k: v for k, v in line.items() if k != "run"} for line in run if "workload" in line]
    return {(line["workload"], line["query"]): Result(**line) for line in lines}


def _table(
    query: str, before: dict[tuple[str, str], Result], after: dict[tuple[str, str], Result]
) -> str:
    rows = [
        f"**{query}**",
        "",
        "| circuit | × plain loop, before | after | of limit, after | µs per row, after |",
        "|---|---|---|---|---|",
    ]
    for workload in WORKLOADS:
        old, new = (speeds.get((workload.name, query)) for speeds in (before, after))
        if old and new:
            rows.append(
                f"| {workload.name} | {old.times_plain:.1f} | {new.times_plain:.1f} "
                f"| {new.of_limit:.2f} | {1e6 * new.seconds / new.n_rows:.2f} |"
            )
    return "\n".join(rows)


def _numbers(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str:
    old = {(line["what"], line["unit"]): line["value"] for line in before if "what" in line}
    rows = ["| what | before | after | |", "|---|---|---|---|"]
    for line in after:
        if "what" in line and (line["what"], line["unit"]) in old:
            was = old[line["what"], line["unit"]]
            rows.append(f"| {line['what']} | {was:.2f} | {line['value']:.2f} | {line['unit']} |")
    return "\n".join(rows)


def _draw(results: dict[tuple[str, str], Result]) -> None:
    """Draw the shares of the limit as a table of colours."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    names = [f"{one.name}\n{one.about}" for one in WORKLOADS if (one.name, QUERIES[0]) in results]
    shares = [
        [results[one.name, query].of_limit for query in QUERIES]
        for one in WORKLOADS
        if (one.name, QUERIES[0]) in results
    ]
    figure = Figure(figsize=(7.2, 0.55 * len(names) + 1.1), layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    colours = LinearSegmentedColormap.from_list("share", HEAT)
    ax.imshow(shares, cmap=colours, vmin=0.0, vmax=1.0, aspect="auto")
    for i, row in enumerate(shares):
        for k, share in enumerate(row):
            ink = "white" if share > 0.5 else INK
            ax.text(k, i, f"{share:.2f}", ha="center", va="center", color=ink, fontsize=NORMAL)
    ax.set_xticks(range(len(QUERIES)), QUERIES, fontsize=NORMAL, color=INK)
    ax.set_yticks(range(len(names)), names, fontsize=SMALL, color=INK)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title("Share of the machine's multiply-adds, one thread", fontsize=NORMAL, color=INK)
    figure.savefig(_DOCS / _PICTURE, dpi=160)


if __name__ == "__main__":
    main()
