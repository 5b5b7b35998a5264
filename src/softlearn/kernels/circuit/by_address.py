"""The kernel for blocks of sums, compiled on first use: most circuits have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.kernels.by_address import ByAddress
from softlearn.kernels.circuit.dense import add_dense
from softlearn.kernels.circuit.program import Scratch, Values

_REAL, _WHOLE = np.zeros((0, 0)), np.zeros((0, 0), np.int64)
_WEIGHTS = np.zeros(0)
_WEIGHTS.flags.writeable = False  # as those of circuits
ADD_DENSE = ByAddress(
    add_dense,
    np.zeros(0, np.int64),
    _WEIGHTS,
    (0, 0, 0),
    Values(_REAL, _WHOLE, _REAL, np.zeros(0, np.uint8)),
    Scratch(_REAL, np.zeros(0)),
)

_Call: TypeAlias = Callable[[int, Offsets, Floats, tuple[int, int, int], Values, Scratch], int]
run_add_dense = cast("_Call", ADD_DENSE.caller())
