"""Find equal rows: hash all rows of a table column by column, and compare."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Offsets, States
from softlearn.kernels.compile import allocating_kernel, inner, kernel
from softlearn.kernels.seeds import STEP

_MISSING = np.uint64(0x7FF0000000000000)  # one bit pattern for all NaN
_ZERO = np.uint64(0)


@allocating_kernel
def row_hashes(values: Floats, bits: States) -> States:
    """Return 64 bits a row of a table, (columns, rows); `bits` are the values' own."""
    key = np.zeros(values.shape[1], np.uint64)
    for j in range(values.shape[0]):
        for i in range(values.shape[1]):
            cell = _canonical(values[j, i], bits[j, i])
            mixed = (key[i] ^ cell ^ (cell >> np.uint64(29))) * STEP
            key[i] = mixed ^ (mixed >> np.uint64(32))
    return key


@kernel
def are_like(values: Floats, bits: States, other: Offsets) -> bool:
    """Return whether each row has the same cells as the row other[i]."""
    for j in range(values.shape[0]):
        n_different = 0
        for i in range(values.shape[1]):
            k = other[i]
            n_different += _canonical(values[j, i], bits[j, i]) != _canonical(
                values[j, k], bits[j, k]
            )
        if n_different > 0:
            return False
    return True


@inner
def _canonical(value: float, bits: np.uint64) -> np.uint64:
    """Return the same bits for 0.0 and −0.0, and for all missing cells."""
    same = bits if value == value else _MISSING
    return _ZERO if value == 0.0 else same
