"""The grid that numbers lie on: whole numbers, decimals, multiples of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.numeric_policy import ON_GRID

_MOST_DECIMALS = 6  # numbers with more are not written but computed
_LARGEST_COUNT = 2.0**53  # of steps: beyond it float64 does not tell neighbours apart
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

    def value(self, number: Floats) -> Floats:
        """Return the values of the grid with these numbers, written as short as they can be."""
        return np.round(self.origin + number * self.step, self.decimals)

    @property
    def decimals(self) -> int:
        """How many decimals the values have."""
        scaled = self.step * 10.0 ** np.arange(_MOST_DECIMALS + 1)
        return int(np.argmax(np.abs(scaled - np.rint(scaled)) <= ON_GRID * scaled))


EVERY_NUMBER = Grid(0.0, 0.0)


def find_grid(distinct: Floats, *, whole: bool) -> Grid:
    """Return the coarsest grid that holds all values, (values,) in ascending order."""
    for decimals in range(0, 1 if whole else _MOST_DECIMALS + 1):
        unit = 10.0**decimals
        scaled = distinct * unit
        if np.abs(scaled).max(initial=0.0) > _LARGEST_COUNT:
            break
        counts = np.rint(scaled)
        if (np.abs(counts - scaled) <= ON_GRID * np.maximum(1.0, np.abs(scaled))).all():
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
