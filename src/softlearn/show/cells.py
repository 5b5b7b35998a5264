"""Columns cut into cells, levels as they are and numbers in intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit, over_parts
from softlearn.model import Model
from softlearn.show.distributions import GivenDistributions
from softlearn.table import Column

_PARTS = 5  # cells of equal probability that a number is cut into: low, lower, middle, higher, high


@dataclass(frozen=True, eq=False)
class Cells:
    """The division of one column into cells.

    Attributes
    ----------
    column
        The column.
    cuts
        The inner bounds of a continuous column, ascending; n of them make n + 1 cells. Empty for a
        discrete column, whose levels are its cells, and for one that is not cut.
    """

    column: Column
    cuts: Floats

    @property
    def n(self) -> int:
        """How many cells there are."""
        return self.column.n_levels or self.cuts.size + 1


def quantile_cells(model: Model) -> list[Cells]:
    """Cut every column of numbers or times into parts of about equal probability."""
    levels = [part / _PARTS for part in range(1, _PARTS)]
    numbers = [i for i, column in enumerate(model.schema) if not column.is_discrete]
    quantiles = GivenDistributions(model, numbers).quantiles(numbers, levels)
    found = [Cells(column, np.empty(0)) for column in model.schema]
    for position, cuts in zip(numbers, quantiles, strict=True):
        column = model.schema.columns[position]
        is_whole = column.kind == "integer"  # then no number is cut apart
        found[position] = Cells(column, np.unique(np.floor(cuts) + 0.5 if is_whole else cuts))
    return found


def over_cells(circuit: Circuit, cells: list[Cells]) -> Circuit:
    """Return the circuit whose leaves give the probability of each cell."""
    return over_parts(circuit, [one.cuts for one in cells])
