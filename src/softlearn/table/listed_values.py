"""Find values that recur where the grid would allow many others."""

from __future__ import annotations

from typing import Final

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.table.distinct import Distinct
from softlearn.table.resolution import Grid

MOST_LISTED: Final = 16_384  # most listed values of a scale
_FEW_OF_GRID = 0.5  # of the numbers between the first and the last
_TIMES_EACH = 3.0  # that a value occurs


def listed_values(column: Distinct, grid: Grid, point: Bools) -> tuple[Floats, float]:
    """Return the values that occur in stretches if they are few, and how much lies elsewhere.

    They are few if most numbers of the grid do not occur and the others occur repeatedly; or if all
    whole numbers are multiples of a larger one, which are then listed. By Good and Turing, the
    share elsewhere is that of rows whose value occurs once.

    """
    rest = Distinct(column.value[~point], column.weight[~point])
    n = rest.value.size
    if column.is_joined or not 0 < n <= MOST_LISTED:
        return np.empty(0), 0.0
    numbers = (rest.value[-1] - rest.value[0]) / grid.step + 1.0 if grid.step else np.inf
    if n < _FEW_OF_GRID * numbers and rest.mass >= _TIMES_EACH * n:
        singles = float((rest.weight <= 1.0).sum())
        return rest.value, (singles + 1.0) / (rest.mass + 1.0)
    if grid.unit > grid.step > 0.0 and numbers * grid.step / grid.unit < MOST_LISTED:
        count = np.rint((rest.value[-1] - rest.value[0]) / grid.unit)
        return rest.value[0] + grid.unit * np.arange(count + 1.0), 1.0 / (rest.mass + 1.0)
    return np.empty(0), 0.0
