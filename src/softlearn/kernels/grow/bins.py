"""Join a node's codes to a few levels, and compute the sums for the tests of all pairs."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Kinds, Offsets
from softlearn.kernels.compile import allocating_inner, allocating_kernel, inner

MISSING = 255  # the code of a missing cell
ON_EDGE = 2.0**-20  # values on an edge, up to rounding, belong to the upper bin
# In each node, numbers are cut at quantiles of its own rows and rare levels are joined, so that the
# table of a pair has this much weight per cell, which tests need. With six bins in all nodes, the
# circuits of vowel and segment stop at a third of their size.
MOST_NODE_BINS = 4  # of a number
WEIGHT_PER_CELL = 2.5
_N_CODES = 256
_TOGETHER = 8192  # rows whose products are added up in single precision: exact, and little memory


@allocating_kernel
def pair_tables(
    codes: Kinds, weights: Floats, n_codes: Offsets, numeric: Bools, coarse: bool
) -> tuple[Floats, Offsets]:
    """Return the sums and the groups of ``softlearn.stats.independence.PairTables``.

    `codes` are (columns, rows). Unless `coarse`, discrete columns keep all their levels.
    """
    mass = code_masses(codes, weights)
    level, mid_rank, groups = join_codes(mass, n_codes, numeric, coarse)
    return pair_sums_of_levels(codes, weights, level, mid_rank, groups, numeric), groups


@allocating_inner
def code_masses(codes: Kinds, weights: Floats) -> Floats:
    """Return the weight of each code, (columns, 256)."""
    mass = np.zeros((codes.shape[0], _N_CODES))
    for j in range(codes.shape[0]):
        for i in range(weights.size):
            mass[j, codes[j, i]] += weights[i]
    return mass


@allocating_inner
def join_codes(
    mass: Floats, n_codes: Offsets, numeric: Bools, coarse: bool
) -> tuple[Kinds, AnyArray, Offsets]:
    """Return a column's level for each code, its middle rank, and where a column's levels begin.

    Numbers are cut at quantiles and, if `coarse`, rare levels of other columns taken together, so
    that a table of two such columns has enough weight per cell. `mass` is the weight of each code.
    """
    level = np.empty(mass.shape, np.uint8)
    mid_rank = np.zeros(mass.shape, np.float32)
    groups = np.zeros(mass.shape[0] + 1, np.int64)
    for j in range(mass.shape[0]):
        for k in range(_N_CODES):
            level[j, k] = MISSING
        own, total = mass[j, : n_codes[j]], 0.0
        for k in range(own.size):
            total += own[k]
        most = max(2, int(math.sqrt(total / WEIGHT_PER_CELL)))
        if numeric[j]:
            n_levels = _quantiles(own, total, min(most, MOST_NODE_BINS), level[j], mid_rank[j])
        else:
            n_levels = _most_frequent(own, most if coarse else own.size, level[j])
        groups[j + 1] = groups[j] + n_levels
    return level, mid_rank, groups


@allocating_inner
def pair_sums_of_levels(
    codes: Kinds,
    weights: Floats,
    level: Kinds,
    mid_rank: AnyArray,
    groups: Offsets,
    numeric: Bools,
) -> Floats:
    """Return the products of all pairs of features, added up by weight, (features, features)."""
    n_features = groups[-1]
    for j in range(numeric.size):
        n_features += 2 * numeric[j]
    sums = np.zeros((n_features, n_features))
    for first in range(0, weights.size, _TOGETHER):
        n = min(_TOGETHER, weights.size - first)
        some, weight = codes[:, first : first + n], weights[first : first + n]
        plain = np.zeros((n_features, n), np.float32)
        _write_features(some, level, mid_rank, groups, numeric, plain)
        weighted = np.empty((n_features, n), np.float32)
        for j in range(n_features):
            for i in range(n):
                weighted[j, i] = plain[j, i] * np.float32(weight[i])
        products = np.dot(weighted, plain.T)
        for j in range(n_features):
            for k in range(n_features):
                sums[j, k] += products[j, k]
    return sums


@inner
def _quantiles(mass: Floats, total: float, n_bins: int, level: Kinds, mid_rank: AnyArray) -> int:
    """Cut ordered codes into bins of about equal weight; bins that would be empty are closed up.

    Ranks go from -1/2 to 1/2. Their mean is 0, and so is a missing cell, so that sums in single
    precision are precise.
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


@inner
def _write_features(
    codes: Kinds,
    level: Kinds,
    mid_rank: AnyArray,
    groups: Offsets,
    numeric: Bools,
    out: AnyArray,
) -> None:
    """Set the rows' features in `out`, (features, rows) of zeros."""
    rank = groups[-1]
    for j in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            code = codes[j, i]
            if level[j, code] == MISSING:
                continue
            out[groups[j] + level[j, code], i] = 1.0
            if numeric[j]:
                out[rank, i] = mid_rank[j, code]
                out[rank + 1, i] = mid_rank[j, code] * mid_rank[j, code]
        rank += 2 * numeric[j]
