"""The binary sets with choices made on the validation split, and reported on the test split."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

from softlearn.datasets import DEBD_NAMES
from softlearn.experiments.binary import cost, measure
from softlearn.experiments.cell import NAMES, SYSTEMS, Cell, Row
from softlearn.experiments.choices import Choices
from softlearn.experiments.document import Document, Paragraph, Table
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.published import QUOTED, comparison
from softlearn.experiments.summaries import (
    Score,
    best_on_valid,
    groups,
    in_order,
    shown,
    tally,
)
from softlearn.numeric_policy import SMOOTHING_GRID

SIGNIFICANCES: Final = (0.01, 0.001, 0.0001)
SETTINGS: Final = ("clustering", "p", "alpha", "beta")


def cells(choices: Choices) -> list[Cell]:
    """Return the paper's grid of significance and smoothing, for soft k-means also of beta."""
    crossed = product(
        choices.datasets(DEBD_NAMES),
        choices.systems_of(SYSTEMS),
        choices.clusterings,
        SIGNIFICANCES,
        SMOOTHING_GRID,
        choices.betas,
        choices.seeds_or(1),
    )
    found = [
        Cell(
            dataset=dataset,
            system=system,
            clustering=clustering,
            p=p,
            alpha=alpha,
            beta=beta,
            max_rows=choices.max_rows,
            seed=seed,
        )
        for dataset, system, clustering, p, alpha, beta, seed in crossed
    ]
    return list(dict.fromkeys(found))  # only soft k-means has a beta


def document(rows: Sequence[Row]) -> Document:
    """Return the chosen settings, their test scores, and wins and losses."""
    chosen = {
        (dataset, system): best_on_valid(own, *SETTINGS)
        for (dataset, system), own in groups(rows, "dataset", "system").items()
    }
    datasets = in_order(rows, DEBD_NAMES)
    head = ["data set"]
    for system in SYSTEMS:
        name = NAMES[system]
        head += [f"{name}, test", f"{name}, valid", f"{name}, chosen on valid"]
    body = [
        [
            dataset,
            *(text for system in SYSTEMS for text in _told(chosen.get((dataset, system)))),
            _best_published(dataset),
        ]
        for dataset in datasets
    ]
    note = (
        "Chosen: clustering, significance p, smoothing α and, for soft k-means, β. Last column: "
        "the best test-split figure that the paper quotes of another system."
    )
    table = Table("The grid", [*head, "best published"], body, note)
    return Document("Choices made on the validation split", [Paragraph(_words(chosen)), table])


def _told(score: Score | None) -> tuple[str, str, str]:
    if score is None:
        return "–", "–", "–"
    beta = score.choice("beta")
    chosen = [
        NAMES[score.choice("clustering")],
        f"p {score.choice('p'):g}",
        f"α {score.choice('alpha'):g}",
        *([] if beta is None else [f"β {beta:g}"]),
    ]
    return str(score.test), str(score.valid), ", ".join(chosen)


def _best_published(dataset: str) -> str:
    quoted = {name: comparison()[dataset][name] for name in QUOTED}
    best = max(quoted, key=lambda name: quoted[name])
    return f"{shown(quoted[best])} ({QUOTED[best]})"


def _words(chosen: dict[tuple[str, str], Score]) -> str:
    test = {
        system: {d: score.test.mean for (d, name), score in chosen.items() if name == system}
        for system in SYSTEMS
    }
    return (
        "Mean log-likelihood of a row in nats. For each data set and system the setting with the "
        "best mean on the validation split is kept, and its test score reported. SoftLearn is "
        f"better than LearnSPN on the test split on {tally(test['softlearn'], test['learnspn'])}."
    )


GRID: Final = Experiment(name="grid", cells=cells, measure=measure, cost=cost, document=document)
