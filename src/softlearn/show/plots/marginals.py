"""Every column by itself: the table beside the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.show.arguments import positions_of, require_model
from softlearn.show.distributions import GivenDistributions
from softlearn.show.plots import scale, style
from softlearn.show.plots.canvas import AxesGrid, figure_of, grid_of, pyplot
from softlearn.show.plots.levels import shown_levels
from softlearn.show.wording import share_text
from softlearn.table import encode

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACROSS = 4
_MOST_COLUMNS = 60  # unless the caller names them: more cannot be read, and take long to draw
_MOST_LEVELS = 8
_FINENESS = 240  # steps of a density curve
_LABEL_WIDTH = 0.2  # of the axis; labels that are closer stand below each other
_CLIP = 3.0  # a spike may be this many times as tall as the tallest bar


def marginals(
    model: Model,
    frame: Frame | None = None,
    columns: Sequence[str] | None = None,
    *,
    unknown: Unknown = "error",
    axes: AxesGrid | Sequence[Axes] | None = None,
) -> AxesGrid:
    """Draw each column's distribution, beside the rows of a table if there is one.

    Levels are bars, numbers and times a line over a histogram. The model is blue, the table grey.
    Where a value stands out so far that nothing else could be seen, its bar is clipped and its
    probability written beside it.

    Parameters
    ----------
    model : Model
        The model.
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array, optional
        Rows to compare with; missing cells are left out, and their share is written down. Columns
        that the model does not have are ignored.
    columns : list of str, optional
        The columns to draw; by default all, or the first sixty.
    unknown : {"error", "missing"}
        Whether an unknown level is an error, or treated as missing.
    axes : array of Axes, optional
        Where to draw, one for each column; by default a new figure.

    Returns
    -------
    array of Axes, one for each column
    """
    require_model(model)
    names = model.schema.names[:_MOST_COLUMNS] if columns is None else columns
    positions = positions_of(model, names)
    values = None if frame is None else encode(frame, model.schema, unknown=unknown, extra="ignore")
    pyplot()  # a missing matplotlib is reported before anything is computed
    painter = MarginalPainter(model, positions, values)
    grid = grid_of(axes, len(positions), _ACROSS, 2.9, 2.0)
    for ax, position in zip(grid, positions, strict=True):
        painter.draw(ax, position)
        style.title(ax, model.schema.names[position], painter.note(position))
    if axes is None:
        _explain(grid, values is not None, len(model.schema) - len(positions), columns is None)
    return grid


class MarginalPainter:
    """Draws single columns: the model, and the table's cells (columns, rows) if there are any."""

    def __init__(
        self,
        model: Model,
        positions: Sequence[int],
        values: Floats | None,
        *,
        narrow: bool = False,  # the axes have room for few ticks
    ) -> None:
        self._narrow = narrow
        self._columns = model.schema.columns
        self._beliefs = GivenDistributions(model, positions)
        self._values = values
        numbers = [i for i in positions if not self._columns[i].is_discrete]
        ends = scale.model_ranges(self._beliefs, numbers)
        self._ends = dict(zip(numbers, ends, strict=True))

    def draw(self, ax: Axes, position: int) -> None:
        """Draw one column."""
        style.quiet(ax)
        if self._columns[position].is_discrete:
            self._draw_levels(ax, position)
        elif self._columns[position].scale is not None:
            self._draw_bars(ax, position)
        else:
            self._draw_density(ax, position)

    def note(self, position: int) -> str:
        """Return how many cells are missing, if any."""
        cells = np.empty(0) if self._values is None else self._values[position]
        missing = float((~np.isfinite(cells)).mean()) if cells.size else 0.0
        return f"{share_text(missing)} missing" if missing else ""

    def ends(self, position: int) -> Floats:
        """Return the two ends of a continuous column's axis."""
        ends, observed = self._ends[position], self._observed(position)
        if not observed.size:
            return ends
        seen = scale.data_range(observed)
        return np.array([min(ends[0], seen[0]), max(ends[1], seen[1])])

    def importance(self, position: int) -> Floats:
        """Return how common each level of a discrete column is, in the model and in the table."""
        return self._beliefs.levels(position) + self._seen(position)

    def _observed(self, position: int) -> Floats:
        """Return the cells that are not missing."""
        cells = np.empty(0) if self._values is None else self._values[position]
        return cells[np.isfinite(cells)]  # infinity is a missing cell where these are modelled

    def _seen(self, position: int) -> Floats:
        """Return the share of each level among the observed cells; nothing if there are none."""
        observed, n = self._observed(position), self._columns[position].n_levels
        return np.bincount(observed.astype(np.intp), minlength=n) / max(observed.size, 1)

    def _draw_levels(self, ax: Axes, position: int) -> None:
        """Draw a narrow bar of the model on a wide one of the table for each level."""
        believed, observed = self._beliefs.levels(position), self._observed(position)
        shown = shown_levels(self._columns[position], self.importance(position), _MOST_LEVELS)
        places = np.arange(len(shown.names))
        if observed.size:
            seen = shown.gathered(self._seen(position))
            ax.barh(places, seen, 0.82, color=style.DATA, label="table")
        width = 0.34 if observed.size else 0.7
        ax.barh(places, shown.gathered(believed), width, color=style.MODEL, label="model")
        ax.set_yticks(places, shown.names)
        ax.set_ylim(max(len(places), 3) - 0.4, -0.6)  # the first level on top
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        style.share_axis(ax, "x", narrow=self._narrow)

    def _draw_density(self, ax: Axes, position: int) -> None:
        """Draw the curve of the model over a histogram of the table."""
        column, observed = self._columns[position], self._observed(position)
        edges = scale.bins(column, self.ends(position), observed)
        tallest = self._density(position, edges).max()
        if observed.size:
            heights = np.histogram(observed, edges)[0] / observed.size / np.diff(edges)
            tallest = max(tallest, heights.max())
            place = scale.as_axis(column, edges)
            ax.stairs(heights, place, fill=True, color=style.DATA, label="table")
        fine = np.linspace(edges[0], edges[-1], _FINENESS + 1)
        curve, middle = self._density(position, fine), scale.as_axis(column, scale.middles(fine))
        ax.plot(middle, curve, color=style.MODEL, linewidth=1.5, label="model")
        if not observed.size:
            ax.fill_between(middle, curve, color=style.MODEL, alpha=0.15, linewidth=0)
        ax.set_ylim(0.0, 1.08 * max(tallest, min(curve.max(), _CLIP * tallest)))
        ax.set_xlim(*scale.as_axis(column, edges[[0, -1]]).tolist())
        style.bars_only(ax)
        scale.dress(ax, column, "x", narrow=self._narrow)

    def _draw_bars(self, ax: Axes, position: int) -> None:
        """Draw a column with a scale: the model as a line over bars of the same width."""
        column, observed = self._columns[position], self._observed(position)
        edges = scale.bins(column, self.ends(position), observed, fine=True)
        place, heights = scale.as_axis(column, edges), self._density(position, edges)
        tallest = heights
        if observed.size:
            seen = np.histogram(observed, edges)[0] / observed.size / np.diff(edges)
            ax.stairs(seen, place, fill=True, color=style.DATA, label="table")
            tallest = np.maximum(heights, seen)
        if not observed.size:
            ax.stairs(heights, place, fill=True, color=style.MODEL, alpha=0.15, linewidth=0)
        ax.stairs(heights, place, color=style.MODEL, linewidth=1.4, label="model")
        top = self._top(position, edges, tallest)
        self._name_spikes(ax, position, edges, tallest > top)
        ax.set_ylim(0.0, 1.08 * top)
        ax.set_xlim(*place[[0, -1]].tolist())
        style.bars_only(ax)
        scale.dress(ax, column, "x", narrow=self._narrow)

    def _top(self, position: int, edges: Floats, heights: Floats) -> float:
        """Return the height at which spikes are clipped, so that all other bars can be seen."""
        atoms = self._columns[position].scale
        assert atoms is not None
        holds_atom = np.histogram(atoms.atoms, edges)[0] > 0
        others = heights[~holds_atom].max(initial=0.0) or heights.max()
        return float(min(heights.max(), _CLIP * others))

    def _name_spikes(self, ax: Axes, position: int, edges: Floats, clipped: Bools) -> None:
        """Write the model's probability of clipped bars."""
        column, share = self._columns[position], self._beliefs.between(position, edges)
        right = scale.as_axis(column, edges[1:])
        apart, last, line = _LABEL_WIDTH * (right[-1] - right[0]), -np.inf, 0
        for bar in np.flatnonzero(clipped).tolist():
            line = line + 1 if right[bar] - last < apart else 0
            last = right[bar]
            ax.annotate(
                share_text(float(share[bar])),
                (right[bar], 0.97),
                (4, -style.SMALL * line),
                xycoords=ax.get_xaxis_transform(),
                textcoords="offset points",
                va="top",
                fontsize=style.SMALL - 1,
                color=style.MODEL,
            )

    def _density(self, position: int, edges: Floats) -> Floats:
        """Return the mean density between edges, which no spike can slip through."""
        return self._beliefs.between(position, edges) / np.diff(edges)


def _explain(grid: AxesGrid, with_table: bool, n_left: int, chosen_here: bool) -> None:
    """Write the legend below a new figure, and what is not shown."""
    notes = ["blue: the model, grey: the table"] if with_table else []
    if n_left and chosen_here:
        notes.append(f"{n_left} more columns: name them with columns=[…]")
    if notes:
        text = " · ".join(notes)
        figure_of(grid).supxlabel(text, fontsize=style.SMALL, color=style.QUIET)
