"""Group columns that depend on each other, from weighted tables of all pairs at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import chdtri, ndtri

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.stats.bins import MISSING

Test: TypeAlias = Literal["chi2", "g"]

# A table of r × c cells needs more than this many rows' worth of weight a cell, and a test of
# ranks, which has no cells, as much as the smallest table.
WEIGHT_PER_CELL: Final = 2.0


class PairTables(NamedTuple):
    """Weighted sums over a node's rows, from which all pairs of columns are tested.

    A row's features are indicators of the levels of all columns; then, for each number, its rank
    and the square of its rank. The features of a missing cell are zeros, so each pair is tested on
    the rows in which both cells are observed.

    Attributes
    ----------
    sums
        (features, features) the products of all pairs of features, added up by weight.
    groups
        (columns + 1,) where each column's levels begin; the ranks follow the last.
    numeric
        (columns,) which columns are numbers, whose levels are bins.
    rows_a_weight
        The effective number of rows per unit of weight; at least 1 for shares of rows.
    """

    sums: AnyArray
    groups: Offsets
    numeric: Bools
    rows_a_weight: float


def binary_parts(both: AnyArray, mass: float, significance: float, test: Test = "chi2") -> Offsets:
    """Return a label per column; columns that depend on each other, by any chain, share it.

    Parameters
    ----------
    both
        (columns, columns) weight of the rows where both columns are 1; the diagonal holds the
        weight of each column's ones. Columns have two levels and no missing cell.
    mass
        Weight of all rows.
    significance
        A pair is dependent when its test has a smaller p-value.
    test
        Pearson's chi-square with Yates' correction, or the G-test.
    """
    from softlearn.kernels.grow.links import link_binary  # noqa: PLC0415 - loads Numba

    critical = float(_critical(significance, 1)[1])
    return link_binary(both, mass, critical, WEIGHT_PER_CELL, test == "g")


def critical_values(significance: float, most: int) -> Floats:
    """Return critical values of chi-square by degrees of freedom, at this level and half of it.

    The shape is (2, most + 1).
    """
    return _whole_and_half(significance, most)


def kendall_critical_value(significance: float) -> float:
    """Return what Kendall's statistic, in standard deviations, exceeds for dependent columns."""
    return -float(ndtri(significance / 2.0))


def table_parts(tables: PairTables, significance: float, test: Test = "chi2") -> Offsets:
    """Return a label per column, as ``binary_parts``, for numbers and any number of levels.

    Two columns of levels are tested by their table. A pair with a number is first tested by ranks,
    which finds trends in nodes too light for tables: two numbers by Spearman's correlation, a
    number and levels by Kruskal and Wallis. If that is not significant, their table is tested for
    dependence without a trend, at half the significance level, to limit false alarms.

    Parameters
    ----------
    tables
        The node's rows.
    significance, test
        As for ``binary_parts``; Yates' correction is made in tables of two by two.
    """
    from softlearn.kernels.grow.links import link_tables  # noqa: PLC0415 - loads Numba

    widest = int(np.diff(tables.groups).max())
    critical = _whole_and_half(significance, (widest - 1) ** 2)
    return link_tables(*tables, critical, WEIGHT_PER_CELL, test == "g")


def rank_parts(
    parts: Offsets, codes: AnyArray, numeric: Bools, weights: Floats, significance: float
) -> Offsets:
    """Return the labels after the pairs with a number are tested by their ranks.

    Two numbers are tested by Kendall's tau, a number and levels by Kruskal and Wallis.

    Parameters
    ----------
    parts
        (columns,) labels so far.
    codes
        (columns, rows) ranks of numbers, equal ones sharing one, and codes of levels; 255 is
        missing.
    numeric
        (columns,) which columns hold ranks.
    weights
        (rows,) a weight counts as so many rows.
    significance
        A pair is dependent when its test has a smaller p-value.
    """
    from softlearn.kernels.grow.ranks import link_ranks  # noqa: PLC0415 - loads Numba

    joined = parts.copy()
    critical = _critical(significance, MISSING)
    far = kendall_critical_value(significance)
    link_ranks(joined, codes.astype(np.uint8), numeric, weights, far, critical)
    return joined


@lru_cache(maxsize=16)
def _whole_and_half(significance: float, most: int) -> Floats:
    """Return the critical values at the significance and at half of it, (2, freedom)."""
    return np.stack([_critical(significance, most), _critical(significance / 2.0, most)])


@lru_cache(maxsize=16)
def _critical(significance: float, most: int) -> Floats:
    """Return the critical value of chi-square by degrees of freedom, 0 to most."""
    freedom = np.arange(1, max(most, 1) + 1)
    values: Floats = np.concatenate([[0.0], chdtri(freedom, significance)])
    return values
