"""Columns cut into cells for drawing, and how much each leaf of a circuit puts into each cell.

What a leaf puts into a cell does not depend on the evidence. It is computed once; after that the
posterior of a column is one product of matrices for any number of rows of evidence.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import Circuit, cells_of, same_shape
from softlearn.leaf import Cells, Interval, Listed, Scaled
from softlearn.numeric_policy import STEP_TOLERANCE
from softlearn.table import Column

N_CELLS = 72  # that a column of numbers is drawn with
_MOST_NUMBERS = 60  # whole numbers up to which each has a cell of its own


class CutNumbers:
    """A column of numbers or times, cut at edges of equal distance.

    Attributes
    ----------
    edges
        (cells + 1,) the edges of the cells that are drawn.
    mass
        (leaves, cells + 2) what each leaf puts below the first edge, into each cell, and above the
        last edge; missing cells are left out.
    missing
        (leaves,) the probability of a missing cell, where these are modelled.
    centre, first, second
        A place in the middle, and the first and second moment of each leaf around it, (leaves,).
    leaves, shapes
        The leaves in the circuit, and their parameters by family.
    """

    def __init__(self, circuit: Circuit, position: int, edges: Floats) -> None:
        self.position, self.edges = position, edges
        self.column = circuit.schema.columns[position]
        self._cells = cells_of(self.column)
        self.leaves: Ids = np.flatnonzero(circuit.leaf_column == position).astype(np.int32)
        self.shapes = list(same_shape(circuit, self.leaves))
        self.centre = float(0.5 * (edges[0] + edges[-1]))
        n_leaves = self.leaves.size
        self.missing, self.first, self.second = np.zeros((3, n_leaves))
        width = edges.size + 1 if self._cells is None else self._cells.n
        self._own = np.empty((n_leaves, width))
        self._fill()
        self.mass = self._own
        if self._cells is not None:
            self.mass = self._own @ self._inside_cells(self._cells).T

    def quantiles_of_cells(self, weights: Floats, levels: Floats) -> Floats:
        """Return where the mixture of leaves over a scale passes the levels."""
        assert self._cells is not None
        held = weights @ np.where(np.isposinf(self._cells.left), 0.0, self._own)
        return self._cells.draw(held / held.sum(), levels, None)

    def finest(self, region: Interval | Listed | None) -> Floats:
        """Return what each leaf puts into the finest cells there are, (leaves, cells).

        They are the cells of the column's scale, of which missing is one, or else those that are
        drawn. ``region`` is what is known of the column itself.
        """
        if region is None:
            return self._own
        if self._cells is not None:
            held = self._own * self._cells.inside(region).share
        else:
            assert isinstance(region, Interval)
            start, end = _between(self.edges, 0.0)
            part = Interval(np.fmax(start, region.lo), np.fmin(end, region.hi))
            held = np.empty(self._own.shape)
            for family, where, params in self.shapes:
                held[where] = np.exp(family.log_mass(params[:, None, :], part))
        total = held.sum(axis=1, keepdims=True)
        return np.asarray(held / np.where(total > 0.0, total, 1.0))

    def _fill(self) -> None:
        for family, where, params in self.shapes:
            self.first[where] = family.moment(params, 1, self.centre)
            self.second[where] = family.moment(params, 2, self.centre)
            if self._cells is None:
                mass = family.log_mass(params[:, None, :], _between(self.edges, 0.0))
                self._own[where] = np.exp(mass)
                continue
            assert isinstance(family, Scaled)
            self._own[where] = family.probabilities(params)
            self.missing[where] = self._own[where] @ np.isposinf(self._cells.left)

    def _inside_cells(self, cells: Cells) -> Floats:
        """Return how much of each cell of the scale lies in each drawn cell, (drawn, cells)."""
        return cells.inside(_between(self.edges, STEP_TOLERANCE * cells.step)).share


def _between(edges: Floats, slack: float) -> Interval:
    """Return the cells below, between and above the edges; a value on an edge counts once."""
    start = np.append(-np.inf, edges)
    start[1:] = edges + slack if slack else np.nextafter(edges, np.inf)
    return Interval(start, np.append(edges, np.inf))


def even_edges(column: Column, low: float, high: float, n_cells: int = N_CELLS) -> Floats:
    """Return edges of equal distance from low to high; whole numbers are never cut apart."""
    if high <= low:
        room = max(abs(low) / 100, 0.5)
        low, high = low - room, high + room
    if column.kind != "integer":
        return np.linspace(low, high, n_cells + 1)
    low, high = np.floor(low), np.ceil(high)
    n = high - low + 1.0
    step = 1.0 if n <= min(_MOST_NUMBERS, n_cells) else float(np.ceil(n / n_cells))
    return np.asarray(low - 0.5 + step * np.arange(np.ceil(n / step) + 1.0))
