"""The demo's pictures, if matplotlib is installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softlearn.demo.findings import ASKED
from softlearn.demo.tables import Frame
from softlearn.model import Model
from softlearn.show import plots
from softlearn.show.plots.canvas import figure_of
from softlearn.whole_files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 110


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw(model: Model, table: Frame, folder: Path) -> dict[str, Path]:
    """Draw all pictures, and return what each shows and where it is."""
    import matplotlib as mpl  # noqa: PLC0415 - only those who have it

    pictures: dict[str, Callable[[], Figure]] = {
        "overview": lambda: overview(model, table),
        "marginals": lambda: figure_of(plots.marginals(model, table)),
        "pairs": lambda: figure_of(plots.pairs(model, table)),
        "structure": lambda: figure_of(np.array([plots.structure(model)])),
    }
    with mpl.rc_context({"backend": "agg"}):  # no window opens, and none is needed
        return {name: _save(paint(), folder / f"{name}.png") for name, paint in pictures.items()}


def overview(model: Model, table: Frame) -> Figure:
    """Return six pictures in one: columns by themselves, columns given others, and rows."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only those who have it

    figure, (above, below) = plt.subplots(2, 3, figsize=(11, 5.6), layout="constrained")
    plots.marginals(model, table, ["car", "age", "income"], axes=above)
    plots.conditional(model, ASKED, "km", ax=below[0])
    plots.conditional(model, "income", "age", ax=below[1])
    plots.likelihoods(model, table, ax=below[2])
    return figure


def _save(figure: Figure, path: Path) -> Path:
    """Write a picture, whole or not at all."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only those who have it

    try:
        with whole_file(path) as temporary:
            figure.savefig(temporary, format="png", dpi=_DOTS_PER_INCH)
    finally:
        plt.close(figure)
    return path
