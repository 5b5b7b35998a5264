"""Read the evidence of rows about the discrete columns."""

from __future__ import annotations

import numpy as np

from softlearn.kernels.circuit.program import (
    OBSERVED,
    PARTLY,
    UNOBSERVED,
    WEIGHTED,
    WEIGHTED_CODE,
    Batch,
    Rows,
)
from softlearn.kernels.compile import inner


@inner
def load_rows(batch: Batch, first: int, rows: Rows) -> None:
    """Fill a block's codes from the batch, starting at row `first`.

    A number that is not a valid code sets `misfit` and counts as unobserved.
    """
    codes, ahead, n_rows = rows.codes, rows.ahead, rows.codes.shape[1]
    begin = rows.ahead_from[0]
    if first < begin or first + n_rows > begin + ahead.shape[1]:
        begin = max(min(first, batch.values.shape[1] - ahead.shape[1]), 0)
        _read_ahead(batch, begin, rows)
        rows.ahead_from[0] = begin
    at = np.uint64(first - begin)
    for i in range(batch.discrete.size):
        for r in range(np.uint64(n_rows)):
            codes[i, r] = ahead[i, at + r]
        rows.level_start[i] = batch.set_start[batch.discrete[i]] + first * batch.n_levels[i]


@inner
def _read_ahead(batch: Batch, first: int, rows: Rows) -> None:
    """Turn numbers into codes, for many blocks at once: memory is read in long stretches."""
    values, codes, n_rows = batch.values, rows.ahead, rows.ahead.shape[1]
    at = np.uint64(first)  # unsigned: not counted from the end, so that loops become vectors
    for i in range(batch.discrete.size):
        column, n_levels = batch.discrete[i], batch.n_levels[i]
        has_sets = batch.set_start[column] >= 0
        otherwise = WEIGHTED_CODE if has_sets else n_levels
        n_known, n_levels_met = 0, 0
        if n_levels == 2:  # comparing is faster than converting
            for r in range(np.uint64(n_rows)):
                x = values[column, at + r]
                is_one, is_zero = x == 1.0, x == 0.0
                other = otherwise if not is_zero else 0
                codes[i, r] = np.uint8(1 if is_one else other)
                n_known += x == x  # NaN is not equal to itself
                n_levels_met += is_one | is_zero
        else:
            for r in range(np.uint64(n_rows)):
                x = values[column, at + r]
                inside = x if 0.0 <= x < n_levels else 0.0
                code = np.int32(inside)
                is_level = code == x
                codes[i, r] = np.uint8(code if is_level else otherwise)
                n_known += x == x
                n_levels_met += is_level
        rows.misfit[0] |= n_levels_met != n_known
        if n_known == n_rows:
            rows.state[i] = OBSERVED
        elif has_sets:
            rows.state[i] = WEIGHTED
        else:
            rows.state[i] = UNOBSERVED if n_known == 0 else PARTLY
