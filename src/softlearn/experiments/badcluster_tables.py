"""The results of the illustration of a bad split, as text and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from softlearn.experiments.cell import NAMES, SYSTEMS, Row
from softlearn.experiments.document import Block, Document, Paragraph, Picture, Table
from softlearn.experiments.summaries import groups, shown
from softlearn.experiments.two_gaussians import TRUTH, drawn
from softlearn.show.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The paper's two expressions: weight of a side, and below it for each branch the weight, mean and
# deviation of X, mean and deviation of Y.
_Expression = tuple[tuple[float, tuple[tuple[float, ...], ...]], ...]
PAPER: Final[dict[str, _Expression]] = {
    "learnspn": (
        (0.49, ((0.7, -1.0, 0.69, -2.0, 0.2), (0.3, -0.69, 0.54, 2.01, 0.2))),
        (0.51, ((0.31, 0.64, 0.53, -1.98, 0.2), (0.69, 0.98, 0.68, 2.0, 0.19))),
    ),
    "softlearn": (
        (0.5, ((0.5, -0.51, 1.01, -1.99, 0.2), (0.5, 0.48, 0.99, 2.0, 0.2))),
        (0.5, ((0.51, -0.47, 0.99, -1.99, 0.2), (0.49, 0.52, 1.0, 2.0, 0.2))),
    ),
}
_MARKS: Final = {"learnspn": ("^", style.ALERT), "softlearn": ("D", style.INK)}


def document(rows: Sequence[Row]) -> Document:
    """Return the two expressions, their scores, and the picture of the first seed."""
    first = min(row["seed"] for row in rows)
    own = {
        system: found[0]
        for (seed, system), found in groups(rows, "seed", "system").items()
        if seed == first
    }
    systems = [system for system in SYSTEMS if system in own]
    blocks: list[Block] = [
        Paragraph(
            f"{_expression(((1.0, TRUTH),))} is drawn from, 1,000 rows of each part. The root is "
            "split at x = 0, which is wrong; below it rows are split by the sign of y, which is "
            "right. LearnSPN learns cut-off Gaussians, because each row is on one side of the "
            "line; SoftLearn, whose rows are on both, learns those that the rows come from."
        ),
        *(
            Table(
                f"{NAMES[system]}: what is learnt",
                ["side", "branch", "weight", "mean x", "sd x", "mean y", "sd y"],
                _body(system, own[system]),
                f"Ours: {_expression(_learnt(own[system]))}. The paper: "
                f"{_expression(PAPER[system])}.",
            )
            for system in systems
        ),
        _scores(own, systems),
        _merged(own, systems),
        Picture(
            "badcluster",
            "The rows, the forced split (grey), and the means that both learners find.",
            lambda: _draw(own, systems, first),
        ),
    ]
    return Document("A bad split", blocks)


def _learnt(row: Row) -> _Expression:
    sides = zip(row["weights"], row["branches"], strict=True)
    return tuple((weight, tuple(map(tuple, branches))) for weight, branches in sides)


def _expression(sides: _Expression) -> str:
    """Return a circuit in the paper's flat notation."""
    texts = []
    for side, branches in sides:
        inner = " ⊕ ".join(
            f"{weight:.2f} · N_x({mean_x:.2f}, {sd_x:.2f}) ⊗ N_y({mean_y:.2f}, {sd_y:.2f})"
            for weight, mean_x, sd_x, mean_y, sd_y in branches
        )
        texts.append(inner if len(sides) == 1 else f"{side:.2f} ({inner})")
    return f"`{' ⊕ '.join(texts)}`"


def _body(system: str, row: Row) -> list[list[str]]:
    body = []
    pairs = zip(("left", "right"), _learnt(row), PAPER[system], strict=True)
    for name, (weight, branches), (paper_weight, paper_branches) in pairs:
        for ours, paper in zip(branches, paper_branches, strict=True):
            numbers = [f"{a:.2f} (paper {b:.2f})" for a, b in zip(ours, paper, strict=True)]
            side = f"{name}, {weight:.2f} (paper {paper_weight:.2f})"
            body.append([side, "below" if ours[3] < 0 else "above", *numbers])
    return body


def _scores(own: dict[str, Row], systems: Sequence[str]) -> Table:
    truth = own[systems[0]]["test_of_truth"]
    body = [
        [NAMES[system], shown(own[system]["test"]), shown(truth - own[system]["test"])]
        for system in systems
    ]
    head = ["circuit", "log-density of fresh rows", "lost to the truth"]
    return Table("What the split costs", head, [*body, ["the truth", shown(truth), shown(0.0)]])


def _merged(own: dict[str, Row], systems: Sequence[str]) -> Table:
    body, texts = [], []
    for system in systems:
        found = own[system]["merged"]
        lost = own[system]["test_of_truth"] - found["test"]
        nodes = [str(own[system]["n_nodes"]), str(found["nodes"])]
        body.append([NAMES[system], *nodes, f"{found['loss']:.6f}", shown(lost)])
        if found["parts"]:
            parts = _expression(((1.0, tuple(map(tuple, found["parts"]))),))
            texts.append(f"What is left of {NAMES[system]}: {parts}.")
    head = ["circuit", "nodes", "merged", "lost by merging", "lost to the truth"]
    note = (
        "`model.compress(rows, max_loss=0.001)` makes leaves and sums one that the rows hardly "
        "tell apart, and loses no more than so many nats per row. "
    )
    return Table("Parts that are nearly alike, merged", head, body, note + " ".join(texts))


def _draw(own: dict[str, Row], systems: Sequence[str], seed: int) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    ax = figure.add_subplot()
    style.quiet(ax)
    x, y = drawn(seed)
    ax.plot(x, y, ".", color="#7fbf9e", markersize=2.5, alpha=0.6, label="rows")
    ax.axvline(0.0, color=style.QUIET, linewidth=2.0, label="forced split")
    for system in systems:
        means = np.array(
            [pair for _, branches in _learnt(own[system]) for pair in branches], dtype=np.float64
        )
        marker, colour = _MARKS[system]
        ax.plot(
            means[:, 1],
            means[:, 3],
            marker,
            color=colour,
            markersize=9,
            markeredgecolor="white",
            label=f"means of {NAMES[system]}",
        )
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    ax.set_ylim(-3.0, 3.4)
    style.legend(ax, loc="center left")
    return figure
