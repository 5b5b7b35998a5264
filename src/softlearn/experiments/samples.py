"""The quality of drawn rows: learn, draw as many rows, learn from those, and score again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from softlearn.datasets import load_debd
from softlearn.experiments.binary import cost
from softlearn.experiments.cell import NAMES, SYSTEMS, Cell, Row, System
from softlearn.experiments.choices import Choices
from softlearn.experiments.document import Block, Document, Paragraph, Table
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.fitting import fit
from softlearn.experiments.published import better_clustering, detail, sample_quality
from softlearn.experiments.summaries import groups, in_order, shown, spread, tally

SEEDS: Final = 3  # as in the paper
DATASETS: Final = ("nltcs", "baudio", "tretail", "msweb", "cr52")  # those of the paper


def cells(choices: Choices) -> list[Cell]:
    """Return each system with the choices that the paper found best for it."""
    found = []
    for dataset in choices.datasets(DATASETS):
        for system in choices.systems_of(SYSTEMS):
            clustering = better_clustering(dataset, system)
            paper = detail()[dataset, system, clustering]
            found += [
                Cell(
                    dataset=dataset,
                    system=system,
                    clustering=clustering,
                    p=paper.p,
                    alpha=paper.alpha,
                    max_rows=choices.max_rows,
                    seed=seed,
                )
                for seed in choices.seeds_or(SEEDS)
            ]
    return found


def measure(cell: Cell) -> Mapping[str, Any]:
    """Score a circuit learnt from the training rows, and one learnt from rows that it drew."""
    splits = load_debd(cell.dataset)
    first = fit(cell, splits.train)
    n_drawn = len(splits.train[: cell.max_rows])
    drawn = first.model.sample(n_drawn, random_state=cell.seed)
    second = fit(replace(cell, max_rows=None), drawn)
    return {
        **{name: first.model.score(getattr(splits, name)) for name in ("valid", "test")},
        "synthetic_valid": second.model.score(splits.valid),
        "synthetic_test": second.model.score(splits.test),
        **first.size,
    }


def document(rows: Sequence[Row]) -> Document:
    """Return both scores and the drop between them, beside the paper's."""
    datasets = in_order(rows, DATASETS)
    blocks: list[Block] = [
        Paragraph(
            "Mean log-likelihood of a row in nats, mean over seeds. *Original* is a circuit learnt "
            "from the training rows, *synthetic* one learnt from as many rows drawn from it; the "
            f"drop is the price. {_words(rows)}"
        ),
        *(_table(rows, datasets, system) for system in SYSTEMS),
    ]
    return Document("Quality of drawn rows", blocks)


def _table(rows: Sequence[Row], datasets: Sequence[str], system: System) -> Table:
    head = ["data set"]
    for where in ("valid", "paper", "test"):
        head += [f"original, {where}", f"synthetic, {where}", f"drop, {where}"]
    by_system = groups(rows, "dataset", "system")
    body = []
    for dataset in datasets:
        own = by_system.get((dataset, system))
        paper = [sample_quality()[dataset][f"{system}_{of}"] for of in ("original", "synthetic")]
        valid, test = (_means(own, split) for split in ("valid", "test"))
        line = [text for pair in (valid, paper, test) for text in _with_drop(pair)]
        body.append([dataset, *line])
    note = "The paper's figures stand beside the validation split, which they belong to."
    return Table(NAMES[system], head, body, note)


def _means(rows: Sequence[Row] | None, split: str) -> list[float] | None:
    if rows is None:
        return None
    return [spread(rows, of).mean for of in (split, f"synthetic_{split}")]


def _with_drop(pair: list[float] | None) -> list[str]:
    if pair is None:
        return ["–"] * 3
    original, synthetic = pair
    return [shown(original), shown(synthetic), shown(original - synthetic)]


def _words(rows: Sequence[Row]) -> str:
    by_system = groups(rows, "system", "dataset")
    ours = {
        system: {
            dataset: spread(own, "synthetic_valid").mean
            for (name, dataset), own in by_system.items()
            if name == system
        }
        for system in SYSTEMS
    }
    paper = {
        system: {d: row[f"{system}_synthetic"] for d, row in sample_quality().items()}
        for system in SYSTEMS
    }
    return (
        "After drawing, SoftLearn is better than LearnSPN on the validation split on "
        f"{tally(ours['softlearn'], ours['learnspn'])}; in the paper on "
        f"{tally(paper['softlearn'], paper['learnspn'])}."
    )


SAMPLES: Final = Experiment(
    name="samples", cells=cells, measure=measure, cost=cost, document=document
)
