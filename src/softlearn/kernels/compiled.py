"""The options with which Numba compiles all kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import __version__, cfunc, njit

from softlearn.kernels.announce import cache_folder
from softlearn.kernels.parts import KernelCompiler, PartCompiler, without_collecting

P = ParamSpec("P")
R = TypeVar("R")

# Multiply-adds may be fused and sums reordered; NaN and infinities keep their meaning, so the
# flags `nnan` and `ninf` (and with them full fast-math) stay off.
_REORDER = {"contract", "reassoc", "nsz", "arcp"}

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": _REORDER}
_IN_ORDER: dict[str, Any] = {**_OPTIONS, "fastmath": {"contract"}}
# No counts of references to arrays; creating one is then an error of the compiler.
_UNCOUNTED: dict[str, Any] = {"_nrt": False}

# Inner functions are compiled faster with Numba's internals, which were checked in these versions;
# with other versions they are compiled as usual, which takes longer.
_KNOWN_VERSIONS = ("0.68.",)
_PART: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
if __version__.startswith(_KNOWN_VERSIONS):
    _PART = {"pipeline_class": PartCompiler}

# Numba refuses to compile functions with a cache if there is no writable folder.
_IS_KEPT = cache_folder() is not None

_KERNEL: dict[str, Any] = {"cache": _IS_KEPT, "pipeline_class": KernelCompiler}

_KEPT: list[object] = []  # machine code whose address is known to others


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on its first call, release the GIL in it, and keep it on disk."""
    return cast("Callable[P, R]", njit(**_KERNEL, **_OPTIONS, **_UNCOUNTED)(function))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, into each of them."""
    return cast("Callable[P, R]", njit(**_PART, **_OPTIONS, **_UNCOUNTED)(function))


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that creates arrays."""
    return cast("Callable[P, R]", njit(**_KERNEL, **_OPTIONS)(function))


def allocating_inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, and that creates arrays."""
    return cast("Callable[P, R]", njit(**_PART, **_OPTIONS)(function))


def in_order(function: Callable[P, R]) -> Callable[P, R]:
    """Compile an inner function whose sums must be added as they are written."""
    return cast("Callable[P, R]", njit(**_PART, **_IN_ORDER, **_UNCOUNTED)(function))


def address_of(function: Callable[P, R], signature: Any) -> int:  # noqa: ANN401 - Numba's type
    """Compile a function for one signature, keep it on disk and in memory; return its address."""
    with without_collecting():
        compiled: Any = cfunc(signature, cache=_IS_KEPT, **_OPTIONS)(function)
    _KEPT.append(compiled)
    return int(compiled.address)
