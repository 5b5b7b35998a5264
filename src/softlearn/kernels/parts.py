"""How Numba compiles kernels, and functions that only kernels call.

Numba optimises each function, compiles it to machine code, and optimises it again inside every
caller. For a function that Python never calls, only the last step is useful: here it is linked into
the kernels without the other steps, and optimised there once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from softlearn.kernels.announce import announce


@contextmanager
def without_collecting() -> Iterator[None]:
    """Disable garbage collection: nearly all objects of a compiler are still in use."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class KernelCompiler(Compiler):
    """Compile a function that Python calls, without the wrapper for callers in C."""

    def compile_extra(self, function: Any) -> Any:  # noqa: ANN401 - Numba's
        """Compile the function."""
        with without_collecting():
            return super().compile_extra(function)

    def define_pipelines(self) -> Any:  # noqa: ANN401 - Numba's
        """Return Numba's own steps."""
        announce()
        self.state.flags.no_cfunc_wrapper = True
        return super().define_pipelines()


class PartCompiler(Compiler):
    """Compile a function for its callers alone: neither optimised nor made into machine code."""

    def define_pipelines(self) -> Any:  # noqa: ANN401 - Numba's
        """Return Numba's own steps, which write to code that stays a part."""
        announce()
        # Numba's code for NumPy's functions depends on the caller's flags, which are read before
        # this: so a part and a kernel share it.
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.no_cfunc_wrapper = True
        name = self.state.func_id.func_qualname
        self.state.library = _Part(self.state.targetctx.codegen(), name)
        return super().define_pipelines()


class _Part(JITCodeLibrary):
    """Code that is linked into kernels and optimised there."""

    @property
    def codegen(self) -> Any:  # noqa: ANN401 - Numba's
        """Where Numba registers references of machine code; there are none."""
        return _Nowhere

    def get_pointer_to_function(self, name: str) -> int:
        """Return zero: Python has nothing to call."""
        self._ensure_finalized()
        return 0

    def _optimize_functions(self, module: Any) -> None:  # noqa: ANN401 - Numba's
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Nowhere:
    @staticmethod
    def set_env(name: str, environment: object) -> None:
        """Note nothing."""
