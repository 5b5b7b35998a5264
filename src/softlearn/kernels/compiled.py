"""The options with which Numba compiles all kernels."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from numba import __version__, njit
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

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

_KERNEL: dict[str, Any] = {"pipeline_class": KernelCompiler}

_KEPT: list[object] = []  # machine code whose address is known to others


def _digest_of_sources() -> str:
    digest = blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_SOURCES = _digest_of_sources()


class KernelCache(FunctionCache):
    """Compiled code on disk, for as long as no source of a kernel changes.

    Numba looks at the kernel's own file alone, but functions of other files are compiled into it.
    """

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:  # noqa: ANN401 - Numba's
        return (*super()._index_key(signature, codegen), _SOURCES)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on its first call, release the GIL in it, and keep it on disk."""
    return cast("Callable[P, R]", _kept(njit(**_KERNEL, **_OPTIONS, **_UNCOUNTED)(function)))


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, into each of them."""
    return cast("Callable[P, R]", njit(**_PART, **_OPTIONS, **_UNCOUNTED)(function))


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that creates arrays."""
    return cast("Callable[P, R]", _kept(njit(**_KERNEL, **_OPTIONS)(function)))


def allocating_inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, and that creates arrays."""
    return cast("Callable[P, R]", njit(**_PART, **_OPTIONS)(function))


def in_order(function: Callable[P, R]) -> Callable[P, R]:
    """Compile an inner function whose sums must be added as they are written."""
    return cast("Callable[P, R]", njit(**_PART, **_IN_ORDER, **_UNCOUNTED)(function))


def address_of(function: Callable[P, R], signature: Any) -> int:  # noqa: ANN401 - Numba's type
    """Compile a function for one signature, keep it on disk and in memory; return its address."""
    compiled: Any = CFunc(function, normalize_signature(signature), {}, _OPTIONS)
    with without_collecting():
        _kept(compiled).compile()
    _KEPT.append(compiled)
    return int(compiled.address)


def _kept(compiled: Any) -> Any:  # noqa: ANN401 - Numba's
    """Return the function, which is now kept on disk if there is a folder."""
    if _IS_KEPT and hasattr(compiled, "_cache"):  # plain Python with NUMBA_DISABLE_JIT=1
        compiled._cache = KernelCache(compiled.__wrapped__)
    return compiled
