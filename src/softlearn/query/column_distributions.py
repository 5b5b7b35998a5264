"""Distributions of single columns: levels, masses between edges, and quantiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.circuit import Circuit, cells_of, same_shape
from softlearn.leaf import Interval, Scaled
from softlearn.numeric_policy import STEP_TOLERANCE
from softlearn.query.evidence import Evidence
from softlearn.query.posteriors import posteriors

# Axes and cells begin and end near a quantile: a thousand-millionth of the range is near enough.
_HALVINGS = 30


class ColumnDistributions:
    """The distributions of some columns given one row of evidence, in one pass.

    Parameters
    ----------
    circuit
        The circuit.
    positions
        The columns, which the evidence must not contain.
    evidence
        One row; by default nothing is known.
    """

    def __init__(
        self, circuit: Circuit, positions: Sequence[int], evidence: Evidence | None = None
    ) -> None:
        known = evidence or Evidence.nothing(len(circuit.schema))
        self._circuit = circuit
        self._found = posteriors(circuit, known, columns=list(positions), impossible="nan")

    @property
    def is_impossible(self) -> Bools:
        """(1,) whether the evidence has probability zero; all other answers are then invalid."""
        return np.isneginf(self._found.log_likelihood)

    def levels(self, position: int) -> Floats:
        """Return the probability of each level of a discrete column."""
        return np.asarray(self._found.levels(position)[0])

    def between(self, position: int, edges: Floats) -> Floats:
        """Return how likely a continuous column lies between each edge and the next."""
        start = edges[:-1].copy()
        start[1:] = np.nextafter(start[1:], np.inf)  # a value on an edge counts once
        cells = cells_of(self._circuit.schema.columns[position])
        if cells is not None:
            if cells.step:  # numbers near a value of the grid are rounded to it
                start[1:] = edges[1:-1] + STEP_TOLERANCE * cells.step
            share = cells.inside(Interval(start, edges[1:])).share
            return np.asarray(share @ self.cells(position))
        leaves, weights = self._found.leaves(position)
        total = np.zeros(edges.size - 1)
        for family, where, params in same_shape(self._circuit, leaves):
            mass = np.exp(family.log_mass(params[:, None, :], Interval(start, edges[1:])))
            total += weights[0, where] @ mass
        return total

    def cells(self, position: int) -> Floats:
        """Return the probability of each cell of a column with a scale, if it is not missing."""
        cells = cells_of(self._circuit.schema.columns[position])
        assert cells is not None
        leaves, weights = self._found.leaves(position)
        total = np.zeros(cells.n)
        for family, where, params in same_shape(self._circuit, leaves):
            assert isinstance(family, Scaled)
            total += weights[0, where] @ family.probabilities(params)
        total[cells.left == np.inf] = 0.0
        return np.asarray(total / total.sum())

    def quantiles(self, positions: Sequence[int], levels: Sequence[float]) -> Floats:
        """Return the quantiles of continuous columns, (columns, levels)."""
        schema = self._circuit.schema
        found = np.empty((len(positions), len(levels)))
        plain = [i for i, position in enumerate(positions) if schema[position].scale is None]
        found[plain] = self._bisected([positions[i] for i in plain], levels)
        for i, position in enumerate(positions):
            cells = cells_of(schema.columns[position])
            if cells is not None:
                found[i] = cells.draw(self.cells(position), np.array(levels), None)
        return found

    def _bisected(self, positions: Sequence[int], levels: Sequence[float]) -> Floats:
        """Return the quantiles of plain numbers.

        All columns are bisected together, with one call of a family for all of its leaves.
        """
        if not positions:
            return np.empty((0, len(levels)))
        found = [self._found.leaves(position) for position in positions]
        possible = [weights[0] > 0.0 for _, weights in found]
        leaves = np.concatenate([own[0][some] for own, some in zip(found, possible, strict=True)])
        weight = np.concatenate(
            [own[1][0, some] for own, some in zip(found, possible, strict=True)]
        )
        size = np.array([np.count_nonzero(some) for some in possible])
        start, owner = np.cumsum(size) - size, np.repeat(np.arange(len(positions)), size)
        shapes = list(same_shape(self._circuit, leaves))
        own_quantile = np.empty((leaves.size, len(levels)))
        for family, where, params in shapes:
            own_quantile[where] = family.draw(params[:, None, :], np.array(levels))
        low = np.minimum.reduceat(own_quantile, start)  # the mixture's lies between its leaves'
        high = np.maximum.reduceat(own_quantile, start)
        below = np.empty((leaves.size, len(levels)))
        for _ in range(_HALVINGS):
            middle = low + 0.5 * (high - low)
            for family, where, params in shapes:
                until = Interval(np.array(-np.inf), middle[owner[where]])
                below[where] = np.exp(family.log_mass(params[:, None, :], until))
            enough = np.add.reduceat(weight[:, None] * below, start) >= levels
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high
