"""The effect of parameters: likelihood by iterations, beta, significance and clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from softlearn.datasets import DEBD_NAMES
from softlearn.experiments.binary import cost, measure
from softlearn.experiments.cell import NAMES, Cell, Row, cell_of
from softlearn.experiments.choices import Choices
from softlearn.experiments.document import Block, Document, Paragraph, Picture, Table
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.summaries import groups, in_order, shown, spread
from softlearn.show.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SEEDS: Final = 3
DATASETS: Final = ("nltcs", "plants", "baudio", "dna")  # few and many columns; seconds a cell
# One parameter at a time differs from its default; only k-means has beta.
KNOBS: Final[dict[str, tuple[float, ...]]] = {
    "max_iter": (1, 2, 3, 5, 10, 30, 100),
    "beta": (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0),
    "p": (0.1, 0.03, 0.01, 0.003, 0.001, 0.0001, 0.00001),
    "n_clusters": (2, 3, 4, 6, 8),
}
TITLES: Final = {
    "max_iter": "iterations of each clustering, at most (EM)",
    "beta": "beta, hardness of memberships (k-means)",
    "p": "significance of the tests (EM)",
    "n_clusters": "clusters at a time (EM)",
}


def base(dataset: str, knob: str) -> Cell:
    """Return SoftLearn with its defaults and the clustering that has the parameter."""
    clustering = "kmeans" if knob == "beta" else "em"
    return Cell(dataset=dataset, system="softlearn", clustering=clustering)  # type: ignore[arg-type]


def cells(choices: Choices) -> list[Cell]:
    """Return all values of each parameter, the others at their defaults."""
    known = DEBD_NAMES if choices.only else DATASETS
    return [
        replace(base(dataset, knob), **{knob: value}, max_rows=choices.max_rows, seed=seed)  # type: ignore[arg-type]
        for dataset in choices.datasets(known)
        for knob, values in KNOBS.items()
        for value in values
        for seed in choices.seeds_or(SEEDS)
    ]


def document(rows: Sequence[Row]) -> Document:
    """Return one table and one panel for each parameter."""
    datasets = in_order(rows, DEBD_NAMES)
    blocks: list[Block] = [
        Paragraph(
            "Mean log-likelihood of a row of the test split in nats, mean over seeds, of SoftLearn "
            "with its defaults but for one knob."
        ),
        *(_table(rows, datasets, knob) for knob in KNOBS),
        Picture(
            "depth",
            "Test log-likelihood less that of the default (dashed), in per cent of it; higher is "
            "better.",
            lambda: _draw(rows, datasets),
        ),
    ]
    return Document("What the knobs do", blocks)


def curve(rows: Sequence[Row], dataset: str, knob: str) -> dict[Any, float]:
    """Return the mean test score by the parameter's value, the others at their defaults."""
    default = base(dataset, knob)
    own = [row for row in rows if _is_default_but(cell_of(row), default, knob)]
    means = {value: spread(same, "test").mean for (value,), same in groups(own, knob).items()}
    return dict(sorted(means.items()))


def _is_default_but(cell: Cell, default: Cell, knob: str) -> bool:
    turned = {knob: getattr(default, knob), "seed": default.seed, "max_rows": default.max_rows}
    return replace(cell, **turned) == default


def _table(rows: Sequence[Row], datasets: Sequence[str], knob: str) -> Table:
    body = []
    for dataset in datasets:
        found = curve(rows, dataset, knob)
        body.append([dataset, *(shown(found.get(value)) for value in KNOBS[knob])])
    head = ["data set", *(f"{value:g}" for value in KNOBS[knob])]
    clustering = NAMES[base("", knob).clustering]
    default = getattr(base("", knob), knob)
    return Table(f"`{knob}`, {clustering}", head, body, f"The default is {default:g}.")


def _draw(rows: Sequence[Row], datasets: Sequence[str]) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(9.6, 6.4), layout="constrained")
    for place, knob in enumerate(KNOBS):
        ax = figure.add_subplot(2, 2, place + 1)
        _draw_knob(ax, rows, datasets, knob)
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper left", ncols=len(names) or 1, frameon=False)
    return figure


def _draw_knob(ax: Axes, rows: Sequence[Row], datasets: Sequence[str], knob: str) -> None:
    style.quiet(ax, grid="y")
    positions = KNOBS[knob]
    if knob == "n_clusters":
        ax.set_xlim(positions[0] - 0.3, positions[-1] + 0.3)
    else:
        ax.set_xlim(min(positions) / 1.4, max(positions) * 1.4)
        ax.set_xscale("log")
    ax.set_xticks(positions, [f"{value:g}" for value in positions])
    ax.minorticks_off()
    for place, dataset in enumerate(datasets):
        found = curve(rows, dataset, knob)
        default = found.get(getattr(base(dataset, knob), knob))
        if default is None:
            continue
        gains = [100.0 * (value - default) / abs(default) for value in found.values()]
        ax.plot(
            list(found),
            gains,
            marker=style.MARKERS[place % len(style.MARKERS)],
            color=style.SERIES[place % len(style.SERIES)],
            markersize=4,
            label=dataset,
        )
    ax.axvline(getattr(base("", knob), knob), color=style.QUIET, linestyle="--", linewidth=1.0)
    ax.set_xlabel(TITLES[knob], fontsize=style.NORMAL)
    ax.set_ylabel("gain, per cent", fontsize=style.NORMAL)


DEPTH: Final = Experiment(name="depth", cells=cells, measure=measure, cost=cost, document=document)
