"""Which level of the tests is the default: `python -m benchmarks.learning.levels`.

Learns the twenty binary sets with fixed levels and with the default, which falls with the pairs and
the rows of a node, and prints as Markdown how their validation splits score.
"""

from __future__ import annotations

import sys
import time
from statistics import fmean

from softlearn import LearnSPN, SoftLearn
from softlearn.datasets import DEBD_NAMES, load_debd

LEVELS = (None, 0.0001, 0.01)  # None is the default
CASES = {
    f"{learner.__name__}, {clustering}": (learner, clustering)
    for learner in (SoftLearn, LearnSPN)
    for clustering in ("em", "kmeans")
}


def scores(case: str, dataset: str) -> list[tuple[float, int, float]]:
    """Return the score on valid, the number of nodes and the CPU seconds of each level."""
    learner, clustering = CASES[case]
    splits, found = load_debd(dataset), []
    for level in LEVELS:
        estimator = learner(clustering=clustering, significance=level, random_state=0, n_jobs=1)
        estimator.fit(splits.train[:50])  # compiles
        begin = time.process_time()
        model = estimator.fit(splits.train).model_
        seconds = time.process_time() - begin
        found.append((model.score(splits.valid), model.circuit.n_nodes, seconds))
    return found


def table(case: str, found: dict[str, list[tuple[float, int, float]]]) -> str:
    """Return the scores of a learner as Markdown, and what fixed levels gain over the default."""
    names = ["default" if level is None else f"{level:g}" for level in LEVELS]
    lines = [
        f"## {case}\n",
        f"| data set | {' | '.join(names)} | nodes: {' | '.join(names)} |",
        f"| --- {'| ---: ' * (2 * len(LEVELS))}|",
    ]
    for dataset, of_levels in found.items():
        valid = " | ".join(f"{score:.3f}" for score, _, _ in of_levels)
        nodes = " | ".join(f"{n:,}" for _, n, _ in of_levels)
        lines.append(f"| {dataset} | {valid} | {nodes} |")
    lines.append("")
    for k in range(1, len(LEVELS)):
        gains = [100.0 * (one[k][0] - one[0][0]) / abs(one[0][0]) for one in found.values()]
        ahead = sum(gain < 0.0 for gain in gains)
        seconds = sum(one[k][2] for one in found.values()) / sum(
            one[0][2] for one in found.values()
        )
        lines.append(
            f"- {names[k]}: {fmean(gains):+.3f} % of the score on average; the default is better "
            f"on {ahead} of {len(gains)}; {seconds:.2f} times its time"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    """Print a table per learner and clustering."""
    sys.stdout.write("# Which level of the tests is the default\n\n")
    sys.stdout.write("Mean log-likelihood of a row of the validation split, seed 0.\n\n")
    for case in CASES:
        sys.stdout.write(table(case, {name: scores(case, name) for name in DEBD_NAMES}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
