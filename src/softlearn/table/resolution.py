"""The grid that numbers lie on: whole numbers, decimals, multiples of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.numeric_policy import ON_GRID

MOST_DECIMALS = 6  # numbers with more are not written but computed
_LARGEST_COUNT = 2.0**53  # of steps: beyond it float64 does not tell neighbours apart
_LARGEST_DECIMAL = 2.0**46  # beyond it rounding makes any number a multiple of the last decimal
# Multiples of a larger unit are a habit only if many values keep it; three may by chance.
_FEWEST_VALUES = 8


class Grid(NamedTuple):
    """The values origin + i · step for whole numbers i; a step of 0 means every number."""

    origin: float
    step: float

    def number(self, x: Floats) -> Floats:
        """Return the number of the nearest value of the grid, as a float."""
        return np.rint((x - self.origin) / self.step)


EVERY_NUMBER = Grid(0.0, 0.0)


def find_grid(distinct: Floats, *, whole: bool) -> Grid:
    """Return the coarsest grid that holds all values, (values,) in ascending order."""
    for decimals in range(0, 1 if whole else MOST_DECIMALS + 1):
        unit = 10.0**decimals
        largest = _LARGEST_DECIMAL if decimals else _LARGEST_COUNT
        if np.abs(distinct).max(initial=0.0) > largest / unit:
            break
        scaled = distinct * unit
        counts = np.rint(scaled)
        rounding = 2.0 * np.spacing(np.abs(scaled))  # of the decimal, and of the multiplication
        if (np.abs(counts - scaled) <= np.maximum(ON_GRID, rounding)).all():
            return _multiples(distinct, counts.astype(np.int64), decimals)
    return Grid(float(distinct[0]), 1.0) if whole and distinct.size else EVERY_NUMBER


def _multiples(distinct: Floats, counts: Offsets, decimals: int) -> Grid:
    """Return the grid of whole numbers of a unit, or of multiples of it if all values are some."""
    together = int(np.gcd.reduce(np.abs(counts - counts[0]))) if counts.size else 0
    is_habit = together > 1 and counts.size >= _FEWEST_VALUES
    step = together if is_habit else 1
    return Grid(float(distinct[0]), step / 10.0**decimals if decimals else float(step))
