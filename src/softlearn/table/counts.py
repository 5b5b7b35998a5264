"""Convert weights to counts of rows, with totals that do not depend on the order of rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from softlearn.arrays import Floats
from softlearn.numeric_policy import PARTS_OF_A_ROW

_LARGEST_COUNT = 1e9  # a weight beyond it does not count rows
_LOW_BITS = 27  # of 53: sums of both halves stay exact for 2**36 rows


@dataclass(frozen=True, slots=True)
class WeightTotals:
    """The totals of the weights of all rows; merging those of parts gives the same result.

    Attributes
    ----------
    n_rows, n_counted
        All rows, and those of a weight above 0.
    largest, total
        The largest weight, and the exact sum.
    are_whole
        Whether all weights are whole numbers.
    """

    n_rows: int
    n_counted: int
    largest: float
    total: Fraction
    are_whole: bool

    @classmethod
    def of(cls, weights: Floats) -> WeightTotals:
        """Return the totals of some rows."""
        return cls(
            weights.size,
            int(np.count_nonzero(weights > 0.0)),
            float(weights.max(initial=0.0)),
            exact_sum(weights),
            bool((weights == np.rint(weights)).all()),
        )

    def merged(self, other: WeightTotals) -> WeightTotals:
        """Return the totals of two sets of rows together."""
        return WeightTotals(
            self.n_rows + other.n_rows,
            self.n_counted + other.n_counted,
            max(self.largest, other.largest),
            self.total + other.total,
            self.are_whole and other.are_whole,
        )

    def as_counts(self, weights: Floats) -> Floats:
        """Return weights of some of the rows that say how often a value occurs.

        Whole numbers are counts. Fractions and huge numbers are not: they only weigh rows against
        each other, so they are divided by their mean, and rounded so that they add up exactly in
        any order.
        """
        if self.largest <= 0.0 or (self.largest <= _LARGEST_COUNT and self.are_whole):
            return weights
        rows = weights / float(self.total / self.n_counted)
        parts = np.maximum(np.rint(rows * PARTS_OF_A_ROW), 1.0)
        return np.where(weights > 0.0, parts / PARTS_OF_A_ROW, 0.0)


def exact_sum(numbers: Floats) -> Fraction:
    """Return the sum of finite numbers without any rounding."""
    mantissa, exponent = np.frexp(numbers)
    whole = (mantissa * 2.0**53).astype(np.int64)
    high, low = whole >> _LOW_BITS, whole & ((1 << _LOW_BITS) - 1)
    total = Fraction(0)
    for power in np.unique(exponent).tolist():
        same = exponent == power
        part = (int(high[same].sum()) << _LOW_BITS) + int(low[same].sum())
        total += Fraction(part) * Fraction(2) ** (power - 53)
    return total
