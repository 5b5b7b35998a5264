"""All columns of a model cut into cells, and their posteriors in a few products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.leaf import Family, Interval
from softlearn.model import Model
from softlearn.query import Posteriors
from softlearn.show.distributions import GivenDistributions
from softlearn.show.views.cut import N_CELLS, CutNumbers, even_edges

_TAIL = 0.002  # of the probability that may lie beyond each end of an axis
_KEPT = 1 << 24  # numbers that are kept at most: 128 MB; huge circuits are drawn with fewer cells
_FEWEST_CELLS = 16
_STEPS = 9  # of the search for a quantile within its cell: beyond eight digits of the cell's width


class Moments(NamedTuple):
    """Mean and standard deviation of each column in each row, (rows, columns); NaN for levels."""

    mean: Floats
    deviation: Floats


class Modes(NamedTuple):
    """The most probable level of each column in each row, (rows, columns); -1 for numbers."""

    code: Ids
    probability: Floats


class Cuts:
    """Every column, as levels or as cells of numbers, side by side.

    Attributes
    ----------
    numbers
        The columns of numbers or times, by position.
    start
        (columns + 1,) where the cells of each column begin.
    """

    def __init__(self, model: Model) -> None:
        self._schema, circuit = model.schema, model.circuit
        positions = [i for i, column in enumerate(model.schema) if not column.is_discrete]
        ends = GivenDistributions(model, positions).quantiles(positions, [_TAIL, 1.0 - _TAIL])
        n_leaves = int(np.isin(circuit.leaf_column, positions).sum())
        n_cells = int(np.clip(_KEPT // max(n_leaves, 1), _FEWEST_CELLS, N_CELLS))
        self.numbers = {
            i: CutNumbers(circuit, i, even_edges(model.schema.columns[i], low, high, n_cells))
            for i, (low, high) in zip(positions, ends.tolist(), strict=True)
        }
        sizes = [
            self.numbers[i].edges.size + 1 if i in self.numbers else column.n_levels
            for i, column in enumerate(model.schema)
        ]
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        self._levels = np.concatenate(
            [
                np.arange(self.start[i], self.start[i + 1])
                for i, column in enumerate(model.schema)
                if column.is_discrete
            ]
            or [np.empty(0, dtype=np.intp)]
        )
        cut = list(self.numbers.values())
        bounds = np.cumsum([0, *(one.leaves.size for one in cut)])
        self._place = {one.position: slice(bounds[i], bounds[i + 1]) for i, one in enumerate(cut)}
        self._present, self._first, self._second = (
            np.concatenate(parts or [np.empty(0)])
            for parts in (
                [1.0 - one.missing for one in cut],
                [one.first for one in cut],
                [one.second for one in cut],
            )
        )

    def cells_of(self, position: int) -> slice:
        """Return where the cells of a column stand."""
        return slice(self.start[position], self.start[position + 1])

    def weights(self, found: Posteriors) -> Floats:
        """Return the weight of each leaf of a column of numbers, (rows, leaves)."""
        nothing = np.empty((found.log_likelihood.size, 0))
        each = [found.leaves(position)[1] for position in self.numbers]
        return np.concatenate(each or [nothing], axis=1)

    def shares(self, found: Posteriors) -> Floats:
        """Return the probability of each level and cell, (rows, cells)."""
        weights = self.weights(found)
        shares = np.empty((weights.shape[0], self.start[-1]))
        shares[:, self._levels] = found.table[: self._levels.size].T
        for position, cut in self.numbers.items():
            np.matmul(
                weights[:, self._place[position]], cut.mass, out=shares[:, self.cells_of(position)]
            )
        total = np.add.reduceat(shares, self.start[:-1], axis=1)  # missing cells are left out
        shares /= np.repeat(total, np.diff(self.start), axis=1)
        return shares

    def moments(self, found: Posteriors) -> Moments:
        """Return the mean and deviation of the columns of numbers or times."""
        weights, at = self.weights(found), list(self.numbers)
        mean, deviation = np.full((2, weights.shape[0], len(self._schema)), np.nan)
        if at:
            start = [self._place[position].start for position in at]
            present, first, second = (
                np.add.reduceat(weights * each, start, axis=1)
                for each in (self._present, self._first, self._second)
            )
            first, second = first / present, second / present
            mean[:, at] = first + np.array([cut.centre for cut in self.numbers.values()])
            deviation[:, at] = np.sqrt(np.maximum(second - first**2, 0.0))
        return Moments(mean, deviation)

    def modes(self, shares: Floats) -> Modes:
        """Return the most probable level of the columns of levels, from the shares of all cells."""
        code = np.full((shares.shape[0], len(self._schema)), -1, dtype=np.int32)
        for position in range(len(self._schema)):
            if position not in self.numbers:
                code[:, position] = shares[:, self.cells_of(position)].argmax(axis=1)
        at = self.start[:-1] + np.maximum(code, 0)
        return Modes(code, np.take_along_axis(shares, at, axis=1))

    def missing(self, weights: Floats, position: int) -> float:
        """Return the probability of a missing cell, from the weights of one row."""
        return float(weights[self._place[position]] @ self.numbers[position].missing)

    def quantiles(
        self, weights: Floats, positions: Sequence[int], levels: Floats
    ) -> dict[int, Floats]:
        """Return where some columns pass the levels, from the weights of the leaves in one row."""
        found = {}
        plain = [i for i in positions if self._schema.columns[i].scale is None]
        for i in positions:
            if i not in plain:
                own = weights[self._place[i]]
                found[i] = self.numbers[i].quantiles_of_cells(own, levels)
        if plain:
            cut = [self.numbers[i] for i in plain]
            mixture = _Mixture(cut, [weights[self._place[i]] for i in plain])
            found |= dict(zip(plain, mixture.quantiles(levels), strict=True))
        return found


class _Mixture:
    """Several columns of plain numbers, whose leaves are asked together."""

    def __init__(self, cut: Sequence[CutNumbers], weights: Sequence[Floats]) -> None:
        self._cut, self._weights = cut, weights
        sizes = [one.leaves.size for one in cut]
        self._start = np.cumsum([0, *sizes[:-1]])
        self._owner = np.repeat(np.arange(len(cut)), sizes)
        self._weight = np.concatenate(weights)[:, None]
        self._shapes = list(self._gathered())

    def _gathered(self) -> list[tuple[Family, Floats, Floats]]:
        """Return leaves of one family and size from all columns."""
        groups: dict[tuple[str, int], list[tuple[Family, Floats, Floats]]] = {}
        for start, cut in zip(self._start.tolist(), self._cut, strict=True):
            for family, where, params in cut.shapes:
                key = family.name, params.shape[1]
                groups.setdefault(key, []).append((family, start + where, params))
        return [
            (
                parts[0][0],
                np.concatenate([p[1] for p in parts]),
                np.concatenate([p[2] for p in parts]),
            )
            for parts in groups.values()
        ]

    def quantiles(self, levels: Floats) -> Floats:
        """Return where each column passes the levels, (columns, levels); they lie in drawn cells.

        The distribution function is known at the edges of cells; inside one it is regula falsi,
        where the end that stays counts half, or it would stay for ever.
        """
        ends = [self._bracket(i, levels) for i in range(len(self._cut))]
        low, high, low_gap, high_gap = (np.array(part) for part in zip(*ends, strict=True))
        for _ in range(_STEPS):
            rise = high_gap - low_gap
            middle = high - high_gap * (high - low) / np.where(rise == 0.0, 1.0, rise)
            gap = self._below(middle) - levels
            crosses = gap * high_gap < 0.0
            low, low_gap = np.where(crosses, high, low), np.where(crosses, high_gap, 0.5 * low_gap)
            high, high_gap = middle, gap
        return np.asarray(high)

    def _bracket(self, i: int, levels: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the edges around each quantile of a column, and how far they miss it."""
        edges, below = self._cut[i].edges, np.cumsum(self._weights[i] @ self._cut[i].mass)[:-1]
        last = np.clip(np.searchsorted(below, levels), 1, below.size - 1)
        return edges[last - 1], edges[last], below[last - 1] - levels, below[last] - levels

    def _below(self, points: Floats) -> Floats:
        """Return the distribution function of each column at its points, (columns, levels)."""
        own, mass = points[self._owner], np.empty((self._owner.size, points.shape[1]))
        for family, where, params in self._shapes:
            until = Interval(np.array(-np.inf), own[where])
            mass[where] = np.exp(family.log_mass(params[:, None, :], until))
        return np.add.reduceat(self._weight * mass, self._start, axis=0)
