"""Rank tests on weighted rows: a weight counts as so many rows."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.kernels.compile import inner, kernel
from softlearn.kernels.grow.links import join


@kernel
def link_ranks(
    label: Offsets,
    codes: AnyArray,
    numeric: Bools,
    order: AnyArray,
    weights: Floats,
    far: float,
    critical: Floats,
) -> None:
    """Join the parts of columns that depend on each other, testing the pairs with a number.

    `codes` (columns, rows) are ranks from 0 (equal values share one) or levels, -1 where missing;
    `order` (columns, rows) sorts the ranks. `far` is the critical value of Kendall's statistic,
    `critical` those of Kruskal and Wallis by degrees of freedom.
    """
    for i in range(label.size):
        for j in range(label.size):
            if not numeric[i] or label[i] == label[j] or (numeric[j] and j > i):
                continue
            if numeric[j]:
                linked = abs(kendall(codes[i], codes[j], order[i], weights)) > far
            else:
                statistic, freedom = kruskal(codes[i], codes[j], weights)
                linked = freedom > 0 and statistic > critical[freedom]
            if linked:
                join(label, i, j)


@kernel
def kendall(x: AnyArray, y: AnyArray, order: AnyArray, weights: Floats) -> float:
    """Return Kendall's statistic in standard deviations, corrected for ties.

    `x` and `y` are ranks from 0 (equal values share one), -1 where missing; `order` sorts by x.
    """
    n_y = y.max() + 1
    tree = np.zeros(n_y + 1)  # Fenwick tree: weight of the rows seen so far, by rank of y
    of_y = np.zeros(n_y)
    ties_x = np.zeros(3)
    ties_y = np.zeros(3)
    total, balance = 0.0, 0.0
    at = 0
    while at < order.size:
        end, group = at, 0.0
        while end < order.size and x[order[end]] == x[order[at]]:
            i = order[end]
            if x[i] >= 0 and y[i] >= 0:
                below = _prefix(tree, y[i])
                above = total - _prefix(tree, y[i] + 1)
                balance += weights[i] * (below - above)
                group += weights[i]
            end += 1
        for k in range(at, end):
            i = order[k]
            if x[i] >= 0 and y[i] >= 0:
                _insert(tree, y[i], weights[i])
                of_y[y[i]] += weights[i]
        total += group
        _tie(ties_x, group)
        at = end
    for k in range(n_y):
        _tie(ties_y, of_y[k])
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


@inner
def _prefix(tree: Floats, n: int) -> float:
    total = 0.0
    while n > 0:
        total += tree[n]
        n -= n & -n
    return total


@inner
def _insert(tree: Floats, at: int, weight: float) -> None:
    n = at + 1
    while n < tree.size:
        tree[n] += weight
        n += n & -n


@kernel
def kruskal(x: AnyArray, group: AnyArray, weights: Floats) -> tuple[float, int]:
    """Return the Kruskal–Wallis statistic of ranks x in groups, and its degrees of freedom.

    Both are -1 where missing.
    """
    n_x, n_groups = x.max() + 1, group.max() + 1
    of_x = np.zeros(n_x)
    mass = np.zeros(n_groups)
    rank_sum = np.zeros(n_groups)
    for i in range(x.size):
        if x[i] >= 0 and group[i] >= 0:
            of_x[x[i]] += weights[i]
            mass[group[i]] += weights[i]
    n, ties = 0.0, 0.0
    middle = np.zeros(n_x)
    for k in range(n_x):
        middle[k] = n + (of_x[k] + 1.0) / 2.0
        n += of_x[k]
        ties += of_x[k] ** 3 - of_x[k]
    for i in range(x.size):
        if x[i] >= 0 and group[i] >= 0:
            rank_sum[group[i]] += weights[i] * middle[x[i]]
    used, spread = 0, 0.0
    for g in range(n_groups):
        if mass[g] > 0.0:
            used += 1
            spread += rank_sum[g] ** 2 / mass[g]
    correction = 1.0 - ties / (n**3 - n) if n > 1.0 else 0.0
    if used < 2 or correction <= 0.0:
        return 0.0, max(used - 1, 0)
    return (12.0 / (n * (n + 1.0)) * spread - 3.0 * (n + 1.0)) / correction, used - 1
