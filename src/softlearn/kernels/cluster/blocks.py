"""Score blocks of rows by a plane, and add up what they have: the inner loops of clustering."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.kernels.cluster.rows import Planes, RowData, Sums
from softlearn.kernels.compile import inner

BLOCK = 256  # rows whose scores and weights stay in the first-level cache


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

    `slope` is float32, and relative already.
    """
    dense, start, feature, numbers = data.dense, data.start, data.feature, data.numbers
    polynomial, off = planes.numbers, 1.0 if is_relative else 0.0
    base = planes.base[c] - off * planes.base[0]
    for r in range(n):
        out[r] = base
    if dense.shape[0] > 0:
        _dense_scores(dense, slope, c, first, n, out)
    elif feature.size > 0:
        for r in range(n):
            total = np.float32(0.0)
            for e in range(start[first + r], start[first + r + 1]):
                total += slope[c, feature[e]]
            out[r] += total
    for j in range(numbers.shape[0]):
        c0 = polynomial[c, j, 0] - off * polynomial[0, j, 0]
        c1 = polynomial[c, j, 1] - off * polynomial[0, j, 1]
        c2 = polynomial[c, j, 2] - off * polynomial[0, j, 2]
        for r in range(n):
            z = numbers[j, first + r]
            out[r] += c0 + z * (c1 + z * c2) if z == z else 0.0


@inner
def _dense_scores(
    dense: AnyArray, slope: AnyArray, c: int, first: int, n: int, out: AnyArray
) -> None:
    """Add slope · indicators; four features a pass over `out` spare it three passes.

    Views of the rows spare each index the question whether it is negative.
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
def add_block(data: RowData, part: Floats, c: int, first: int, n: int, sums: Sums) -> None:
    """Add rows first : first + n to cluster c, each with the weight part[:n]."""
    dense, start, feature, numbers = data.dense, data.start, data.feature, data.numbers
    mass, indicators, moments = sums.mass, sums.indicators, sums.numbers
    for r in range(n):
        mass[c] += part[r]
    if dense.shape[0] > 0:
        _add_dense(dense, part, c, first, n, indicators)
    elif feature.size > 0:
        for r in range(n):
            for e in range(start[first + r], start[first + r + 1]):
                indicators[c, feature[e]] += part[r]
    for j in range(numbers.shape[0]):
        m0, m1, m2 = 0.0, 0.0, 0.0
        for r in range(n):
            z = numbers[j, first + r]
            own = part[r] if z == z else 0.0
            z = z if z == z else 0.0
            m0 += own
            m1 += own * z
            m2 += own * z * z
        moments[c, j, 0] += m0
        moments[c, j, 1] += m1
        moments[c, j, 2] += m2


@inner
def _add_dense(
    dense: AnyArray, part: Floats, c: int, first: int, n: int, indicators: Floats
) -> None:
    """Add up columns in single precision, which a block is short enough for."""
    single = np.empty(n, np.float32)
    for r in range(n):
        single[r] = part[r]
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
