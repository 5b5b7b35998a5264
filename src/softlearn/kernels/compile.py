"""Decorators of kernels: compiled by Numba, or plain Python for a single small question.

Most functions only use arrays that their callers made: they neither create arrays nor return any,
nor call functions that do. Those are compiled without the counts of references that Numba otherwise
keeps of each array; the counts take longer than the work on a block of rows. All others need
`allocating_kernel` or `allocating_inner`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from softlearn.kernels.interpreted import is_interpreted

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on its first call, release the GIL in it, and keep it on disk."""
    return function if is_interpreted() else _compiled().kernel(function)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, into each of them."""
    return function if is_interpreted() else _compiled().inner(function)


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that creates arrays."""
    return function if is_interpreted() else _compiled().allocating_kernel(function)


def allocating_inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call, and that creates arrays."""
    return function if is_interpreted() else _compiled().allocating_inner(function)


def in_order(function: Callable[P, R]) -> Callable[P, R]:
    """Compile an inner function whose sums must be added as they are written."""
    return function if is_interpreted() else _compiled().in_order(function)


def address_of(function: Callable[P, R], signature: Any) -> int:  # noqa: ANN401 - Numba's type
    """Compile a function for one signature, keep it on disk and in memory; return its address."""
    address: int = _compiled().address_of(function, signature)
    return address


def _compiled() -> Any:  # noqa: ANN401 - a module
    from softlearn.kernels import compiled  # noqa: PLC0415 - loads Numba

    return compiled
