"""Columns cut into cells for drawing, and how much each leaf of a circuit puts into each cell.

What a leaf puts into a cell does not depend on the evidence. It is computed once; after that the
posterior of a column is one product of matrices for any number of rows of evidence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import Circuit, cells_of, same_shape
from softlearn.leaf import Cells, Interval, Listed, Scaled
from softlearn.model import Model
from softlearn.numeric_policy import STEP_TOLERANCE
from softlearn.query import Posteriors
from softlearn.show.beliefs import Beliefs
from softlearn.table import Column

_TAIL = 0.002  # of the probability that may lie beyond each end of an axis
_N_CELLS = 72
_STEPS = 9  # of the search for a quantile within its cell: beyond eight digits of the cell's width
_MOST_NUMBERS = 60  # whole numbers up to which each has a cell of its own


class Moments(NamedTuple):
    """Mean and standard deviation of a column in each row of evidence, (rows,)."""

    mean: Floats
    deviation: Floats


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
    """

    def __init__(self, circuit: Circuit, position: int, edges: Floats) -> None:
        self.position, self.edges = position, edges
        self.column = circuit.schema.columns[position]
        self._cells = cells_of(self.column)
        leaves = np.flatnonzero(circuit.leaf_column == position).astype(np.int32)
        self._centre = float(0.5 * (edges[0] + edges[-1]))
        self.missing = np.zeros(leaves.size)
        self._first, self._second = np.empty(leaves.size), np.empty(leaves.size)
        width = edges.size + 1 if self._cells is None else self._cells.n
        self._own = np.empty((leaves.size, width))
        self._inside: Floats | None = None
        self._fill(circuit, leaves)
        self.mass = self._own if self._inside is None else self._own @ self._inside.T

    def shares(self, found: Posteriors) -> Floats:
        """Return the probability of each cell in each row, (rows, cells + 2)."""
        weights = found.leaves(self.position)[1]
        total = weights @ self.mass
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def moments(self, found: Posteriors) -> Moments:
        """Return the mean and deviation in each row."""
        weights = found.leaves(self.position)[1]
        present = weights @ (1.0 - self.missing)
        first, second = weights @ self._first / present, weights @ self._second / present
        return Moments(self._centre + first, np.sqrt(np.maximum(second - first**2, 0.0)))

    def quantiles(self, weights: Floats, levels: Floats) -> Floats:
        """Return where the mixture with these weights of the leaves passes the levels.

        ``levels`` lie in the drawn cells; the distribution function is known at their edges.
        """
        if self._cells is not None:
            held = weights @ np.where(np.isposinf(self._cells.left), 0.0, self._own)
            return self._cells.draw(held / held.sum(), levels, None)
        below = np.cumsum(weights @ self.mass)[:-1]  # at each edge
        last = np.clip(np.searchsorted(below, levels), 1, below.size - 1)
        low, high = self.edges[last - 1], self.edges[last]
        low_gap, high_gap = below[last - 1] - levels, below[last] - levels
        for _ in range(_STEPS):  # regula falsi; the end that stays counts half, or it would stay
            rise = high_gap - low_gap
            middle = high - high_gap * (high - low) / np.where(rise == 0.0, 1.0, rise)
            gap = self._below(weights, middle) - levels
            crosses = gap * high_gap < 0.0
            low, low_gap = np.where(crosses, high, low), np.where(crosses, high_gap, 0.5 * low_gap)
            high, high_gap = middle, gap
        return high

    def _below(self, weights: Floats, points: Floats) -> Floats:
        """Return the distribution function of plain numbers at some points."""
        until = Interval(np.array(-np.inf), points)
        total = np.zeros(points.size)
        for family, where, params in self._shapes:
            total += weights[where] @ np.exp(family.log_mass(params[:, None, :], until))
        return total

    def finest_shares(self, found: Posteriors, region: Interval | Listed | None) -> Floats:
        """Return the probability of the finest cells there are, (rows, cells).

        They are the cells of the column's scale, of which missing is one, or else those that are
        drawn. ``region`` is what is known of the column itself, in all rows.
        """
        return np.asarray(found.leaves(self.position)[1] @ self._finest(region))

    def _finest(self, region: Interval | Listed | None) -> Floats:
        """Return what each leaf puts into the finest cells, given the region, (leaves, cells)."""
        if region is None:
            return self._own
        if self._cells is not None:
            held = self._own * self._cells.inside(region).share
        else:
            assert isinstance(region, Interval)
            start, end = _between(self.edges, 0.0)
            part = Interval(np.fmax(start, region.lo), np.fmin(end, region.hi))
            held = np.empty(self._own.shape)
            for family, where, params in self._shapes:
                held[where] = np.exp(family.log_mass(params[:, None, :], part))
        total = held.sum(axis=1, keepdims=True)
        return np.asarray(held / np.where(total > 0.0, total, 1.0))

    def _fill(self, circuit: Circuit, leaves: Ids) -> None:
        if self._cells is not None:
            self._inside = self._inside_cells(self._cells)
        self._shapes = list(same_shape(circuit, leaves))
        for family, where, params in self._shapes:
            self._first[where] = family.moment(params, 1, self._centre)
            self._second[where] = family.moment(params, 2, self._centre)
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


def cut_numbers(model: Model) -> dict[int, CutNumbers]:
    """Return every column of numbers or times of a model, by its position."""
    positions = [i for i, column in enumerate(model.schema) if not column.is_discrete]
    ends = Beliefs(model, positions).quantiles(positions, [_TAIL, 1.0 - _TAIL])
    return {
        position: CutNumbers(
            model.circuit, position, even_edges(model.schema.columns[position], *own)
        )
        for position, own in zip(positions, ends.tolist(), strict=True)
    }


def even_edges(column: Column, low: float, high: float) -> Floats:
    """Return edges of equal distance from low to high; whole numbers are never cut apart."""
    if high <= low:
        room = max(abs(low) / 100, 0.5)
        low, high = low - room, high + room
    if column.kind != "integer":
        return np.linspace(low, high, _N_CELLS + 1)
    low, high = np.floor(low), np.ceil(high)
    n = high - low + 1.0
    step = 1.0 if n <= _MOST_NUMBERS else float(np.ceil(n / _N_CELLS))
    return np.asarray(low - 0.5 + step * np.arange(np.ceil(n / step) + 1.0))
