"""One axis of a plot of two columns: its cells, ticks and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from softlearn.arrays import Floats
from softlearn.model import Model
from softlearn.show.plots import scale, style
from softlearn.show.plots.levels import ShownLevels, shown_levels
from softlearn.show.plots.marginals import MarginalPainter
from softlearn.table import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CELLS = 48  # that a column of numbers is cut into
_MOST_LEVELS = 8
_JITTER = 0.6  # of a level's width, over which the dots of its rows spread


@dataclass(frozen=True, eq=False)
class PairAxis:
    """An axis of a column.

    Attributes
    ----------
    position, column
        The column.
    cuts
        Where a continuous column is cut into cells, in its own unit.
    edges
        The borders of the drawn cells, in the unit of the axis.
    levels
        The levels that are drawn, of a discrete column.
    """

    position: int
    column: Column
    cuts: Floats
    edges: Floats
    levels: ShownLevels | None

    @staticmethod
    def of(model: Model, position: int, painter: MarginalPainter) -> PairAxis:
        """Return the axis of a column, as long as the one of its marginal."""
        column = model.schema.columns[position]
        if column.is_discrete:
            shown = shown_levels(column, painter.importance(position), _MOST_LEVELS)
            edges = np.arange(len(shown.names) + 1, dtype=np.float64) - 0.5
            return PairAxis(position, column, np.empty(0), edges, shown)
        cuts = scale.even_cuts(column, painter.ends(position), _CELLS)
        return PairAxis(position, column, cuts, scale.as_axis(column, cuts), None)

    def gathered(self, mass: Floats) -> Floats:
        """Return the mass of all cells, on the last axis, as that of the drawn ones."""
        return mass[..., 1:-1] if self.levels is None else self.levels.gathered(mass)

    def places(self, values: Floats, stride: float) -> Floats:
        """Return where values lie; those of one level are spread evenly, by steps of a stride."""
        if self.levels is None:
            return scale.as_axis(self.column, values)
        place = np.full(self.column.n_levels, self.levels.codes.size)
        place[self.levels.codes] = np.arange(self.levels.codes.size)
        spread = (np.arange(values.size) * stride) % 1.0 - 0.5
        return np.asarray(place[values.astype(np.intp)] + _JITTER * spread)

    def write(self, ax: Axes, which: Literal["x", "y"], *, named: bool) -> None:
        """Write the ticks and, if it is named, the column's name; else leave the axis bare."""
        axis = ax.xaxis if which == "x" else ax.yaxis
        if self.levels is not None:
            axis.set_ticks(list(range(len(self.levels.names))), labels=list(self.levels.names))
        else:
            scale.dress(ax, self.column, which, narrow=which == "x")
        if not named:
            ax.tick_params(axis=which, labelbottom=False, labelleft=False)
            return
        axis.set_label_text(style.axis_name(self.column), fontsize=style.NORMAL, color=style.INK)
        if self.levels is not None and which == "x":
            style.turn_long_names(ax, self.levels.names)
