"""Which choices lose least: `python -m benchmarks.learning.defaults GRID.jsonl`.

The file holds the rows of `softlearn reproduce grid`. For each pair of significance and smoothing:
by how many percent of its log-likelihood the validation split of a data set is worse than with that
data set's best pair, on average and at worst. The default should be the pair that loses least.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean

Choice = tuple[float, float]  # significance, smoothing


def losses(rows: list[dict]) -> dict[Choice, list[float]]:
    """Return what each choice loses on each data set, in percent."""
    likelihood: dict[str, dict[Choice, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        likelihood[row["dataset"]][row["p"], row["alpha"]].append(row["valid"])
    found: dict[Choice, list[float]] = defaultdict(list)
    for of_choice in likelihood.values():
        means = {choice: fmean(values) for choice, values in of_choice.items()}
        best = max(means.values())
        for choice, value in means.items():
            found[choice].append(100.0 * (best - value) / abs(best))
    return found


def table(rows: list[dict]) -> str:
    """Return a Markdown table for each system and clustering, the best choice first."""
    parts = []
    for key in sorted({(row["system"], row["clustering"]) for row in rows}):
        mine = [row for row in rows if (row["system"], row["clustering"]) == key]
        found = sorted(losses(mine).items(), key=lambda item: fmean(item[1]))
        parts.append(f"## {key[0]}, {key[1]}\n")
        parts.append("| significance | smoothing | mean loss % | worst loss % | data sets |")
        parts.append("| ---: | ---: | ---: | ---: | ---: |")
        parts += [
            f"| {p:g} | {alpha:g} | {fmean(lost):.3f} | {max(lost):.3f} | {len(lost)} |"
            for (p, alpha), lost in found
        ]
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    sys.stdout.write(table([json.loads(line) for line in lines]))
