"""Group dependent columns: test pairs that are not yet connected, and join their groups."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.kernels.compile import allocating_inner, allocating_kernel, inner

_NOTHING = 2.0**-30  # weight below this is rounding, not rows
_NO_SPREAD = 2.0**-12  # ranks with a variance below this share of their squares are constant


@allocating_kernel
def link_binary(
    both: AnyArray, mass: float, critical: float, least_mass: float, g_test: bool
) -> Offsets:
    """Return a label per column, equal in each part; columns have two levels and no missing cell.

    `both` is the weight of the rows where two columns are 1; its diagonal that of a column's ones.
    """
    label = _each_its_own(both.shape[0])
    if mass <= 4.0 * least_mass:
        return label
    varied = np.empty(label.size, np.int64)  # a constant column depends on no other
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


@allocating_kernel
def link_tables(
    sums: AnyArray,
    groups: Offsets,
    numeric: Bools,
    rows_a_weight: float,
    critical: Floats,
    least_mass: float,
    g_test: bool,
) -> Offsets:
    """Return a label per column, equal in each part.

    The first four are `PairTables`; `critical` is by degrees of freedom, at the whole significance
    and at half of it.
    """
    label = _each_its_own(groups.size - 1)
    rank = _places_of_ranks(groups, numeric)
    sides = np.empty((2, sums.shape[0]))
    sizes = (rows_a_weight, least_mass)
    _join_dependent(label, sums, groups, numeric, rank, sides, critical, sizes, g_test)
    return label


@inner
def _join_dependent(
    label: Offsets,
    sums: AnyArray,
    groups: Offsets,
    numeric: Bools,
    rank: Offsets,
    sides: Floats,
    critical: Floats,
    sizes: tuple[float, float],
    g_test: bool,
) -> None:
    """Join the parts of dependent columns; `sides` is scratch for the margins of a table."""
    across, down = sides[0], sides[1]
    rows_a_weight, least_mass = sizes
    for i in range(label.size):
        for j in range(i):
            if label[i] == label[j]:
                continue
            is_linked, threshold = False, 0
            if numeric[i] or numeric[j]:
                one, other = (i, j) if numeric[i] else (j, i)
                statistic, freedom, mass = _trend(sums, groups, rank, one, other)
                statistic *= mass * rows_a_weight - 1.0
                enough = freedom > 0 and mass > 4.0 * least_mass
                is_linked = enough and statistic > critical[0, freedom]
                threshold = 1
            if not is_linked:
                table = sums[groups[i] : groups[i + 1], groups[j] : groups[j + 1]]
                is_linked = _is_dependent(
                    table, across, down, critical[threshold], least_mass, g_test
                )
            if is_linked:
                join(label, i, j)


@allocating_inner
def _places_of_ranks(groups: Offsets, numeric: Bools) -> Offsets:
    """Return the feature that is each number's rank, -1 for levels; the next is its square."""
    rank = np.empty(numeric.size, np.int64)
    place = groups[-1]
    for i in range(numeric.size):
        rank[i] = place if numeric[i] else -1
        place += 2 * numeric[i]
    return rank


@inner
def _trend(
    sums: AnyArray, groups: Offsets, rank: Offsets, i: int, j: int
) -> tuple[float, int, float]:
    """Return the share of the variance of number i's ranks that column j explains.

    That is the squared correlation with the ranks of a number, with one degree of freedom, or the
    variance between levels. The degrees of freedom and the weight of the rows are returned too.
    """
    mass, total, square = 0.0, 0.0, 0.0
    for b in range(groups[j], groups[j + 1]):
        mass += _weight_of(sums, groups, i, b)
        total += sums[rank[i], b]
        square += sums[rank[i] + 1, b]
    if mass <= _NOTHING:
        return 0.0, 0, mass
    spread = square - total * total / mass
    if spread <= max(_NO_SPREAD * square, _NOTHING):
        return 0.0, 0, mass
    if rank[j] < 0:
        between, n_levels = 0.0, 0
        for b in range(groups[j], groups[j + 1]):
            own = _weight_of(sums, groups, i, b)
            if own > _NOTHING:
                n_levels += 1
                gap = sums[rank[i], b] - own * (total / mass)
                between += gap * gap / own
        return between / spread, n_levels - 1, mass
    total_j, square_j = 0.0, 0.0
    for a in range(groups[i], groups[i + 1]):
        total_j += sums[rank[j], a]
        square_j += sums[rank[j] + 1, a]
    spread_j = square_j - total_j * total_j / mass
    if spread_j <= max(_NO_SPREAD * square_j, _NOTHING):
        return 0.0, 0, mass
    together = sums[rank[i], rank[j]] - total * total_j / mass
    return together * together / (spread * spread_j), 1, mass


@inner
def _weight_of(sums: AnyArray, groups: Offsets, i: int, level: int) -> float:
    """Return the weight of the rows that have a level and a cell of column i."""
    weight = 0.0
    for a in range(groups[i], groups[i + 1]):
        weight += sums[a, level]
    return weight


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


@allocating_inner
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
