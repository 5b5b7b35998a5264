"""Pairs of columns: the joint distribution as heat, exactly from the circuit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.query.dependence import dependence_bound
from softlearn.query.joint import joint_tables
from softlearn.show.arguments import positions_of, require_model
from softlearn.show.cells import Cells, over_cells, quantile_cells
from softlearn.show.dependence import compared_columns, strongest
from softlearn.show.plots import style
from softlearn.show.plots.canvas import AxesGrid, exactly, pyplot
from softlearn.show.plots.marginals import MarginalPainter
from softlearn.show.plots.pair_axis import PairAxis
from softlearn.show.wording import share_text
from softlearn.table import encode

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CHOSEN = 5  # columns that are drawn if the caller names none
_INCHES = 2.1
_GAMMA = 0.4  # power of the density that is drawn: with spikes, more would hide all the rest
_DOTS = 400  # rows of the table that are drawn
_STRIDES = (0.7549, 0.5698)  # of a low-discrepancy sequence in the plane: no lines, no clumps
_MOST_LABELLED = 30  # cells of a table of levels that have room for numbers


def pairs(
    model: Model,
    frame: Frame | None = None,
    columns: Sequence[str] | None = None,
    *,
    unknown: Unknown = "error",
    axes: AxesGrid | None = None,
) -> AxesGrid:
    """Draw the joint distribution of each pair of columns, and each column by itself.

    The darker a place, the more probable it is; the scale is compressed, so that what is rare can
    be seen. Rows of a table are dots on top of it.

    Parameters
    ----------
    model : Model
        The model.
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array, optional
        Rows to compare with; at most 400 of them are drawn, evenly spaced.
    columns : list of str, optional
        The columns; by default the five that depend most on the others.
    unknown : {"error", "missing"}
        Whether an unknown level is an error, or treated as missing.
    axes : array of Axes of shape (columns, columns), optional
        Where to draw; by default a new figure.

    Returns
    -------
    array of Axes, (columns, columns); those above the diagonal are empty
    """
    require_model(model)
    positions = _most_dependent(model) if columns is None else positions_of(model, columns)
    values = None if frame is None else encode(frame, model.schema, unknown=unknown, extra="ignore")
    pyplot()  # a missing matplotlib is reported before anything is computed
    k = len(positions)
    painter = MarginalPainter(model, positions, values, narrow=True)
    sides = {position: PairAxis.of(model, position, painter) for position in positions}
    tables = joint_tables(_over_axes(model, sides), positions) if k > 1 else {}
    grid = _square(axes, k)
    for at, position in enumerate(positions):
        painter.draw(grid[at, at], position)
        style.title(grid[at, at], model.schema.names[position])
    for left, below in combinations(range(k), 2):
        x, y = sides[positions[left]], sides[positions[below]]
        ax = grid[below, left]
        _draw_heat(ax, x, y, tables[positions[left], positions[below]], values)
        x.write(ax, "x", named=below == k - 1)
        y.write(ax, "y", named=left == 0)
        grid[left, below].axis("off")
    return grid


def _over_axes(model: Model, sides: dict[int, PairAxis]) -> Circuit:
    """Return the circuit over the cells of the axes; numbers without an axis stay whole."""
    cells = [
        Cells(column, sides[i].cuts if i in sides else np.empty(0))
        for i, column in enumerate(model.schema)
    ]
    return over_cells(model.circuit, cells)


def _square(axes: AxesGrid | None, k: int) -> AxesGrid:
    """Return k × k axes: the caller's, or those of a new figure."""
    if axes is not None:
        return exactly(axes, k * k).reshape(k, k)
    size = max(_INCHES * k, 3.0)
    figure = pyplot().figure(figsize=(size, size), layout="constrained")
    grid: AxesGrid = figure.subplots(k, k, squeeze=False)
    return grid


def _most_dependent(model: Model) -> list[int]:
    """Return the columns of the strongest dependencies, in the order of the table."""
    cells = quantile_cells(model)
    twin = over_cells(model.circuit, cells)
    compared = compared_columns(twin, dependence_bound(twin))
    found = strongest(twin, cells, compared, _CHOSEN * _CHOSEN) if len(compared) > 1 else []
    in_pairs = [name for pair in found for name in (pair.first, pair.second)]
    names = dict.fromkeys([*in_pairs, *model.schema.names])  # each once, the strongest first
    return sorted(model.schema.index(name) for name in list(names)[:_CHOSEN])


def _draw_heat(ax: Axes, x: PairAxis, y: PairAxis, mass: Floats, values: Floats | None) -> None:
    """Draw the joint density of two columns, and the rows of a table as dots."""
    from matplotlib.colors import PowerNorm  # noqa: PLC0415

    shown = x.gathered(y.gathered(mass).T).T  # (x, y)
    density = shown / np.outer(np.diff(x.edges), np.diff(y.edges))
    norm = PowerNorm(_GAMMA, vmin=0.0, vmax=max(float(density.max()), np.finfo(np.float64).tiny))
    ax.pcolormesh(x.edges, y.edges, density.T, cmap=style.heat_map(), norm=norm, rasterized=True)
    style.quiet(ax)
    if values is not None:
        known = np.isfinite(values[x.position]) & np.isfinite(values[y.position])
        rows = np.flatnonzero(known)
        rows = rows[:: max(1, -(-rows.size // _DOTS))]
        places = (
            side.places(values[side.position, rows], stride)
            for side, stride in zip((x, y), _STRIDES, strict=True)
        )
        ax.plot(*places, "o", color=style.DOT, markersize=1.8, alpha=0.8, markeredgewidth=0)
    elif x.levels and y.levels and density.size <= _MOST_LABELLED:
        _label_cells(ax, density)
    ax.set_xlim(x.edges[0], x.edges[-1])
    ax.set_ylim(y.edges[0], y.edges[-1])
    if y.levels:
        ax.invert_yaxis()  # the first level on top


def _label_cells(ax: Axes, share: Floats) -> None:
    """Write the probability of each pair of levels into its cell."""
    dark = 0.3 * share.max()
    for (i, j), value in np.ndenumerate(share):
        colour = "white" if value > dark else style.INK
        text = share_text(float(value))
        ax.text(i, j, text, ha="center", va="center", fontsize=style.SMALL - 1, color=colour)
