"""The strict world of the tests; its presence also puts this folder on the import path.

Warnings are errors (pyproject.toml), the global random generator is out of bounds, and nothing
beyond this machine can be reached.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# The same examples in every run: a change is not refused for an example that it did not draw first.
# `pytest --hypothesis-profile default` draws new ones.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

# Hypothesis seeds and restores the global generator around each example: these stay, and the
# fixture below sees to it that nobody else has touched them.
_BOOKKEEPING = {"seed", "get_state", "set_state"}
_HERE = {"localhost", "127.0.0.1", "::1"}


def pytest_configure(config: pytest.Config) -> None:
    """Close the doors once, before any test is collected; this costs the tests nothing."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        # Of integers that wrap round, as those of hashes and seeds should; compiled, none warns.
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar")
    shared = np.random.mtrand._rand  # behind all functions of the module
    for name in dir(shared):
        is_method = callable(getattr(shared, name)) and not name.startswith("_")
        if is_method and name not in _BOOKKEEPING and hasattr(np.random, name):
            setattr(np.random, name, _forbidden(f"np.random.{name}"))
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _only_here(getattr(socket.socket, name)))


@pytest.fixture(autouse=True)
def _global_generator_is_left_alone() -> Iterator[None]:
    before = _global_state()
    yield
    assert _global_state() == before, "the global random generator was used; pass one instead"


def _global_state() -> tuple[bytes, int]:
    state: Any = np.random.mtrand._rand.get_state()
    return state[1].tobytes(), state[2]


def _forbidden(name: str) -> Callable[..., None]:
    def refuse(*_args: object, **_kwargs: object) -> None:
        pytest.fail(f"{name} draws from the global generator; pass a Generator instead")

    return refuse


def _only_here(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        remote = self.family != socket.AF_UNIX and address[0] not in _HERE
        if remote:
            pytest.fail(f"a test tried to reach {address[0]}; tests run without a network")
        return connect(self, address)

    return guarded
