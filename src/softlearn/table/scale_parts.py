"""What a scale is made from: different values, bounds, and cells on the line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import SchemaError


@dataclass(frozen=True, slots=True)
class Distinct:
    """The different values in ascending order, and the weight of each."""

    value: Floats
    weight: Floats

    @staticmethod
    def of(values: Floats, weights: Floats | None) -> Distinct:
        """Return the different values of a column; NaN is missing."""
        counted = np.ones(values.size) if weights is None else weights
        seen = ~np.isnan(values) & (counted > 0.0)
        if not seen.any():
            raise SchemaError("a scale is found from values, and all of them are missing")
        value, position = np.unique(values[seen] + 0.0, return_inverse=True)
        return Distinct(value, np.bincount(position, counted[seen]).astype(np.float64))

    @property
    def mass(self) -> float:
        """The weight of all values."""
        return float(self.weight.sum())

    def quantile(self, probability: Floats | float) -> Floats:
        """Return quantiles of the weighted values."""
        middle = (np.cumsum(self.weight) - 0.5 * self.weight) / self.mass
        return np.asarray(np.interp(probability, middle, self.value))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where values end; None where they do not."""

    lower: float | None
    upper: float | None
    is_hard: tuple[bool, bool]  # said by the caller: beyond them nothing is possible


@dataclass(frozen=True, slots=True)
class LineCells:
    """Cells in ascending order; each array is (cells,)."""

    left: Floats
    right: Floats
    share: Floats
    atom: Bools
