"""Score blocks of rows, and add up their features: the inner loops of clustering."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids, Offsets
from softlearn.kernels.cluster.rows import Planes, RowData, Scratch, Sums
from softlearn.kernels.compile import inner

BLOCK = 256  # rows whose scores and weights stay in the first-level cache
APART = 4  # accumulators for the weight of each level


@inner
def score_block(
    data: RowData,
    planes: Planes,
    slope: AnyArray,
    c: int,
    is_relative: bool,
    first: int,
    n: int,
    out: AnyArray,
) -> None:
    """Write the scores of rows first : first + n in cluster c to out, relative to cluster 0 or not.

    `slope` is float32, already relative, and ends in an additional zero.
    """
    base = planes.base[c] - (planes.base[0] if is_relative else 0.0)
    for r in range(n):
        out[r] = base
    if data.dense.shape[0] > 0:
        _dense_scores(data.dense, slope, c, first, n, out)
    elif data.feature.size > 0:
        _listed_scores(data.start, data.feature, slope[c], first, n, out)
    if data.levels.shape[0] > 0:
        _level_scores(data.levels, slope[c], first, n, out)
    if data.numbers.shape[0] > 0:
        _number_scores(data.numbers, planes.numbers, c, is_relative, first, n, out)


@inner
def _listed_scores(
    start: Offsets, feature: Ids, slope: AnyArray, first: int, n: int, out: AnyArray
) -> None:
    """Add the slopes of the features of sparse rows."""
    for r in range(n):
        total = np.float32(0.0)
        for e in range(start[first + r], start[first + r + 1]):
            total += slope[feature[e]]
        out[r] += total


@inner
def _level_scores(levels: Ids, slope: AnyArray, first: int, n: int, out: AnyArray) -> None:
    """Add the slopes of the rows' levels; the last slope is that of a missing cell, zero."""
    for j in range(levels.shape[0]):
        cells = levels[j, first : first + n]
        for r in range(n):
            out[r] += slope[np.uint32(cells[r])]


@inner
def _number_scores(
    numbers: AnyArray,
    polynomial: Floats,
    c: int,
    is_relative: bool,
    first: int,
    n: int,
    out: AnyArray,
) -> None:
    """Add c₀ + z (c₁ + z c₂) for all observed numbers, in single precision as the other scores."""
    end, off, nothing = first + n, 1.0 if is_relative else 0.0, np.float32(0.0)
    for j in range(numbers.shape[0]):
        c0 = np.float32(polynomial[c, j, 0] - off * polynomial[0, j, 0])
        c1 = np.float32(polynomial[c, j, 1] - off * polynomial[0, j, 1])
        c2 = np.float32(polynomial[c, j, 2] - off * polynomial[0, j, 2])
        cells = numbers[j, first:end]
        for r in range(n):
            z = cells[r]
            out[r] += c0 + z * (c1 + z * c2) if z == z else nothing


@inner
def _dense_scores(
    dense: AnyArray, slope: AnyArray, c: int, first: int, n: int, out: AnyArray
) -> None:
    """Add slope · indicators; four features a pass over `out` spare it three passes.

    With views of the rows, indices need no check whether they are negative.
    """
    last, end = dense.shape[0] - dense.shape[0] % 4, first + n
    for j in range(0, last, 4):
        x0, x1 = dense[j, first:end], dense[j + 1, first:end]
        x2, x3 = dense[j + 2, first:end], dense[j + 3, first:end]
        s0, s1, s2, s3 = slope[c, j], slope[c, j + 1], slope[c, j + 2], slope[c, j + 3]
        for r in range(n):
            out[r] += (s0 * x0[r] + s1 * x1[r]) + (s2 * x2[r] + s3 * x3[r])
    for j in range(last, dense.shape[0]):
        s0, x0 = slope[c, j], dense[j, first:end]
        for r in range(n):
            out[r] += s0 * x0[r]


@inner
def add_block(data: RowData, scratch: Scratch, c: int, first: int, n: int, sums: Sums) -> None:
    """Add rows first : first + n to cluster c, each with its weight in `scratch.part`.

    Sums of levels go to `scratch.apart`.
    """
    part, single, total = scratch.part, scratch.single, 0.0
    for r in range(n):
        total += part[r]
    for r in range(n):
        single[r] = part[r]
    sums.mass[c] += total
    if data.dense.shape[0] > 0:
        _add_dense(data.dense, single, c, first, n, sums.indicators)
    elif data.feature.size > 0:
        _add_listed(data.start, data.feature, part, first, n, sums.indicators[c])
    if data.levels.shape[0] > 0:
        _add_levels(data.levels, part, first, n, scratch.apart[c])
    if data.numbers.shape[0] > 0:
        _add_numbers(data.numbers, part, c, first, n, sums.numbers)


@inner
def _add_listed(
    start: Offsets, feature: Ids, part: Floats, first: int, n: int, out: Floats
) -> None:
    """Add the rows' weights to the features of sparse rows."""
    for r in range(n):
        for e in range(start[first + r], start[first + r + 1]):
            out[feature[e]] += part[r]


@inner
def _add_levels(levels: Ids, part: Floats, first: int, n: int, apart: Floats) -> None:
    """Add the rows' weights to their levels, in `APART` accumulators by turns.

    Neighbouring rows often have the same level, and additions to it would wait for each other.
    """
    a0, a1, a2, a3 = apart[0], apart[1], apart[2], apart[3]
    last = n - n % APART
    for j in range(levels.shape[0]):
        cells = levels[j, first : first + n]
        for r in range(0, last, APART):
            a0[np.uint32(cells[r])] += part[r]
            a1[np.uint32(cells[r + 1])] += part[r + 1]
            a2[np.uint32(cells[r + 2])] += part[r + 2]
            a3[np.uint32(cells[r + 3])] += part[r + 3]
        for r in range(last, n):
            a0[np.uint32(cells[r])] += part[r]


@inner
def _add_numbers(
    numbers: AnyArray, part: Floats, c: int, first: int, n: int, moments: Floats
) -> None:
    """Add up mass, sum and sum of squares, in double precision.

    The sums of cluster 0 are differences, and so is a variance, so these need the precision.
    """
    for j in range(numbers.shape[0]):
        cells = numbers[j, first : first + n]
        m0, m1, m2 = 0.0, 0.0, 0.0
        for r in range(n):
            z = np.float64(cells[r]) if cells[r] == cells[r] else 0.0
            own = part[r] if cells[r] == cells[r] else 0.0
            m0 += own
            m1 += own * z
            m2 += own * z * z
        moments[c, j, 0] += m0
        moments[c, j, 1] += m1
        moments[c, j, 2] += m2


@inner
def _add_dense(
    dense: AnyArray, single: AnyArray, c: int, first: int, n: int, indicators: Floats
) -> None:
    """Add up columns in single precision, which a block is short enough for."""
    last, end = dense.shape[0] - dense.shape[0] % 4, first + n
    for j in range(0, last, 4):
        x0, x1 = dense[j, first:end], dense[j + 1, first:end]
        x2, x3 = dense[j + 2, first:end], dense[j + 3, first:end]
        t0, t1, t2, t3 = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
        for r in range(n):
            t0 += single[r] * x0[r]
            t1 += single[r] * x1[r]
            t2 += single[r] * x2[r]
            t3 += single[r] * x3[r]
        indicators[c, j] += t0
        indicators[c, j + 1] += t1
        indicators[c, j + 2] += t2
        indicators[c, j + 3] += t3
    for j in range(last, dense.shape[0]):
        t0, x0 = np.float32(0.0), dense[j, first:end]
        for r in range(n):
            t0 += single[r] * x0[r]
        indicators[c, j] += t0
