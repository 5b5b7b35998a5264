"""A column of numbers divided into cells, inside which all leaves are uniform.

A cell is one value, or all values from ``left`` to ``right``: those of a grid, or every number.
Leaves differ in the probability of each cell. Inside a cell all have the same distribution, so
densities, intervals, draws and moments are exact sums over cells, without special functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.errors import SoftlearnError
from softlearn.leaf.family import Interval, Listed
from softlearn.leaf.lookup import pick
from softlearn.leaf.probabilities import cell_at
from softlearn.leaf.value_list import Inside, Spread, ValueList
from softlearn.numeric_policy import (
    BETWEEN_HUMPS,
    FURTHEST_TAIL,
    ON_GRID,
    SMALLEST_PROBABILITY,
)

_LARGEST_COUNT = 2.0**53  # beyond it float64 does not tell neighbours apart


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
        The distance between possible values; 0 if every number is possible. On a grid, a score is
        the log-probability of a value; otherwise it is the log-density, except for values with a
        cell of their own and listed ones.
    decimals
        How many decimals values on a grid are written with at most; None if they are computed.
    values
        (values,) in ascending order: those that occur in stretches, if not all do. A stretch
        without any of them is uniform over all its numbers.
    stray
        The share of a stretch with listed values that is uniform over all its numbers.
    bins
        (bins,) the first cell of each coarse bin whose probability is a parameter of leaves; empty
        if all cells lie in one bin.
    humps
        (humps - 1,) the first cell of each hump of the column after the first.
    """

    left: Floats
    right: Floats
    share: Floats
    atom: Bools
    step: float
    decimals: int | None = None
    values: Floats = field(default_factory=lambda: np.empty(0))
    stray: float = 0.0
    bins: Offsets = field(default_factory=lambda: np.empty(0, np.int64))
    humps: Offsets = field(default_factory=lambda: np.empty(0, np.int64))

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
    def normal_score(self) -> Floats:
        """(cells,) the normal score of each cell that is no atom; 0 for atoms."""
        from scipy.special import ndtri  # noqa: PLC0415 - slow to load

        rest = np.where(self.atom, 0.0, self.share)
        total = max(float(rest.sum()), SMALLEST_PROBABILITY)
        below = (np.cumsum(rest) - 0.5 * rest) / total
        above = (np.cumsum(rest[::-1])[::-1] - 0.5 * rest) / total
        tail = ndtri(np.clip(np.minimum(below, above), FURTHEST_TAIL, 0.5))
        return np.where(self.atom, 0.0, np.where(below < above, tail, -tail))

    @cached_property
    def score(self) -> Floats:
        """(cells,) normal scores with the humps moved apart, of mean 0 and deviation 1 again.

        Normal scores have no gaps: a normal distribution over one hump would reach into the next.
        """
        if not self.humps.size:
            return self.normal_score
        hump = np.searchsorted(self.humps, np.arange(self.n), side="right")
        apart = self.normal_score + BETWEEN_HUMPS * hump
        rest = np.where(self.atom, 0.0, self.share)
        rest = rest / max(float(rest.sum()), SMALLEST_PROBABILITY)
        mean = float(rest @ apart)
        deviation = np.sqrt(rest @ (apart - mean) ** 2)
        return np.where(self.atom, 0.0, (apart - mean) / deviation)

    @property
    def n_bins(self) -> int:
        """Number of coarse bins."""
        return max(self.bins.size, 1)

    @cached_property
    def bin_of(self) -> Offsets:
        """(cells,) the coarse bin of each cell; -1 for atoms, which are in none."""
        found = np.searchsorted(self.bins, np.arange(self.n), side="right") - 1
        return np.where(self.atom, -1, np.maximum(found, 0))

    @cached_property
    def log_base(self) -> Floats:
        """(cells,) the largest difference of a value's score and its cell's log-probability."""
        with np.errstate(divide="ignore"):
            spread = np.log(self._list.stray) - self._log_extent
            return np.where(self._list.number > 0, self._log_listed, spread)

    def log_base_at(self, x: Floats, code: Offsets) -> Floats:
        """Return the difference between each value's score and its cell's log-probability."""
        if not self.values.size:
            return np.asarray(self.log_base[code])
        is_listed = self._list.holds(x) & ~self.is_point[code]
        with np.errstate(divide="ignore"):
            spread = np.log(self._list.stray) - self._log_extent
        return np.where(is_listed, self._log_listed[code], spread[code])

    @cached_property
    def _log_extent(self) -> Floats:
        """(cells,) log of how many values a cell has, or of how long it is."""
        return np.where(self.is_point, 0.0, np.log(self._size))

    @cached_property
    def _log_listed(self) -> Floats:
        """(cells,) log-probability of a listed value in its cell."""
        on_all = self._list.stray / self._size if self.step else 0.0
        with np.errstate(divide="ignore"):
            return np.log((1.0 - self._list.stray) / np.maximum(self._list.number, 1) + on_all)

    @cached_property
    def _list(self) -> ValueList:
        """The listed values, and where those of each stretch begin."""
        end = self.right + 0.5 * self.step
        return ValueList.of(self.values, self.stray, (self._start, end), self.is_point)

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
        """(cells,) the lowest number that belongs to each cell; grids round to the nearest."""
        return self.left - 0.5 * self.step

    def code(self, x: Floats) -> Offsets:
        """Return the cell of each value; -1 if it has none, also for NaN."""
        found = np.searchsorted(self._start, x, side="right") - 1
        with np.errstate(invalid="ignore"):
            inside = x <= self.right[found] + 0.5 * self.step
        return np.where(inside & ~np.isnan(x), found, -1)

    @cached_property
    def _slack(self) -> Floats:
        """(cells,) how far off a grid a number may lie by rounding, in steps."""
        with np.errstate(invalid="ignore"):
            far = np.maximum(np.abs(self.left), np.abs(self.right)) / self.step
        return np.minimum(ON_GRID + 4.0 * np.finfo(np.float64).eps * far, 0.25)

    def inside(self, region: Interval | Listed | None) -> Inside:
        """Return the share of each cell in the region, and its mean and variance there.

        An interval excludes missing cells, but bounds of NaN are no restriction. They broadcast;
        cells are the last axis.
        """
        if isinstance(region, Listed):
            return self._listed(region.values)
        lo, hi, is_whole = self.left, self.right, np.array(True)
        if region is not None:
            low, high = np.asarray(region.lo)[..., None], np.asarray(region.hi)[..., None]
            lo, hi, is_whole = np.fmax(low, lo), np.fmin(high, hi), np.isnan(low)
        part = self._part(lo, hi, is_whole)
        return self._list.parts(part, lo, hi) if self.values.size else part

    def _part(self, lo: Floats, hi: Floats, is_whole: Bools) -> Inside:
        """Return the part from lo to hi; missing cells are in it where it is the whole."""
        present = self.left < np.inf
        with np.errstate(invalid="ignore"):
            if self.step:
                first, last = self._steps(self.left, lo, hi, self._slack)
                lo, hi = self.left + first * self.step, self.left + last * self.step
                size, spread = last - first + 1.0, self.step**2
            else:
                size, spread = hi - lo, 1.0
            there = (lo <= hi) & present
            mean = np.where(there, 0.5 * lo + 0.5 * hi, 0.0)
        size = np.where(self.is_point, 1.0, np.maximum(size, 0.0))
        share = np.where(there | (is_whole & ~present), size / self._size, 0.0)
        with np.errstate(over="ignore"):  # numbers beyond 1e154 have an infinite variance
            variance = spread * (size**2 - (1.0 if self.step else 0.0)) / 12.0
        return Inside(share, mean, np.where(there & ~self.is_point, variance, 0.0))

    def _steps(self, left: Floats, lo: Floats, hi: Floats, slack: Floats) -> tuple[Floats, Floats]:
        """Return the first and the last step from ``left`` that lie between lo and hi."""
        first = np.ceil((lo - left) / self.step - slack)
        return first, np.floor((hi - left) / self.step + slack)

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
        with np.errstate(over="ignore"):
            power = gap if order == 1 else gap**2 + part.variance
        return np.where(self.left < np.inf, part.share * power, 0.0)

    def _listed(self, values: Floats) -> Inside:
        """Return the share of each cell on the listed values; 0 for a stretch of all numbers."""
        code, value = self._possible(values)
        mass = self._value_share(value, code)
        share = np.bincount(code, mass, self.n).astype(np.float64)
        total = np.where(share > 0.0, share, 1.0)
        finite = np.where(np.isfinite(value), value, 0.0)
        mean = np.bincount(code, mass * finite, self.n) / total
        variance = np.bincount(code, mass * (finite - mean[code]) ** 2, self.n) / total
        return Inside(share, mean, variance)

    def _value_share(self, values: Floats, code: Offsets) -> Floats:
        """Return the share of its cell that each value has; 0 in a stretch of all numbers."""
        spread = self._list.stray[code] / self._size[code] if self.step else 0.0
        on_each = (1.0 - self._list.stray[code]) / np.maximum(self._list.number[code], 1)
        on_list = np.where(self._list.holds(values), on_each, 0.0)
        return np.where(self.is_point[code], 1.0, spread + on_list)

    def _possible(self, values: Floats) -> tuple[Offsets, Floats]:
        """Return those of the listed values that have a probability, once each, and their cells."""
        code = self.code(values)
        counts = (code >= 0) & (self.is_point[code] | (self.step > 0.0) | self._list.holds(values))
        code, value = code[counts], values[counts]
        value = np.where(self.is_point[code], self.left[code], value)
        if self.step:
            origin = np.where(self.is_point[code], 0.0, self.left[code])
            on_grid = self._on_grid(origin, np.rint((value - origin) / self.step))
            value = np.where(self.is_point[code], value, on_grid)
        value, first = np.unique(value, return_index=True)
        return code[first], value

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
        """Return the quantile ``place`` of the part of a cell that lies in the region."""
        if isinstance(region, Listed):
            code, values = self._possible(region.values)
            if not values.size:
                return np.full(cell.shape, np.nan)
            mass = self._value_share(values, code)
            before = np.cumsum(mass) - mass
            total = np.bincount(code, mass, self.n)
            start = before - before[np.searchsorted(code, code)]  # within its cell
            key = code + start / total[code]
            found = np.searchsorted(key, cell + place * np.nextafter(1.0, 0.0), side="right") - 1
            return np.asarray(values[np.clip(found, 0, values.size - 1)])
        lo, hi = self.left[cell], self.right[cell]
        if region is not None:
            lo, hi = np.fmax(lo, region.lo), np.fmin(hi, region.hi)
        if self.values.size:
            found, rest = self._list.walk(cell, place, self._spread(cell, lo, hi))
            return np.where(np.isnan(found), self._placed(cell, lo, hi, rest), found)
        return self._placed(cell, lo, hi, place)

    def _spread(self, cell: Offsets, lo: Floats, hi: Floats) -> Spread:
        """Return the uniform part of a stretch from lo to hi."""
        with np.errstate(invalid="ignore"):
            mass = self._list.stray[cell] * self._extent(lo, hi) / self._size[cell]
        return Spread(lo, hi, mass, self._way)

    def _extent(self, lo: Floats, hi: Floats) -> Floats:
        """Return the number of values between two ends, or their distance."""
        if not self.step:
            return np.maximum(hi - lo, 0.0)
        return np.maximum(np.floor((hi - lo) / self.step + ON_GRID) + 1.0, 0.0)

    def _way(self, lo: Floats, hi: Floats, value: Floats) -> Floats:
        """Return the share of lo to hi that lies before a value."""
        if not self.step:
            return (value - lo) / np.where(hi > lo, hi - lo, 1.0)
        before = np.floor((value - lo) / self.step - ON_GRID) + 1.0
        return np.asarray(before / self._extent(lo, hi))

    def _placed(self, cell: Offsets, lo: Floats, hi: Floats, place: Floats) -> Floats:
        """Return the value at the share ``place`` of lo to hi, on the grid."""
        is_point = self.is_point[cell]
        lo, hi = np.where(is_point, 0.0, lo), np.where(is_point, 0.0, hi)
        if not self.step:
            value = np.clip(lo + place * (hi - lo), lo, np.maximum(hi, lo))
        else:
            origin = np.where(is_point, 0.0, self.left[cell])
            first, last = self._steps(origin, lo, hi, self._slack[cell])
            last = np.maximum(last, first)
            steps = np.minimum(first + np.floor(place * (last - first + 1.0)), last)
            value = self._on_grid(origin, steps)
        return np.where(is_point, self.left[cell], value)

    def _on_grid(self, origin: Floats, steps: Floats) -> Floats:
        """Return the values so many steps from an origin, rounded to their decimals."""
        value = origin + steps * self.step
        if self.decimals is None:
            return value
        small = np.abs(value) * 10.0**self.decimals < _LARGEST_COUNT
        return np.where(small, np.round(np.where(small, value, 0.0), self.decimals), value)

    def highest(self, probability: Floats, region: Interval | Listed | None) -> Floats:
        """Return the value of the highest score in the region; the middle of its cell.

        Without a region a missing cell, which is infinity, may be the most probable.
        """
        possible = self.inside(region).share > 0.0
        # A leaf that gives the whole region no probability still answers with a value inside it.
        log_p = np.log(np.maximum(probability, np.finfo(np.float64).smallest_subnormal))
        height = np.where(possible, log_p + self.log_base, -np.inf)
        cell = np.argmax(height, axis=-1)
        return self._value(cell, np.full(cell.shape, 0.5), region)
