"""How every kernel is compiled, decided once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import cfunc, njit

P = ParamSpec("P")
R = TypeVar("R")

# Multiply-adds may be fused and sums reordered; NaN and infinities keep their meaning, so the
# flags `nnan` and `ninf` (and with them full fast-math) stay off.
_REORDER = {"contract", "reassoc", "nsz", "arcp"}

_KEPT: list[object] = []  # machine code whose address is known to others


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on its first call, release the GIL in it, and keep it on disk."""
    compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath=_REORDER)(function)
    return cast("Callable[P, R]", compiled)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call: without its doorway, Python cannot call it."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled = njit(nogil=True, error_model="numpy", fastmath=_REORDER, **options)(function)
    return cast("Callable[P, R]", compiled)


def address_of(function: Callable[P, R], signature: Any) -> int:  # noqa: ANN401 - Numba's type
    """Compile a function for one signature, keep it on disk and in memory; return its address."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": _REORDER}
    compiled: Any = cfunc(signature, cache=True, **options)(function)
    _KEPT.append(compiled)
    return int(compiled.address)
