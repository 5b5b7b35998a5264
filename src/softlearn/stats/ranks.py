"""Tests of pairs with numbers by their ranks: Kendall's tau and Kruskal–Wallis."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri, ndtri

from softlearn.arrays import AnyArray, Bools, Floats


def linked_by_ranks(
    linked: Bools, codes: AnyArray, numeric: Bools, weights: Floats, significance: float
) -> Bools:
    """Return which pairs are dependent, with the pairs that have a number tested by ranks.

    Parameters
    ----------
    linked
        (columns, columns) the answer for pairs of discrete columns.
    codes
        (columns, rows) ranks of numbers, equal ones sharing one, and codes of levels; -1 is
        missing.
    numeric
        (columns,) which columns hold ranks.
    weights
        (rows,) a weight counts as so many rows.
    significance
        A pair is dependent when its test has a smaller p-value.
    """
    from softlearn.kernels.ranks import kendall, kruskal  # noqa: PLC0415 - loads Numba

    out = linked.copy()
    far = -float(ndtri(significance / 2.0))
    order = {int(i): np.argsort(codes[i], kind="stable") for i in np.flatnonzero(numeric)}
    for i, by_rank in order.items():
        for j in range(numeric.size):
            if numeric[j] and j > i:
                out[i, j] = abs(kendall(codes[i], codes[j], by_rank, weights)) > far
            elif not numeric[j]:
                statistic, freedom = kruskal(codes[i], codes[j], weights)
                out[i, j] = freedom > 0 and statistic > chdtri(freedom, significance)
            out[j, i] = out[i, j]
    return out
