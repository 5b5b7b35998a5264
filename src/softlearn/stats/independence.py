"""Which pairs of columns depend on each other, from weighted tables of all pairs at once."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from scipy.special import chdtri

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.numeric_policy import NO_WEIGHT

Test: TypeAlias = Literal["chi2", "g"]

# A table of r × c cells needs more than this many rows' worth of weight a cell.
WEIGHT_PER_CELL = 2.0


def components(dependent: Bools) -> AnyArray:
    """Return the component of each column when dependent columns hang together, (columns,).

    A search in whole rows of the matrix: few steps, where scipy's conversion to a sparse graph
    alone takes ten times as long on a hundred columns.
    """
    label = np.full(dependent.shape[0], -1)
    alone = ~dependent.any(axis=1)
    label[alone] = np.arange(np.count_nonzero(alone))
    n = int(np.count_nonzero(alone))
    while (label < 0).any():
        reached = np.zeros(label.size, dtype=bool)
        edge = np.array([int(np.argmax(label < 0))])
        while edge.size:
            reached[edge] = True
            edge = np.flatnonzero(dependent[edge].any(axis=0) & ~reached)
        label[reached] = n
        n += 1
    return label


def dependent_binary(both: Floats, mass: float, significance: float, test: Test = "chi2") -> Bools:
    """Return which pairs of columns with two levels and no missing cell are dependent.

    Parameters
    ----------
    both
        (columns, columns) weight of the rows where both columns are 1; the diagonal holds the
        weight of each column's ones.
    mass
        Weight of all rows.
    significance
        A pair is dependent when its test has a smaller p-value.
    test
        Pearson's chi-square with Yates' correction, or the G-test.
    """
    ones = np.diag(both).copy()
    zeros = mass - ones
    live = (ones > mass * NO_WEIGHT) & (zeros > mass * NO_WEIGHT)
    if mass <= WEIGHT_PER_CELL * 4:
        return np.zeros(both.shape, dtype=bool)
    if test == "chi2":
        scale = np.where(live, ones * zeros, 1.0)
        gap = np.abs(both * mass - np.outer(ones, ones)) - mass / 2.0
        statistic = mass * np.maximum(gap, 0.0) ** 2 / np.outer(scale, scale)
    else:
        cells = (
            (both, np.outer(ones, ones)),
            (ones[:, None] - both, np.outer(ones, zeros)),
            (ones[None, :] - both, np.outer(zeros, ones)),
            (mass - ones[:, None] - ones[None, :] + both, np.outer(zeros, zeros)),
        )
        statistic = np.add.reduce([_g_terms(seen, product / mass) for seen, product in cells])
    found: Bools = (statistic > chdtri(1, significance)) & np.outer(live, live)
    return found


def dependent(tables: Floats, groups: Offsets, significance: float, test: Test = "chi2") -> Bools:
    """Return which pairs of columns are dependent, (columns, columns).

    Parameters
    ----------
    tables
        (levels, levels) weight of the rows that have both levels; the levels of all columns
        follow each other. A row that lacks a column has none of its levels, so each pair's table
        counts the rows that have both columns.
    groups
        (columns + 1,) where each column's levels begin.
    significance, test
        As for ``dependent_binary``; Yates' correction is made in tables of two by two.
    """
    starts = groups[:-1]
    margin = np.add.reduceat(tables, starts, axis=1)  # (levels, columns) weight next to a column
    mass = np.add.reduceat(margin, starts, axis=0)  # (columns, columns)
    used = np.add.reduceat(margin > NO_WEIGHT, starts, axis=0, dtype=np.int64)  # levels in use
    n_cells = used * used.T
    column = np.repeat(np.arange(starts.size), np.diff(groups))
    pair = np.ix_(column, column)
    expected = margin[:, column] * margin[:, column].T / np.where(mass > 0.0, mass, 1.0)[pair]
    divisor = np.where(expected > 0.0, expected, 1.0)
    if test == "chi2":
        yates = np.where(n_cells == 4, 0.5, 0.0)[pair]
        terms = np.maximum(np.abs(tables - expected) - yates, 0.0) ** 2 / divisor
    else:
        terms = _g_terms(tables, divisor)
    terms = np.where(expected > 0.0, terms, 0.0)
    statistic = np.add.reduceat(np.add.reduceat(terms, starts, axis=1), starts, axis=0)
    freedom = (used - 1) * (used.T - 1)
    critical = chdtri(np.maximum(freedom, 1), significance)
    found: Bools = (statistic > critical) & (freedom > 0) & (mass > WEIGHT_PER_CELL * n_cells)
    return found


def _g_terms(observed: Floats, expected: Floats) -> Floats:
    """Return the cells' parts of the G statistic; an empty cell has none."""
    safe = (observed > 0.0) & (expected > 0.0)
    ratio = np.where(safe, observed, 1.0) / np.where(safe, expected, 1.0)
    terms: Floats = 2.0 * observed * np.log(ratio)
    return terms
