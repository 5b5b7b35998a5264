"""How every kernel is compiled, decided once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import cfunc, njit, typeof

P = ParamSpec("P")
R = TypeVar("R")

# Multiply-adds may be fused and sums reordered; NaN and infinities keep their meaning, so the
# flags `nnan` and `ninf` (and with them full fast-math) stay off.
_REORDER = {"contract", "reassoc", "nsz", "arcp"}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on its first call, release the GIL in it, and keep it on disk."""
    compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath=_REORDER)(function)
    return cast("Callable[P, R]", compiled)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call: without its doorway, Python cannot call it."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled = njit(nogil=True, error_model="numpy", fastmath=_REORDER, **options)(function)
    return cast("Callable[P, R]", compiled)


def by_address(function: Callable[P, R], like: tuple[object, ...], returns: R) -> Callable[P, R]:
    """Compile a function for arguments like these, for kernels that are handed its address.

    A function that a kernel calls by name is compiled into it once more, however large it is.
    """
    signature = typeof(returns)(*map(typeof, like))  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": _REORDER}
    return cast("Callable[P, R]", cfunc(signature, cache=True, **options)(function))
