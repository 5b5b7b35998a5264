"""The grid that numbers lie on: whole numbers, decimals, multiples of a step."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.numeric_policy import ON_GRID

MOST_DECIMALS: Final = 6  # numbers with more are not written but computed
_LARGEST_COUNT = 2.0**53  # of steps: beyond it float64 does not tell neighbours apart
_LARGEST_DECIMAL = 2.0**43  # of steps that are decimals: beyond it any number looks like one
# Multiples of a larger unit are a habit only if many values keep it; three may by chance.
_FEWEST_VALUES = 8


class Grid(NamedTuple):
    """The values origin + i · step for whole numbers i; a step of 0 means every number.

    All values are multiples of ``unit``, which is the step itself, or more for whole numbers: these
    are possible one by one, even where all that were seen are multiples of ten.
    """

    origin: float
    step: float
    unit: float = 0.0

    def number(self, x: Floats) -> Floats:
        """Return the number of the nearest value of the grid, as a float."""
        return np.rint((x - self.origin) / self.step)

    def at(self, number: Floats) -> Floats:
        """Return the values of these numbers; decimals as they are written, such as 2.51."""
        value = self.origin + number * self.step
        return written(value) if is_written(np.array([self.origin, self.step])) else value


EVERY_NUMBER = Grid(0.0, 0.0)


def is_written(x: Floats) -> bool:
    """Return whether numbers have few decimals, but for rounding."""
    return bool((np.abs(written(x) - x) <= ON_GRID * np.abs(x)).all())


def written(x: Floats) -> Floats:
    """Return the nearest numbers with few decimals; too large ones stay as they are."""
    small = np.abs(x) * 10.0**MOST_DECIMALS < _LARGEST_COUNT
    return np.where(small, np.round(np.where(small, x, 0.0), MOST_DECIMALS), x)


def find_grid(distinct: Floats, *, whole: bool) -> Grid:
    """Return the coarsest grid that holds all values, (values,) in ascending order."""
    for decimals in range(0, 1 if whole else MOST_DECIMALS + 1):
        unit = 10.0**decimals
        largest = _LARGEST_DECIMAL if decimals else _LARGEST_COUNT
        if np.abs(distinct).max(initial=0.0) > largest / unit:
            break
        scaled = distinct * unit
        counts = np.rint(scaled)
        # Of the decimal as it was typed or added up; a tiny number is not a zero.
        rounding = 16.0 * np.finfo(np.float64).eps * np.abs(scaled)
        if (np.abs(counts - scaled) <= rounding).all():
            return _multiples(distinct, counts.astype(np.int64), decimals, whole=whole)
    return Grid(float(distinct[0]), 1.0, 1.0) if whole and distinct.size else EVERY_NUMBER


def _multiples(distinct: Floats, counts: Offsets, decimals: int, *, whole: bool) -> Grid:
    """Return the grid of whole numbers of a unit, or of multiples of it if all values are some."""
    together = int(np.gcd.reduce(np.abs(counts - counts[0]))) if counts.size else 0
    is_habit = together > 1 and counts.size >= _FEWEST_VALUES
    unit = float(together if is_habit else 1)
    if decimals == 0:
        return Grid(float(distinct[0]), 1.0 if whole else unit, unit)
    step = unit / 10.0**decimals
    return Grid(float(distinct[0]), step, step)
