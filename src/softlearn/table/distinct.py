"""The distinct values of a column, and the weight of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Floats
from softlearn.table.resolution import Decimals


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct values in ascending order, and the weight of each.

    Attributes
    ----------
    value, weight
        (values,) each; a weight is above 0.
    written
        The decimals of all values, if there were so many that light neighbours have been joined;
        else None.
    """

    value: Floats
    weight: Floats
    written: Decimals | None = None

    @staticmethod
    def of(values: Floats, weights: Floats | None) -> Distinct:
        """Return the observed values of a column; rows of weight 0 are dropped."""
        counted = np.ones(values.size) if weights is None else weights
        seen = ~np.isnan(values) & (counted > 0.0)
        value, position = np.unique(values[seen] + 0.0, return_inverse=True)
        return Distinct(value, np.bincount(position, counted[seen]).astype(np.float64))

    @property
    def is_joined(self) -> bool:
        """Whether a value may stand for its neighbours too."""
        return self.written is not None

    @property
    def mass(self) -> float:
        """The total weight."""
        return float(self.weight.sum())

    def quantile(self, probability: Floats | float) -> Floats:
        """Return quantiles of the weighted values."""
        middle = (np.cumsum(self.weight) - 0.5 * self.weight) / self.mass
        return np.asarray(np.interp(probability, middle, self.value))
