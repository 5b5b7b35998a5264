"""Functions that are compiled once, separately, and called by their address.

A function that a kernel calls by name is compiled again as part of the kernel. The longest ones,
and those that not every fit needs, are therefore passed as addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softlearn.kernels.compile import address_of
from softlearn.kernels.interpreted import is_interpreted

_IS_COMPILED = False
if not is_interpreted():
    from llvmlite import ir
    from numba import config, int64, typeof
    from numba.extending import intrinsic

    _IS_COMPILED = not vars(config)["DISABLE_JIT"]

_PLAIN: list[Callable[..., int]] = []  # without compilation, an address is a position in this list


class ByAddress:
    """A function of five arguments that returns a whole number.

    Parameters
    ----------
    function
        The function.
    examples
        Arguments of the types that it is compiled for, and called with.
    """

    def __init__(self, function: Callable[..., int], *examples: object) -> None:
        self._function = function
        self._types = tuple(map(typeof, examples)) if _IS_COMPILED else ()
        self._address: int | None = None

    @property
    def address(self) -> int:
        """The function's address; it is compiled on first use."""
        if self._address is None and _IS_COMPILED:
            self._address = address_of(self._function, int64(*self._types))
        elif self._address is None:
            _PLAIN.append(self._function)
            self._address = len(_PLAIN) - 1
        return self._address

    def caller(self) -> Any:  # noqa: ANN401 - an intrinsic of Numba
        """Return a function for kernels, of the address and the five arguments."""
        if not _IS_COMPILED:
            return lambda address, *given: _PLAIN[address](*given)
        name, types = self._function.__name__, self._types

        # Numba counts the arguments of an intrinsic in its source.
        def typed(context: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:  # noqa: ANN401
            if (a, b, c, d, e) != types:
                raise TypeError(f"{name} takes {types}, not {(a, b, c, d, e)}")
            return int64(address, a, b, c, d, e), lambda *emitting: _emit_call(types, *emitting)

        return intrinsic(typed)


def _emit_call(
    types: Any,  # noqa: ANN401 - what Numba hands over
    context: Any,  # noqa: ANN401
    builder: Any,  # noqa: ANN401
    signature: Any,  # noqa: ANN401
    values: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Emit the call of the function at the address."""
    kinds = [context.get_value_type(kind) for kind in types]
    function = ir.FunctionType(context.get_value_type(int64), kinds)
    return builder.call(builder.inttoptr(values[0], function.as_pointer()), values[1:])
