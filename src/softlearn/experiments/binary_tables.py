"""Tables of the results on the binary sets, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from softlearn.datasets import DEBD_NAMES
from softlearn.experiments.binary_evidence import counts, whose_split
from softlearn.experiments.binary_scores import Scores, better, scores_of
from softlearn.experiments.cell import CLUSTERINGS, NAMES, SYSTEMS, Row, System
from softlearn.experiments.document import Block, Document, Paragraph, Picture, Table
from softlearn.experiments.published import FIRST_TABLE, QUOTED, comparison, detail
from softlearn.experiments.summaries import Score, in_order, shown
from softlearn.learn import GrowConfig
from softlearn.show.plots import comparison as draw_comparison
from softlearn.show.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_QUOTED_NOTE: Final = (
    "\\* as published, on the test split; these systems are not run here. † the paper's own runs, "
    "which are validation-split figures."
)


def document(rows: Sequence[Row]) -> Document:
    """Return the tables, the counts and the picture."""
    scores = scores_of(rows)
    datasets = in_order(rows, DEBD_NAMES)
    blocks: list[Block] = [
        Paragraph(
            "Mean log-likelihood of a row in nats, higher is better; mean ± standard deviation "
            "over seeds. Significance and smoothing are those that the paper chose for each data "
            "set, system and clustering."
        ),
        Paragraph(whose_split(scores)),
        counts(scores),
        *(_detail_table(scores, datasets, system) for system in SYSTEMS),
        _test_table("The first table of the paper", scores, datasets, FIRST_TABLE),
        _test_table("The comparison table of the paper", scores, datasets, tuple(QUOTED)),
        Picture(
            "binary",
            "Test split: difference to LearnSPN (better of EM and k-means on the validation "
            "split), in per cent of its log-likelihood; right of the line is better.",
            lambda: _draw(scores, datasets),
        ),
    ]
    return Document("Binary data sets", blocks)


def _detail_table(scores: Scores, datasets: Sequence[str], system: System) -> Table:
    head = ["data set"]
    for clustering in CLUSTERINGS:
        name = NAMES[clustering]
        head += [f"{name}, valid", f"paper, {name}", f"{name}, test"]
    body = []
    for dataset in datasets:
        line = [dataset]
        for clustering in CLUSTERINGS:
            paper = detail()[dataset, system, clustering]
            score = scores.get((dataset, system, clustering))
            valid, test = ("–", "–") if score is None else (_marked(score), str(score.test))
            line += [valid, f"{shown(paper.ll)} ± {shown(paper.sd)}", test]
        body.append(line)
    note = "The paper's figures stand beside the validation split, which they belong to."
    if system == "softlearn":
        default = f"{GrowConfig().beta:g}"
        note += f" (β …): best on valid of the betas that were run, where it is not {default}."
    return Table(f"{NAMES[system]}, the detail table of the paper", head, body, note)


def _marked(score: Score) -> str:
    """Return the score on valid, with a beta that was chosen there."""
    beta = score.choice("beta")
    is_default = beta is None or beta == GrowConfig().beta
    return str(score.valid) if is_default else f"{score.valid} (β {beta:g})"


def _test_table(
    title: str, scores: Scores, datasets: Sequence[str], quoted: Sequence[str]
) -> Table:
    head = [
        "data set",
        *(f"{NAMES[system]}, test" for system in SYSTEMS),
        *(f"{QUOTED[name]} \\*" for name in quoted),
        "paper's LearnSPN †",
        "paper's SoftLearn †",
    ]
    body = []
    for dataset in datasets:
        published = comparison()[dataset]
        found = [better(scores, dataset, system) for system in SYSTEMS]
        ours = [None if score is None else score.test.mean for score in found]
        others = [published[name] for name in quoted]
        known = [value for value in (*ours, *others) if value is not None]
        numbers = [*ours, *others]
        line = [_strong(value, value == max(known)) for value in numbers]
        own = [shown(published["learnspn_correia"]), shown(published["softlearn"])]
        body.append([dataset, *line, *own])
    note = (
        "Ours: mean over seeds of the better of EM and k-means, chosen on the validation split. "
        f"**Strong**: best on the test split. {_QUOTED_NOTE}"
    )
    return Table(title, head, body, note)


def _strong(value: float | None, is_best: bool) -> str:
    return f"**{shown(value)}**" if is_best else shown(value)


def _draw(scores: Scores, datasets: Sequence[str]) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    table = []
    for dataset in datasets:
        base = better(scores, dataset, "learnspn")
        if base is None:
            continue
        share = 100.0 / abs(base.test.mean)
        for clustering in CLUSTERINGS:
            score = scores.get((dataset, "softlearn", clustering))
            if score is not None:
                table.append(
                    {
                        "dataset": dataset,
                        "system": f"SoftLearn, {NAMES[clustering]}",
                        "value": share * (score.test.mean - base.test.mean),
                        "sd": share * (score.test.sd or 0.0),
                    }
                )
    figure = Figure(figsize=(6.4, 1.2 + 0.3 * len(datasets)), layout="constrained")
    ax = figure.add_subplot()
    if table:
        draw_comparison(table, ax=ax)
    ax.axvline(0.0, color=style.QUIET, linewidth=1.0)
    ax.set_xlabel("gain over LearnSPN on the test split, per cent", fontsize=style.NORMAL)
    return figure
