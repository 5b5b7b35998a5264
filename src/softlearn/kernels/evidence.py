"""Read what a block of rows knows about the discrete columns."""

from __future__ import annotations

import numpy as np

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
    """Fill the rows' factors and codes from the batch, starting at row `first`."""
    for i in range(batch.binary.size):
        _load_binary(batch, batch.binary[i], first, rows, i)
    for i in range(batch.table.size):
        _load_table(batch, batch.table[i], first, rows, i)


@kernel
def _load_binary(batch: Batch, column: int, first: int, rows: Rows, place: int) -> None:
    x = batch.values[column]
    f0, f1 = rows.factors[0, place], rows.factors[1, place]
    n_known, n_weighted = 0, 0
    start = batch.set_start[column]
    for r in range(f0.size):
        value = x[first + r]
        f0[r] = 0.0 if value == 1.0 else 1.0
        f1[r] = 0.0 if value == 0.0 else 1.0
        n_known += value == value  # NaN is not equal to itself
    if start >= 0:
        for r in range(f0.size):
            if x[first + r] != x[first + r]:
                f0[r] = batch.set_factors[start + 2 * (first + r)]
                f1[r] = batch.set_factors[start + 2 * (first + r) + 1]
                n_weighted += 1
    rows.binary_state[place] = _state(n_known, n_weighted, f0.size)


@kernel
def _load_table(batch: Batch, column: int, first: int, rows: Rows, place: int) -> None:
    x = batch.values[column]
    codes, n_levels = rows.codes[place], rows.n_levels[place]
    n_known, n_weighted = 0, 0
    start = batch.set_start[column]
    for r in range(codes.size):
        value = x[first + r]
        if value == value:
            codes[r] = np.uint16(value)
            n_known += 1
        elif start >= 0:
            codes[r] = WEIGHTED_CODE
            n_weighted += 1
        else:
            codes[r] = n_levels
    rows.level_start[place] = start + first * n_levels
    rows.table_state[place] = _state(n_known, n_weighted, codes.size)


@kernel
def _state(n_known: int, n_weighted: int, n_rows: int) -> int:
    if n_weighted > 0:
        return WEIGHTED
    if n_known == 0:
        return UNOBSERVED
    return OBSERVED if n_known == n_rows else PARTLY
