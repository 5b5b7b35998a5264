"""Which significance loses least on mixed tables: `python -m benchmarks.learning.mixed_defaults`.

The six mixed sets, at most 5,000 rows each, a fifth of them held out at random, three seeds;
SoftLearn by EM with its other defaults. For each level: the mean log-density of a held-out row.
"""

from __future__ import annotations

import sys
from statistics import fmean

from softlearn import SoftLearn
from softlearn.datasets import MIXED_NAMES, load_mixed
from softlearn.experiments.mixed import split

_LEVELS = (0.0001, 0.001, 0.01, 0.05)
_MOST_ROWS = 5000
_SEEDS = 3


def densities(name: str) -> list[float]:
    """Return the mean log-density of held-out rows by level, in nats."""
    table = load_mixed(name)
    found = []
    for level in _LEVELS:
        scores = []
        for seed in range(_SEEDS):
            rows = table.frame.sample(min(len(table.frame), _MOST_ROWS), random_state=seed)
            parts = split(rows, seed)
            learner = SoftLearn(significance=level, random_state=seed, schema=table.schema)
            scores.append(learner.fit(parts.train).score(parts.test))
        found.append(fmean(scores))
    return found


def main() -> None:
    """Print a Markdown table, the best level of each set in bold."""
    lines = [
        "## softlearn, em, mixed sets: mean log-density of a held-out row",
        "",
        "| data set | " + " | ".join(f"{level:g}" for level in _LEVELS) + " |",
        "| --- |" + " ---: |" * len(_LEVELS),
    ]
    for name in MIXED_NAMES:
        found = densities(name)
        cells = [f"**{x:.3f}**" if x == max(found) else f"{x:.3f}" for x in found]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
