"""Who wins paper-like, and why: `python -m benchmarks.learning.mixed_tests`.

The setting of `softlearn reproduce mixed` with plain numbers, where leaves only have means to tell
clusters apart. Both learners are grown with the tests of both: SoftLearn's (ranks, then tables of
quantile bins) and LearnSPN's (ranks alone), by EM, with the paper's choices for each learner.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np

from softlearn.datasets import MIXED_NAMES, load_mixed
from softlearn.experiments.mixed import log_units, plain, split
from softlearn.experiments.published import detail
from softlearn.learn import LEARNERS, Block, Engine
from softlearn.learn.growing import grown
from softlearn.model import Model
from softlearn.table import encode

LEARNERS_AND_TESTS = tuple(product(("learnspn", "softlearn"), (False, True)))  # ranks alone?


def score(dataset: str, learner: str, ranks: bool, seed: int) -> tuple[float, int]:
    """Return the standardised score of held-out rows, and the number of nodes."""
    table, paper = load_mixed(dataset), detail()[dataset, learner, "em"]
    parts, schema, entry = split(table.frame, seed), plain(table.schema), LEARNERS[learner]
    own: dict[str, Any] = {"significance": paper.p, "smoothing": paper.alpha}
    config = entry.config(**own, smoothing_per="level", deviation_floor=1.0)
    assert entry.choices is not None
    choices = entry.choices(config, schema)
    assert choices is not None
    values = encode(parts.train, schema)
    block, seeds = Block(values, np.ones(values.shape[1])), np.random.SeedSequence(seed)
    circuit = grown([block], schema, replace(choices, ranks=ranks), seeds, Engine(n_jobs=1))
    return Model(circuit).score(parts.test) + log_units(parts.train, table), circuit.n_nodes


def lines(datasets: list[str], n_seeds: int) -> Iterator[str]:
    """Yield a Markdown table: mean score and nodes by learner and tests."""
    yield (
        "| data set | "
        + " | ".join(
            f"{LEARNERS[learner].label}, {'ranks' if ranks else 'ranks and tables'}"
            for learner, ranks in LEARNERS_AND_TESTS
        )
        + " |"
    )
    yield "| --- |" + " ---: |" * len(LEARNERS_AND_TESTS)
    for dataset in datasets:
        cells = []
        for learner, ranks in LEARNERS_AND_TESTS:
            found = [score(dataset, learner, ranks, seed) for seed in range(n_seeds)]
            scores, nodes = zip(*found, strict=True)
            cells.append(f"{fmean(scores):.4f} ({fmean(nodes):,.0f} nodes)")
        yield f"| {dataset} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("python -m benchmarks.learning.mixed_tests")
    parser.add_argument("--only", nargs="+", choices=MIXED_NAMES, default=list(MIXED_NAMES))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    sys.stdout.write("# LearnSPN and SoftLearn on plain numbers, each with the tests of both\n\n")
    sys.stdout.write(f"Mean score of a held-out row, paper-like, {options.seeds} seeds.\n\n")
    for line in lines(options.only, options.seeds):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
