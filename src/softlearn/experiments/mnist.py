"""Handwritten nines and fives: drawn images, held-out likelihood, and lower halves filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.datasets import load_mnist
from softlearn.datasets.mnist import N_PIXELS
from softlearn.experiments.bitmaps import as_images, as_text
from softlearn.experiments.cell import NAMES, SYSTEMS, Cell, Row
from softlearn.experiments.choices import Choices
from softlearn.experiments.document import Block, Document, Paragraph, Picture, Table
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.fitting import fit
from softlearn.experiments.summaries import groups, in_order, spread
from softlearn.show.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DATASETS: Final = {"mnist-9": 9, "mnist-5": 5}  # the digits of the paper's figure
VALID: Final = 6  # each image at this interval is held out, as in Binary MNIST
SIGNIFICANCE: Final = 0.001  # the paper does not say; the middle of its grid
SIDE: Final = 28  # pixels
ACROSS: Final = 8  # drawn images in a row and in a column
N_FILLED: Final = 6  # images whose lower half is filled in
FILLINGS: Final = 5  # of each


def cells(choices: Choices) -> list[Cell]:
    """Return both systems with EM on both digits."""
    return [
        Cell(
            dataset=dataset,
            system=system,
            p=SIGNIFICANCE,
            max_rows=choices.max_rows,
            seed=seed,
        )
        for dataset in choices.datasets(tuple(DATASETS))
        for system in choices.systems_of(SYSTEMS)
        for seed in choices.seeds_or(1)
    ]


def measure(cell: Cell) -> Mapping[str, Any]:
    """Learn one digit; score and draw images, and fill in the lower halves of test images."""
    images = load_mnist(digit=DATASETS[cell.dataset])
    held_out = np.arange(len(images.train)) % VALID == VALID - 1
    fitted = fit(cell, images.train[~held_out])
    model = fitted.model
    upper = images.test[:N_FILLED].astype(np.float64)
    upper[:, N_PIXELS // 2 :] = np.nan
    drawn = model.sample(ACROSS**2, random_state=cell.seed)
    filled = model.sample(FILLINGS, given=upper, random_state=cell.seed)
    return {
        "valid": model.score(images.train[held_out]),
        "test": model.score(images.test),
        **fitted.size,
        "drawn": as_text(drawn),
        "shown": as_text(images.test[:N_FILLED]),
        "filled": as_text(filled),
    }


def cost(cell: Cell) -> float:
    """Return one: all cells are about as long."""
    return 1.0


def document(rows: Sequence[Row]) -> Document:
    """Return the scores and the pictures of the first seed."""
    datasets = in_order(rows, tuple(DATASETS))
    by_system = groups(rows, "dataset", "system")
    body = [
        [f"{DATASETS[dataset]}, {NAMES[system]}", *_told(by_system[dataset, system])]
        for dataset in datasets
        for system in SYSTEMS
        if (dataset, system) in by_system
    ]
    blocks: list[Block] = [
        Paragraph(
            "Images of one handwritten digit, 28 × 28 pixels of ink or paper, learnt by EM with "
            f"significance {SIGNIFICANCE:g}. Mean log-likelihood of a held-out image in nats."
        ),
        Table("Held-out images", ["digit", "valid", "test", "nodes", "seconds"], body),
        Picture(
            "mnist-drawn",
            "Images drawn from the circuits: not rows of the table, but new ones.",
            lambda: _figure(by_system, datasets, _draw_grid, width=3.4, height=3.6),
        ),
        Picture(
            "mnist-filled",
            "Lower halves filled in: an image of the test split, what the circuit was shown of "
            f"it, and {FILLINGS} exact conditional samples.",
            lambda: _figure(by_system, datasets, _draw_filled, width=3.6, height=3.3),
        ),
    ]
    return Document("Handwritten digits", blocks)


def _told(rows: Sequence[Row]) -> list[str]:
    return [
        str(spread(rows, "valid")),
        str(spread(rows, "test")),
        f"{spread(rows, 'n_nodes').mean:,.0f}",
        f"{spread(rows, 'seconds').mean:.1f}",
    ]


def _figure(
    by_system: Mapping[tuple[Any, ...], Sequence[Row]],
    datasets: Sequence[str],
    draw: Any,  # noqa: ANN401 - a function of a row and axes
    *,
    width: float,
    height: float,
) -> Figure:
    """Draw something of each system's first row: systems side by side, digits below each other."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(width * len(SYSTEMS), height * len(datasets)), layout="constrained")
    for line, dataset in enumerate(datasets):
        for place, system in enumerate(SYSTEMS):
            ax = figure.add_subplot(len(datasets), len(SYSTEMS), line * len(SYSTEMS) + place + 1)
            ax.axis("off")
            if (dataset, system) in by_system:
                draw(by_system[dataset, system][0], ax)
                style.title(ax, f"{NAMES[system]}, digit {DATASETS[dataset]}")
    return figure


def _draw_grid(row: Row, ax: Axes) -> None:
    images = as_images(row["drawn"], N_PIXELS)
    _show(ax, _tiled(images, ACROSS))


def _draw_filled(row: Row, ax: Axes) -> None:
    shown = as_images(row["shown"], N_PIXELS).astype(np.float64)
    filled = as_images(row["filled"], N_PIXELS).astype(np.float64)
    upper = shown.copy()
    upper[:, N_PIXELS // 2 :] = 0.25  # grey: hidden
    filled = filled.reshape(len(shown), FILLINGS, N_PIXELS)
    lines = np.concatenate([shown[:, None], upper[:, None], filled], axis=1)
    _show(ax, _tiled(lines.reshape(-1, N_PIXELS), 2 + FILLINGS))


def _tiled(images: AnyArray, across: int) -> AnyArray:
    """Return one image of all images, with a pixel of grey between them."""
    framed = np.pad(
        images.reshape(-1, SIDE, SIDE).astype(np.float64),
        ((0, 0), (1, 1), (1, 1)),
        constant_values=0.5,
    )
    down = len(images) // across
    size = SIDE + 2
    grid = framed.reshape(down, across, size, size).swapaxes(1, 2)
    return grid.reshape(down * size, across * size)


def _show(ax: Axes, image: AnyArray) -> None:
    ax.imshow(image, cmap="gray_r", vmin=0.0, vmax=1.0, interpolation="nearest")


MNIST: Final = Experiment(name="mnist", cells=cells, measure=measure, cost=cost, document=document)
