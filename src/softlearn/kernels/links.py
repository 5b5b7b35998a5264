"""Which columns hang together: test pairs that are not yet connected, and join what depends."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.kernels.compile import inner, kernel

_NOTHING = 2.0**-30  # weight below this is rounding, not rows


@kernel
def link_binary(
    both: AnyArray, mass: float, critical: float, least_mass: float, g_test: bool
) -> Offsets:
    """Return a label a column, equal in each part; columns have two levels and no missing cell.

    `both` is the weight of the rows where two columns are 1; its diagonal that of a column's ones.
    """
    label = _each_its_own(both.shape[0])
    if mass <= 4.0 * least_mass:
        return label
    varied = np.empty(label.size, np.int64)  # a column that is constant hangs on no other
    n_varied = 0
    for i in range(label.size):
        if 0.0 < both[i, i] < mass:
            varied[n_varied] = i
            n_varied += 1
    for k in range(n_varied):
        i = varied[k]
        for j in varied[:k]:
            if label[i] == label[j]:
                continue
            a, b, c = both[i, i], both[j, j], both[i, j]
            spread = a * (mass - a) * b * (mass - b)
            if g_test:
                statistic = _g_term(c, a * b / mass) + _g_term(a - c, a * (mass - b) / mass)
                statistic += _g_term(b - c, (mass - a) * b / mass)
                statistic += _g_term(mass - a - b + c, (mass - a) * (mass - b) / mass)
                linked = statistic > critical
            else:  # Yates takes half a row off the gap
                gap = max(abs(c * mass - a * b) - 0.5 * mass, 0.0)
                linked = mass * gap * gap > critical * spread
            if linked and spread > 0.0:
                join(label, i, j)
    return label


@kernel
def link_tables(
    tables: AnyArray, groups: Offsets, critical: Floats, least_mass: float, g_test: bool
) -> Offsets:
    """Return a label a column, equal in each part.

    `tables` is the weight of the rows that have two levels, (levels, levels), the levels of all
    columns behind each other; `critical` is by degrees of freedom.
    """
    label = _each_its_own(groups.size - 1)
    across, down = np.empty(tables.shape[0]), np.empty(tables.shape[0])
    for i in range(label.size):
        for j in range(i):
            if label[i] == label[j]:
                continue
            table = tables[groups[i] : groups[i + 1], groups[j] : groups[j + 1]]
            if _is_dependent(table, across, down, critical, least_mass, g_test):
                join(label, i, j)
    return label


@inner
def _is_dependent(
    table: AnyArray,
    across: Floats,
    down: Floats,
    critical: Floats,
    least_mass: float,
    g_test: bool,
) -> bool:
    """Test one table; levels without weight do not count."""
    n_across, n_down, mass = 0, 0, 0.0
    for b in range(table.shape[1]):
        down[b] = 0.0
    for a in range(table.shape[0]):
        across[a] = 0.0
        for b in range(table.shape[1]):
            across[a] += table[a, b]
            down[b] += table[a, b]
        n_across += across[a] > _NOTHING
        mass += across[a]
    for b in range(table.shape[1]):
        n_down += down[b] > _NOTHING
    freedom = (n_across - 1) * (n_down - 1)
    if freedom <= 0 or mass <= least_mass * n_across * n_down:
        return False
    yates = 0.5 if n_across * n_down == 4 else 0.0
    statistic = 0.0
    for a in range(table.shape[0]):
        for b in range(table.shape[1]):
            expected = across[a] * down[b] / mass
            if expected <= 0.0:
                continue
            if g_test:
                statistic += _g_term(table[a, b], expected)
            else:
                gap = max(abs(table[a, b] - expected) - yates, 0.0)
                statistic += gap * gap / expected
    return bool(statistic > critical[freedom])


@inner
def _g_term(observed: float, expected: float) -> float:
    """Return a cell's part of the G statistic; an empty cell has none."""
    if observed <= 0.0 or expected <= 0.0:
        return 0.0
    return 2.0 * observed * math.log(observed / expected)


@inner
def _each_its_own(n: int) -> Offsets:
    label = np.empty(n, np.int64)
    for i in range(n):
        label[i] = i
    return label


@inner
def join(label: Offsets, i: int, j: int) -> None:
    """Make the parts of columns i and j one."""
    old, new = label[i], label[j]
    for k in range(label.size):
        if label[k] == old:
            label[k] = new
