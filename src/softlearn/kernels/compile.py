"""How every kernel is compiled, decided once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

# Multiply-adds may be fused and sums reordered; NaN and infinities keep their meaning, so the
# flags `nnan` and `ninf` (and with them full fast-math) stay off.
_REORDER = {"contract", "reassoc", "nsz", "arcp"}

kernel: Callable[..., Any] = njit(
    cache=True, nogil=True, error_model="numpy", fastmath=_REORDER, boundscheck=None
)
