"""Rank tests on weighted rows, from the table of each pair: a weight counts as so many rows."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Bools, Floats, Kinds, Offsets
from softlearn.kernels.compile import allocating_inner, allocating_kernel, inner
from softlearn.kernels.grow.bins import MISSING, code_masses
from softlearn.kernels.grow.links import join


@allocating_kernel
def link_ranks(
    label: Offsets, codes: Kinds, numeric: Bools, weights: Floats, far: float, critical: Floats
) -> None:
    """Join the parts of columns that depend on each other, testing the pairs with a number.

    `codes` (columns, rows) are ranks (equal values share one) or levels, 255 where missing. `far`
    is the critical value of Kendall's statistic, `critical` those of Kruskal and Wallis by degrees
    of freedom.
    """
    place, n_used = codes_in_use(code_masses(codes, weights))
    for i in range(label.size):
        for j in range(label.size):
            if not numeric[i] or label[i] == label[j] or (numeric[j] and j > i):
                continue
            table = np.zeros((n_used[i], n_used[j]))
            add_pairs(codes[i], codes[j], weights, place[i], place[j], table)
            if is_linked(table, numeric[j], far, critical):
                join(label, i, j)


@inner
def add_pairs(
    one: Kinds, other: Kinds, weights: Floats, place: Kinds, other_place: Kinds, table: Floats
) -> None:
    """Add the rows' weights to the table of two columns' codes."""
    for r in range(weights.size):
        if one[r] != MISSING and other[r] != MISSING:
            table[place[one[r]], other_place[other[r]]] += weights[r]


@allocating_inner
def is_linked(table: Floats, numeric: bool, far: float, critical: Floats) -> bool:
    """Return whether a number, whose ranks are the table's rows, depends on its columns."""
    if numeric:
        return abs(kendall(table)) > far
    statistic, freedom = kruskal(table)
    return freedom > 0 and statistic > critical[freedom]


@allocating_inner
def codes_in_use(mass: Floats) -> tuple[Kinds, Offsets]:
    """Return each code's place among those that a column's rows have, and how many they are."""
    place = np.zeros(mass.shape, np.uint8)
    n_used = np.zeros(mass.shape[0], np.int64)
    for j in range(mass.shape[0]):
        for k in range(MISSING):
            if mass[j, k] > 0.0:
                place[j, k] = n_used[j]
                n_used[j] += 1
    return place, n_used


@allocating_kernel
def kendall(table: Floats) -> float:
    """Return Kendall's statistic in standard deviations, corrected for ties.

    `table` holds the weight of each pair of ranks.
    """
    n_x, n_y = table.shape
    of_y = np.zeros(n_y)  # weight of the rows with a lower rank of x, by rank of y
    ties_x, ties_y = np.zeros(3), np.zeros(3)
    total, balance = 0.0, 0.0
    for a in range(n_x):
        below, group = 0.0, 0.0
        for b in range(n_y):
            above = total - below - of_y[b]
            balance += table[a, b] * (below - above)
            below += of_y[b]
            group += table[a, b]
        for b in range(n_y):
            of_y[b] += table[a, b]
        total += group
        _tie(ties_x, group)
    for b in range(n_y):
        _tie(ties_y, of_y[b])
    return _kendall_score(balance, total, ties_x, ties_y)


@inner
def _kendall_score(balance: float, n: float, ties_x: Floats, ties_y: Floats) -> float:
    """Divide concordant minus discordant pairs by the deviation under independence."""
    m = n * (n - 1.0)
    if n <= 2.0 or ties_x[0] * 2.0 >= m or ties_y[0] * 2.0 >= m:
        return 0.0
    variance = (m * (2.0 * n + 5.0) - ties_x[2] - ties_y[2]) / 18.0
    variance += 2.0 * ties_x[0] * ties_y[0] / m
    variance += ties_x[1] * ties_y[1] / (9.0 * m * (n - 2.0))
    return balance / math.sqrt(variance) if variance > 0.0 else 0.0


@inner
def _tie(ties: Floats, t: float) -> None:
    """Add a group of t equal values to the three sums that correct for ties."""
    ties[0] += t * (t - 1.0) / 2.0
    ties[1] += t * (t - 1.0) * (t - 2.0)
    ties[2] += t * (t - 1.0) * (2.0 * t + 5.0)


@allocating_kernel
def kruskal(table: Floats) -> tuple[float, int]:
    """Return the Kruskal–Wallis statistic of ranks in groups, and its degrees of freedom.

    `table` holds the weight of each rank (its rows) in each group (its columns).
    """
    n_x, n_groups = table.shape
    mass, rank_sum = np.zeros(n_groups), np.zeros(n_groups)
    n, ties = 0.0, 0.0
    for a in range(n_x):
        own = 0.0
        for g in range(n_groups):
            own += table[a, g]
        middle = n + (own + 1.0) / 2.0
        for g in range(n_groups):
            mass[g] += table[a, g]
            rank_sum[g] += table[a, g] * middle
        n += own
        ties += own**3 - own
    used, spread = 0, 0.0
    for g in range(n_groups):
        if mass[g] > 0.0:
            used += 1
            spread += rank_sum[g] ** 2 / mass[g]
    correction = 1.0 - ties / (n**3 - n) if n > 1.0 else 0.0
    if used < 2 or correction <= 0.0:
        return 0.0, max(used - 1, 0)
    return (12.0 / (n * (n + 1.0)) * spread - 3.0 * (n + 1.0)) / correction, used - 1
