"""Read what rows know about the discrete columns."""

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

    A number that is no level's code sets `misfit` and counts as unknown.
    """
    values, codes, n_rows = batch.values, rows.codes, rows.codes.shape[1]
    for i in range(batch.discrete.size):
        column, n_levels = batch.discrete[i], batch.n_levels[i]
        start = batch.set_start[column]
        otherwise = WEIGHTED_CODE if start >= 0 else n_levels
        n_known, n_levels_met = 0, 0
        if n_levels == 2:  # comparing is faster than converting
            for r in range(n_rows):
                x = values[column, first + r]
                is_one, is_zero = x == 1.0, x == 0.0
                other = otherwise if not is_zero else 0
                codes[i, r] = np.uint8(1 if is_one else other)
                n_known += x == x  # NaN is not equal to itself
                n_levels_met += is_one | is_zero
        else:
            for r in range(n_rows):
                x = values[column, first + r]
                known = x == x
                code = np.int32(x if known else 0.0)
                is_level = (code == x) & (code >= 0) & (code < n_levels)
                codes[i, r] = np.uint8(code if is_level else otherwise)
                n_known += known
                n_levels_met += is_level
        rows.misfit[0] |= n_levels_met != n_known
        rows.level_start[i] = start + first * n_levels
        if n_known == n_rows:
            rows.state[i] = OBSERVED
        elif start >= 0:
            rows.state[i] = WEIGHTED
        else:
            rows.state[i] = UNOBSERVED if n_known == 0 else PARTLY
