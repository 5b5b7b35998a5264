"""The axes that plots draw on: the caller's, or those of a new figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from softlearn.errors import MissingDependencyError, SoftlearnError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AxesGrid: TypeAlias = npt.NDArray[Any]  # of Axes


def pyplot() -> Any:  # noqa: ANN401 - the module
    """Return matplotlib's pyplot, or say how to install it."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra, wanted only here
    except ImportError as error:
        raise MissingDependencyError(
            'plots need matplotlib: pip install "softlearn[plot]"'
        ) from error
    return plt


def one_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the caller's axes, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    found: Axes = pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return found


def grid_of(
    axes: AxesGrid | Sequence[Axes] | None, n: int, across: int, width: float, height: float
) -> AxesGrid:
    """Return n axes: the caller's, or those of a new figure, so many across and each this large."""
    if axes is not None:
        return exactly(axes, n)
    across = min(n, across)
    down = math.ceil(n / across)
    figure = pyplot().figure(figsize=(across * width, down * height), layout="constrained")
    return np.array([figure.add_subplot(down, across, 1 + i) for i in range(n)], dtype=object)


def exactly(axes: AxesGrid | Sequence[Axes], n: int) -> AxesGrid:
    """Return the caller's axes in a row, if there are as many as needed."""
    given = np.asarray(axes, dtype=object).ravel()
    if given.size != n:
        raise SoftlearnError(f"axes holds {given.size} axes, but {n} are needed")
    return given


def figure_of(axes: AxesGrid) -> Figure:
    """Return the figure that a grid of axes belongs to."""
    figure: Figure = axes.ravel()[0].figure
    return figure
