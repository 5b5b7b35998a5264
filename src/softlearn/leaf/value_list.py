"""Stretches of a column with most mass on listed values, and the rest on any number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets


class Inside(NamedTuple):
    """The part of each cell that lies in a region; each (..., cells)."""

    share: Floats  # of the cell's mass
    mean: Floats
    variance: Floats


class Spread(NamedTuple):
    """The part of a stretch whose mass is uniform over all numbers."""

    lo: Floats
    hi: Floats
    mass: Floats  # as a share of the stretch
    way: Callable[[Floats, Floats, Floats], Floats]  # share of it that lies before a value


@dataclass(frozen=True, eq=False)
class ValueList:
    """The values that occur in the stretches of a column.

    Attributes
    ----------
    values
        (values,) in ascending order.
    first, number
        (cells,) where those of each stretch begin, and how many there are.
    stray
        (cells,) how much of each cell lies on any number; all of it where nothing is listed.
    """

    values: Floats
    first: Offsets
    number: Offsets
    stray: Floats

    @staticmethod
    def of(values: Floats, stray: float, ends: tuple[Floats, Floats], is_point: Bools) -> ValueList:
        """Find the values between the ends of each cell; single values have none."""
        first = np.searchsorted(values, ends[0])
        number = np.searchsorted(values, ends[1], side="right") - first
        number = np.where(is_point, 0, number)
        return ValueList(values, first, number, np.where(number > 0, stray, 1.0))

    def holds(self, x: Floats) -> Bools:
        """Return which numbers are among the listed values."""
        if not self.values.size:
            return np.zeros(np.shape(x), dtype=bool)
        place = np.minimum(np.searchsorted(self.values, x), self.values.size - 1)
        return np.asarray(self.values[place] == x)

    def parts(self, spread: Inside, lo: Floats, hi: Floats) -> Inside:
        """Return the parts of cells from lo to hi, given their uniform parts."""
        first = np.maximum(np.searchsorted(self.values, lo), self.first)
        last = np.minimum(np.searchsorted(self.values, hi, side="right"), self.first + self.number)
        number = np.maximum(last - first, 0)
        on_list = (1.0 - self.stray) * number / np.maximum(self.number, 1)
        stray = self.stray * spread.share
        share = on_list + stray
        total = np.where(share > 0.0, share, 1.0)
        mean, variance = self._moments(np.minimum(first, last), np.maximum(last, first), number)
        both = (on_list * mean + stray * spread.mean) / total
        around = on_list * (variance + (mean - both) ** 2)
        around += stray * (spread.variance + (spread.mean - both) ** 2)
        lists = self.number > 0
        return Inside(
            np.where(lists, share, spread.share),
            np.where(lists, both, spread.mean),
            np.where(lists, around / total, spread.variance),
        )

    def walk(self, cell: Offsets, place: Floats, spread: Spread) -> tuple[Floats, Floats]:
        """Invert the distribution function in a part of a stretch.

        Return the listed value at that quantile, else NaN, and the share of the uniform part before
        it. The mass up to a listed value is that of the values and the uniform part before it.

        """
        cell, lo, hi, place = np.broadcast_arrays(cell, spread.lo, spread.hi, place)
        first = np.searchsorted(self.values, lo)
        number = np.searchsorted(self.values, hi, side="right") - first
        number = np.where(self.number[cell] > 0, number, 0)
        on_each = (1.0 - self.stray[cell]) / np.maximum(self.number[cell], 1)
        target = place * (on_each * number + spread.mass)

        def before(passed: Offsets) -> tuple[Floats, Floats]:
            value = self.values[np.minimum(first + passed, self.values.size - 1)]
            return value, on_each * passed + spread.mass * spread.way(lo, hi, value)

        low, high = np.zeros(cell.shape, np.int64), number.astype(np.int64)
        for _ in range(int(number.max(initial=0)).bit_length()):
            middle = (low + high) // 2
            passes = (before(middle)[1] <= target) & (middle < high)
            low, high = np.where(passes, middle + 1, low), np.where(passes, high, middle)
        value, start = before(np.maximum(low - 1, 0))
        is_there = (low > 0) & (target < start + on_each)
        rest = (target - on_each * low) / np.where(spread.mass > 0.0, spread.mass, 1.0)
        rest = np.where(number > 0, np.clip(rest, 0.0, 1.0), place)
        return np.where(is_there, value, np.nan), rest

    def _moments(self, first: Offsets, last: Offsets, number: Offsets) -> tuple[Floats, Floats]:
        """Return the mean and the variance of the values first:last."""
        middle, sums, squares = self._power_sums
        several = np.maximum(number, 1)
        near = np.where(number > 0, sums[last] - sums[first], 0.0) / several
        square = np.where(number > 0, squares[last] - squares[first], 0.0) / several
        return middle + near, np.maximum(square - near**2, 0.0)

    @cached_property
    def _power_sums(self) -> tuple[float, Floats, Floats]:
        """A middle value, and (values + 1,) sums of distances from it and of their squares."""
        middle = float(np.median(self.values))
        gap = self.values - middle
        sums = np.concatenate([[0.0], np.cumsum(gap)])
        return middle, sums, np.concatenate([[0.0], np.cumsum(gap**2)])
