"""The different values of a column, and how much each of them counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError

_LARGEST_COUNT = 1e9  # a weight beyond it does not count rows


def as_counts(weights: Floats) -> Floats:
    """Return weights that say how often a value occurs.

    Whole numbers do. Others do not look like counts, and neither do numbers beyond all counts:
    they only tell rows apart, so they are divided by their average.
    """
    largest = weights.max(initial=0.0)
    if largest <= 0.0 or (largest <= _LARGEST_COUNT and (weights == np.rint(weights)).all()):
        return weights
    relative = weights / largest
    return np.asarray(relative / relative[relative > 0.0].mean())


@dataclass(frozen=True, slots=True)
class Distinct:
    """The different values in ascending order, and the weight of each."""

    value: Floats
    weight: Floats

    @staticmethod
    def of(values: Floats, weights: Floats | None) -> Distinct:
        """Return the values of a column that are not missing; a weight of 0 is absence."""
        counted = np.ones(values.size) if weights is None else weights
        seen = ~np.isnan(values) & (counted > 0.0)
        if not seen.any():
            raise SchemaError("a scale is found from values, and all of them are missing")
        value, position = np.unique(values[seen] + 0.0, return_inverse=True)
        return Distinct(value, np.bincount(position, counted[seen]).astype(np.float64))

    @property
    def mass(self) -> float:
        """The weight of all of them."""
        return float(self.weight.sum())

    def quantile(self, probability: Floats | float) -> Floats:
        """Return quantiles of the weighted values."""
        middle = (np.cumsum(self.weight) - 0.5 * self.weight) / self.mass
        return np.asarray(np.interp(probability, middle, self.value))
