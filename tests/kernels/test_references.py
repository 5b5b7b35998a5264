"""Most kernels count no references to arrays: they create none, return none, and hand none on.

Numba refuses to compile such a function if it creates an array, or returns one by itself. It does
not notice an array in a tuple, nor a call of a function that was compiled for other callers before:
the memory would be freed too early, or never.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import softlearn.kernels
from softlearn.arrays import Floats
from softlearn.kernels.compile import kernel

KERNELS = Path(softlearn.kernels.__path__[0])
UNCOUNTED = {"kernel", "inner", "in_order"}
ALLOCATING = {"allocating_kernel", "allocating_inner"}
NUMBERS = {"None", "bool", "float", "int", "np.uint64"}


@dataclass(frozen=True)
class Function:
    """A function of the kernels, as it stands in its file."""

    decorator: str
    returned: set[str]  # the types, also those in a tuple
    called: set[str]


def functions() -> dict[str, Function]:
    found = {}
    for path in sorted(KERNELS.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef):
                continue
            decorators = [one.id for one in node.decorator_list if isinstance(one, ast.Name)]
            own = [name for name in decorators if name in UNCOUNTED | ALLOCATING]
            if own:
                place = f"{path.relative_to(KERNELS)}: {node.name}"
                found[place] = Function(own[0], returned_by(node), called_in(node))
    return found


def returned_by(node: ast.FunctionDef) -> set[str]:
    assert node.returns is not None
    inside = node.returns
    if isinstance(inside, ast.Subscript) and ast.unparse(inside.value) == "tuple":
        inside = inside.slice
    parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    return {ast.unparse(part) for part in parts}


def called_in(node: ast.FunctionDef) -> set[str]:
    calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return {one.id for one in calls if isinstance(one, ast.Name)}


FOUND = functions()
WITHOUT_COUNTS = sorted(place for place, one in FOUND.items() if one.decorator in UNCOUNTED)
ALLOCATORS = {place.split()[-1] for place in FOUND if place not in WITHOUT_COUNTS}


def test_most_functions_count_no_references():
    assert len(WITHOUT_COUNTS) > len(FOUND) / 2 > 50


@pytest.mark.parametrize("place", WITHOUT_COUNTS)
def test_a_function_without_counts_returns_numbers_and_calls_its_like(place):
    assert FOUND[place].returned <= NUMBERS
    assert FOUND[place].called.isdisjoint(ALLOCATORS)


def sum_of_squares(values: Floats) -> float:
    squares = np.empty(values.size)
    total = 0.0
    for i in range(values.size):
        squares[i] = values[i] * values[i]
        total += squares[i]
    return total


def test_the_compiler_refuses_to_create_an_array_without_counting():
    errors = pytest.importorskip("numba.core.errors")
    with pytest.raises(errors.TypingError, match="empty"):
        kernel(sum_of_squares)(np.ones(3))
