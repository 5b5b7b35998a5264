"""Find the grid of numbers: whole numbers, decimals, or multiples of a step."""

from __future__ import annotations

from math import gcd
from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Floats

MOST_DECIMALS: Final = 6  # numbers with more decimals are taken for results of computations
_LARGEST_COUNT = 2.0**53  # in steps: beyond it float64 does not distinguish neighbours
_LARGEST_DECIMAL = 2.0**41  # in decimal steps: beyond it any number looks like a decimal
# Multiples of a larger unit need many values as evidence; three may be chance.
_FEWEST_VALUES = 8
_ROUNDING = 64.0 * np.finfo(np.float64).eps  # of numbers that were added up


class Grid(NamedTuple):
    """The values origin + i · step for whole numbers i; a step of 0 means every number.

    All observed values are multiples of ``unit``. It is the step itself, or larger for whole
    numbers: all of these are possible, even if the observed ones are multiples of ten.
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
        digits = decimals_of(np.array([self.origin, self.step]))
        return value if digits is None else rounded(value, digits)


EVERY_NUMBER = Grid(0.0, 0.0)


def decimals_of(x: Floats) -> int | None:
    """Return the fewest decimals that write all numbers; None if they are computed, not written."""
    for digits in range(MOST_DECIMALS + 1):
        if (np.abs(np.round(x, digits) - x) <= _ROUNDING * np.abs(x)).all():
            return digits
    return None


def rounded(x: Floats, digits: int) -> Floats:
    """Return the nearest numbers with so many decimals; too large ones stay as they are."""
    small = np.abs(x) * 10.0**digits < _LARGEST_COUNT
    return np.where(small, np.round(np.where(small, x, 0.0), digits), x)


class Decimals(NamedTuple):
    """The decimals of numbers, and the unit of their differences.

    Attributes
    ----------
    digits
        The fewest decimals that write all of them; None if they are computed, not written.
    unit
        The largest number of the last decimal that divides all differences; 0 if there are none.
    first
        One of the numbers, counted in the last decimal.
    """

    digits: int | None
    unit: int = 0
    first: int = 0

    @classmethod
    def of(cls, numbers: Floats) -> Decimals:
        """Return the decimals of some numbers."""
        for digits in range(MOST_DECIMALS + 1):
            scaled = numbers * 10.0**digits
            if np.abs(numbers).max(initial=0.0) > _largest(digits):
                break
            counts = np.rint(scaled)
            # As added up, or cut off after 15 digits by others: 0.0139999999999999. A tiny number
            # is not a zero.
            if (np.abs(counts - scaled) <= _ROUNDING * np.abs(scaled)).all():
                whole = counts.astype(np.int64)
                first = int(whole[0]) if whole.size else 0
                return cls(digits, int(np.gcd.reduce(np.abs(whole - first))), first)
        return cls(None)

    def merged(self, other: Decimals) -> Decimals:
        """Return the decimals of the numbers of both."""
        if self.digits is None or other.digits is None:
            return Decimals(None)
        digits = max(self.digits, other.digits)
        mine, others = 10 ** (digits - self.digits), 10 ** (digits - other.digits)
        apart = abs(self.first * mine - other.first * others)
        return Decimals(
            digits, gcd(self.unit * mine, other.unit * others, apart), self.first * mine
        )


def find_grid(column: Floats, written: Decimals | None = None, *, whole: bool) -> Grid:
    """Return the coarsest grid that holds all values, (values,) in ascending order.

    ``written`` has the decimals of all numbers, if some values represent joined ones.
    """
    how, furthest = written or Decimals.of(column), np.abs(column).max(initial=0.0)
    if how.digits is None or furthest > _largest(how.digits) or (whole and how.digits):
        return Grid(float(column[0]), 1.0, 1.0) if whole and column.size else EVERY_NUMBER
    is_habit = how.unit > 1 and column.size >= _FEWEST_VALUES
    unit = float(how.unit if is_habit else 1)
    if how.digits == 0:
        return Grid(float(column[0]), 1.0 if whole else unit, unit)
    step = unit / 10.0**how.digits
    return Grid(float(column[0]), step, step)


def _largest(digits: int) -> float:
    """Return the largest number that may be taken for one with so many decimals."""
    return (_LARGEST_DECIMAL if digits else _LARGEST_COUNT) / 10.0**digits
