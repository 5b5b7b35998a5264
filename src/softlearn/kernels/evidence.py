"""Read what rows know about the discrete columns."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.kernels.compile import kernel
from softlearn.kernels.program import (
    OBSERVED,
    PARTLY,
    UNOBSERVED,
    WEIGHTED,
    WEIGHTED_CODE,
    Batch,
    Rows,
)


@kernel
def load_rows(batch: Batch, first: int, rows: Rows) -> None:
    """Fill a block's codes from the batch, starting at row `first`."""
    values, codes, n_rows = batch.values, rows.codes, rows.codes.shape[1]
    for i in range(batch.discrete.size):
        column, n_levels = batch.discrete[i], batch.n_levels[i]
        start = batch.set_start[column]
        otherwise = WEIGHTED_CODE if start >= 0 else n_levels
        n_known = 0
        for r in range(n_rows):
            x = values[column, first + r]
            known = x == x  # NaN is not equal to itself
            codes[i, r] = np.uint8(x if known else otherwise)
            n_known += known
        rows.level_start[i] = start + first * n_levels
        if n_known == n_rows:
            rows.state[i] = OBSERVED
        elif start >= 0:
            rows.state[i] = WEIGHTED
        else:
            rows.state[i] = UNOBSERVED if n_known == 0 else PARTLY


@kernel
def first_misfit(values: Floats, n_levels: Offsets) -> int:
    """Return the first column with an infinite number, or a code that is no level; -1 if none.

    `n_levels` is 0 for continuous columns.
    """
    for column in range(values.shape[0]):
        top = n_levels[column]
        misfits = 0
        for r in range(values.shape[1]):
            x = values[column, r]
            is_level = (np.floor(x) == x) & (x >= 0.0) & (x < top)
            fits = is_level if top > 0 else abs(x) < np.inf
            misfits += (x == x) & (not fits)
        if misfits > 0:
            return column
    return -1
