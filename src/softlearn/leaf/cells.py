"""A column of numbers cut into cells, on each of which all its leaves spread their mass evenly.

A cell is one value, or all values from ``left`` to ``right``: those of a grid, or every number.
Leaves differ in how likely each cell is. What lies inside a cell is the same for all of them, so
densities, intervals, draws and moments are sums over cells, exact and without a special function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.errors import SoftlearnError
from softlearn.leaf.family import Interval, Listed
from softlearn.leaf.lookup import pick
from softlearn.leaf.probabilities import cell_at
from softlearn.numeric_policy import FURTHEST_TAIL, ON_GRID, SMALLEST_PROBABILITY


class Inside(NamedTuple):
    """The part of each cell that lies in a region; each (..., cells)."""

    share: Floats  # of the cell's mass
    mean: Floats
    variance: Floats


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one column, in ascending order.

    Attributes
    ----------
    left, right
        (cells,) the first and the last value of each cell. A cell of one value has both equal. A
        cell at infinity, which is the last one, holds the missing cells where these are modelled.
    share
        (cells,) the probability of each cell in the column as a whole.
    atom
        (cells,) cells that have a probability of their own in every leaf.
    step
        The distance of the values that are possible; 0 if all are.
    counts_mass
        Whether a score counts the probability of a value, as for whole numbers. Otherwise it
        counts the density, but at values with a cell of their own.
    """

    left: Floats
    right: Floats
    share: Floats
    atom: Bools
    step: float
    counts_mass: bool

    @property
    def n(self) -> int:
        """Number of cells."""
        return self.left.size

    @cached_property
    def is_point(self) -> Bools:
        """(cells,) cells of a single value."""
        return np.asarray(self.left == self.right)

    @cached_property
    def has_missing(self) -> bool:
        """Whether the last cell holds the missing cells."""
        return bool(np.isposinf(self.left[-1]))

    @cached_property
    def score(self) -> Floats:
        """(cells,) the normal score of each cell that is no atom; 0 for atoms."""
        rest = np.where(self.atom, 0.0, self.share)
        total = max(float(rest.sum()), SMALLEST_PROBABILITY)
        below = (np.cumsum(rest) - 0.5 * rest) / total
        above = (np.cumsum(rest[::-1])[::-1] - 0.5 * rest) / total
        tail = ndtri(np.clip(np.minimum(below, above), FURTHEST_TAIL, 0.5))
        return np.where(self.atom, 0.0, np.where(below < above, tail, -tail))

    @cached_property
    def log_base(self) -> Floats:
        """(cells,) what a value's score adds to the log-probability of its cell."""
        size = self._size * (1.0 if self.counts_mass or not self.step else self.step)
        return np.where(self.is_point, 0.0, -np.log(size))

    @cached_property
    def _size(self) -> Floats:
        """(cells,) how many values a cell has, or how long it is."""
        with np.errstate(invalid="ignore"):
            length = self.right - self.left
        if self.step:
            length = np.rint(length / self.step) + 1.0
        return np.where(self.is_point, 1.0, length)

    @cached_property
    def _start(self) -> Floats:
        """(cells,) where a search among the cells turns to the next; grids round to the nearest."""
        return self.left - 0.5 * self.step

    def code(self, x: Floats) -> Offsets:
        """Return the cell of each value; -1 if it has none, also for NaN."""
        found = np.searchsorted(self._start, x, side="right") - 1
        with np.errstate(invalid="ignore"):
            inside = x <= self.right[found] + 0.5 * self.step
        return np.where(inside & ~np.isnan(x), found, -1)

    def inside(self, region: Interval | Listed | None) -> Inside:
        """Return how much of each cell lies in the region, and its mean and variance there.

        An interval holds no missing cell. The bounds broadcast; cells are the last axis.
        """
        if isinstance(region, Listed):
            return self._listed(region.values)
        with np.errstate(invalid="ignore"):
            if region is None:
                lo, hi = self.left, self.right
            else:
                lo = np.maximum(np.asarray(region.lo)[..., None], self.left)
                hi = np.minimum(np.asarray(region.hi)[..., None], self.right)
            return self._part(lo, hi, is_whole=region is None)

    def _part(self, lo: Floats, hi: Floats, *, is_whole: bool) -> Inside:
        if self.step:
            first = np.ceil((lo - self.left) / self.step - ON_GRID)
            last = np.floor((hi - self.left) / self.step + ON_GRID)
            lo = np.where(self.is_point, lo, self.left + first * self.step)
            hi = np.where(self.is_point, hi, self.left + last * self.step)
            size, spread = last - first + 1.0, self.step**2
        else:
            size, spread = hi - lo, 1.0
        there = (lo <= hi) & (is_whole | (self.left < np.inf))
        size = np.where(self.is_point, 1.0, np.maximum(size, 0.0))
        share = np.where(there, size / self._size, 0.0)
        present = there & (self.left < np.inf)
        variance = spread * (size**2 - (1.0 if self.step else 0.0)) / 12.0
        return Inside(
            share,
            np.where(present, 0.5 * (lo + hi), 0.0),
            np.where(present & ~self.is_point, variance, 0.0),
        )

    def moment(self, order: int, shift: Floats | float, region: Interval | Listed | None) -> Floats:
        """Return E[(x − shift)^order · 1(x in region)] in each cell, (..., cells); order 0 to 2.

        Missing cells, where they are modelled, count as 0.
        """
        part = self.inside(region)
        if order == 0:
            return np.where(self.left < np.inf, part.share, 0.0)
        if order > 2:
            raise SoftlearnError("columns with a scale have moments up to the second")
        gap = part.mean - np.asarray(shift)[..., None]
        power = gap if order == 1 else gap**2 + part.variance
        return np.where(self.left < np.inf, part.share * power, 0.0)

    def _listed(self, values: Floats) -> Inside:
        """Return how much of each cell the listed values are; a stretch of numbers has none."""
        code = self.code(values)
        counts = (code >= 0) & (self.is_point[code] | (self.step > 0.0))
        code, value = code[counts], values[counts]
        number = np.bincount(code, minlength=self.n).astype(np.float64)
        several = np.maximum(number, 1.0)
        finite = np.where(np.isfinite(value), value, 0.0)
        mean = np.bincount(code, finite, self.n) / several
        variance = np.bincount(code, (finite - mean[code]) ** 2, self.n) / several
        return Inside(number / self._size, mean, variance)

    def draw(
        self, probability: Floats, uniform: Floats, region: Interval | Listed | None
    ) -> Floats:
        """Return the inverse of the distribution function, restricted to the region.

        ``probability`` (..., cells) broadcasts against the uniform numbers.
        """
        share = self.inside(region).share if region is not None else np.ones(self.n)
        cumulative = np.cumsum(probability * share, axis=-1)
        cell, target = cell_at(cumulative, uniform)
        held = pick(np.broadcast_to(probability * share, cumulative.shape).copy(), cell)
        before = np.where(cell > 0, pick(cumulative, np.maximum(cell - 1, 0)), 0.0)
        place = np.clip((target - before) / np.where(held > 0.0, held, 1.0), 0.0, 1.0)
        return self._value(cell, place, region)

    def _value(self, cell: Offsets, place: Floats, region: Interval | Listed | None) -> Floats:
        """Return the value at a share ``place`` of the way through a cell's part of the region."""
        if isinstance(region, Listed):
            values = np.sort(region.values)
            code = self.code(values)
            first = np.searchsorted(code, cell)
            number = np.searchsorted(code, cell, side="right") - first
            step = np.minimum(np.floor(place * number), number - 1).astype(np.int64)
            return np.asarray(values[np.minimum(first + np.maximum(step, 0), values.size - 1)])
        lo, hi = self.left[cell], self.right[cell]
        if region is not None:
            lo, hi = np.maximum(lo, region.lo), np.minimum(hi, region.hi)
        return self._placed(cell, lo, hi, place)

    def _placed(self, cell: Offsets, lo: Floats, hi: Floats, place: Floats) -> Floats:
        """Return the value at a share ``place`` of the way from lo to hi, on the grid."""
        is_point = self.is_point[cell]
        lo, hi = np.where(is_point, 0.0, lo), np.where(is_point, 0.0, hi)
        if not self.step:
            value = np.clip(lo + place * (hi - lo), lo, np.maximum(hi, lo))
        else:
            origin = np.where(is_point, 0.0, self.left[cell])
            first = np.ceil((lo - origin) / self.step - ON_GRID)
            last = np.maximum(np.floor((hi - origin) / self.step + ON_GRID), first)
            steps = np.minimum(first + np.floor(place * (last - first + 1.0)), last)
            value = origin + steps * self.step
        return np.where(is_point, self.left[cell], value)

    def highest(self, probability: Floats, region: Interval | Listed | None) -> Floats:
        """Return the value of the highest score in the region; the middle of its cell."""
        part = self.inside(region)
        possible = part.share > 0.0
        if self.has_missing and region is None:
            possible = possible & (self.left < np.inf)
        with np.errstate(divide="ignore"):
            height = np.where(possible, np.log(probability) + self.log_base, -np.inf)
        cell = np.argmax(height, axis=-1)
        return self._value(cell, np.full(cell.shape, 0.5), region)
