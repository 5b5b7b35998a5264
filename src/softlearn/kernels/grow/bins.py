"""Join a node's codes to a few levels, and lay its rows out as features for the tests."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Kinds, Offsets
from softlearn.kernels.compile import inner, kernel

MISSING = 255  # the code of a missing cell
ON_EDGE = 2.0**-20  # what lies on an edge, but for rounding, belongs to the upper bin
_N_CODES = 256


@kernel
def join_codes(
    codes: Kinds,
    rows: Ids,
    columns: Ids,
    weights: Floats,
    n_codes: Offsets,
    numeric: Bools,
    weight_a_cell: float,
    most_bins: int,
    coarse: bool,
) -> tuple[Kinds, AnyArray, Offsets]:
    """Return a column's level for each code, its middle rank, and how many levels a column has.

    Numbers are cut at quantiles and, if `coarse`, rare levels of other columns taken together, so
    that a table of two such columns has enough weight a cell.
    """
    level = np.empty((columns.size, _N_CODES), np.uint8)
    mid_rank = np.zeros((columns.size, _N_CODES), np.float32)
    n_levels, mass = np.empty(columns.size, np.int64), np.empty(_N_CODES)
    for j in range(columns.size):
        for k in range(_N_CODES):
            level[j, k], mass[k] = MISSING, 0.0
        for i in range(rows.size):
            mass[codes[rows[i], columns[j]]] += weights[i]
        own, total = mass[: n_codes[j]], 0.0
        for k in range(own.size):
            total += own[k]
        most = max(2, int(math.sqrt(total / weight_a_cell)))
        if numeric[j]:
            n_levels[j] = _quantiles(own, total, min(most, most_bins), level[j], mid_rank[j])
        else:
            n_levels[j] = _most_frequent(own, most if coarse else own.size, level[j])
    return level, mid_rank, n_levels


@inner
def _quantiles(mass: Floats, total: float, n_bins: int, level: Kinds, mid_rank: AnyArray) -> int:
    """Cut ordered codes into bins of about equal weight; bins that would be empty are closed up.

    Ranks go from -1/2 to 1/2. Missing is 0, and so is their mean: sums in single precision lose
    nothing.
    """
    up_to, before, n_levels = 0.0, -1, 0
    for k in range(mass.size):
        middle = (up_to + 0.5 * mass[k]) / total if total > 0.0 else 0.5
        up_to += mass[k]
        here = min(int(middle * n_bins + ON_EDGE), n_bins - 1) if total > 0.0 else 0
        n_levels += here > before
        before = here
        level[k], mid_rank[k] = n_levels - 1, middle - 0.5
    return n_levels


@inner
def _most_frequent(mass: Floats, n_kept: int, level: Kinds) -> int:
    """Give the heaviest codes a level each, and all others one together."""
    if mass.size <= n_kept:
        for k in range(mass.size):
            level[k] = k
        return int(mass.size)
    for k in range(mass.size):
        level[k] = n_kept - 1
    for place in range(n_kept - 1):
        best = -1
        for k in range(mass.size):
            if level[k] == n_kept - 1 and (best < 0 or mass[k] > mass[best]):
                best = k
        level[best] = place
    return n_kept


@kernel
def write_features(
    codes: Kinds,
    rows: Ids,
    columns: Ids,
    level: Kinds,
    mid_rank: AnyArray,
    groups: Offsets,
    numeric: Bools,
    out: AnyArray,
) -> None:
    """Set a row's features in `out`, (rows, features) of zeros; see ``PairTables``."""
    rank = groups[-1]
    for j in range(columns.size):
        for i in range(rows.size):
            code = codes[rows[i], columns[j]]
            if level[j, code] == MISSING:
                continue
            out[i, groups[j] + level[j, code]] = 1.0
            if numeric[j]:
                out[i, rank] = mid_rank[j, code]
                out[i, rank + 1] = mid_rank[j, code] * mid_rank[j, code]
        rank += 2 * numeric[j]
