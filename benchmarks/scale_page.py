"""The measured part of docs/scale.md, written from results/scale.jsonl.

`python -m benchmarks.scale_page` writes the table of all fits, and what a terabyte would cost by
the constants of the largest of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.scale import N_COLUMNS, RESULTS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"
BEGIN, END = "<!-- measured by benchmarks.scale -->", "<!-- end of what is measured -->"
TERABYTE, WORKERS = 1e12, 100
BYTES_PER_ROW = 8 * N_COLUMNS  # as numbers
BYTES_SENT_PER_ROW = BYTES_PER_ROW + 16  # with its weight and its key

Row = dict[str, Any]


def main() -> None:
    """Write the measured part of the page, and print it."""
    text = measured(rows_of(RESULTS))
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")
    print(text)


def rows_of(path: Path) -> list[Row]:
    """Return the latest row of each fit, in order."""
    latest: dict[tuple[Any, ...], Row] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        at_most = row["max_nodes"] or 0
        latest[at_most, row["rows"], row["workers"], row["memory"] or "", row["learner"]] = row
    return [latest[key] for key in sorted(latest)]


def measured(rows: list[Row]) -> str:
    """Return the table, and the costs by the largest fit that workers share."""
    done = [row for row in rows if "error" not in row]
    on_workers = [row for row in done if row.get("passes")]  # one worker alone makes none
    largest = max(on_workers, key=lambda row: (row["rows"], row["workers"]))
    return f"{_table(rows)}\n\n{_costs(largest)}"


def _table(rows: list[Row]) -> str:
    names = (
        "rows | workers | memory | max_nodes | seconds | CPU s | µs per row | client | worker | "
        "moved | passes | nodes | held out, truth"
    )
    lines = [f"| {names} |", f"|{'---:|' * (names.count('|') + 1)}"]
    return "\n".join([*lines, *map(_line, rows)])


def _line(row: Row) -> str:
    who = str(row["workers"] or "none")
    at_most = f"{row['max_nodes']:,}" if row["max_nodes"] else "–"
    head = [f"{row['rows']:,}", who, row["memory"] or "–", at_most]
    if "error" in row:
        return f"| {' | '.join(head)} | {row['error']} |" + " |" * 8
    sizes = [
        f"{row[name]:,.0f} MB" if name in row else "–"
        for name in ("client_mb", "worker_mb", "moved_mb")
    ]
    passes = f"{row['passes']:,}" if "passes" in row else "–"
    score = f"{row['held_out']:.3f}, {row['truth']:.3f}"
    per_row = 1e6 * row["cpu_seconds"] / row["rows"]
    times = [f"{row['seconds']:,.1f}", f"{row['cpu_seconds']:,.1f}", f"{per_row:,.0f}"]
    cells = [*head, *times, *sizes, passes, f"{row['nodes']:,}", score]
    return f"| {' | '.join(cells)} |"


def _costs(row: Row) -> str:
    """Return what a terabyte costs if all that grows with the rows grows in proportion."""
    n_rows = TERABYTE / BYTES_PER_ROW
    seconds = row["cpu_seconds"] / row["rows"] * n_rows / WORKERS
    sent = row["moved_mb"] * 1e6 / row["rows"]
    per_pass = row["pass_bytes"] / max(row["passes"], 1) / max(row["parts"], 1)
    n_parts = n_rows / 2**17
    at_most = f" into at most {row['max_nodes']:,} nodes" if row["max_nodes"] else ""
    return (
        f"Extrapolated from the fit of {row['rows']:,} rows{at_most}: it took "
        f"{1e6 * row['cpu_seconds'] / row['rows']:,.0f} µs of CPU time per row, and "
        f"{row['passes']:,} passes over a slice, after each of which a part sent "
        f"{per_pass:,.0f} bytes. A terabyte, which is {n_rows:.2g} rows of {N_COLUMNS} columns of "
        f"numbers, would take {WORKERS} workers about {seconds / 3600:,.1f} hours if everything "
        "that grows with the rows does so in proportion. Workers on one machine share files, "
        f"and sent {sent:,.2g} bytes per row. Workers of a cluster do not: each row is sent once "
        f"to its bucket, as {BYTES_SENT_PER_ROW} bytes "
        f"({BYTES_SENT_PER_ROW * n_rows / 1e12:.2g} TB in all), and again when its slice has "
        "become small. The table would have "
        f"{n_parts:,.0f} parts, and each pass over all of them would send "
        f"{per_pass * n_parts / 1e6:,.0f} MB to the client. This is the limit to scaling: one "
        "client adds up the sums of all parts."
    )


if __name__ == "__main__":
    main()
