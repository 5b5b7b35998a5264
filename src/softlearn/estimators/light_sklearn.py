"""Load the base of scikit-learn without what it does not use while it is loaded.

``sklearn.base`` imports pandas, which it has no use for, and ``scipy.stats``, which a few of its
functions ask for by name when they are called. Both together take two thirds of its time. So, for
the thread that loads it and only until it is loaded, pandas is not found, and ``scipy.stats`` is a
module that loads the real one when somebody reads from it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Stats(ModuleType):
    """Stands for ``scipy.stats`` until it is read from."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        _forget()
        return getattr(import_module("scipy.stats"), name)


class _Later(MetaPathFinder, Loader):
    """Finds modules for one thread."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module, or None for the usual way."""
        if threading.get_ident() != self._thread:
            return None
        if name == "pandas":
            raise ImportError("not needed to load scikit-learn")
        return ModuleSpec(name, self) if name == "scipy.stats" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty module."""
        return _Stats(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Put nothing into it."""


def _forget() -> None:
    """Let the next import of ``scipy.stats`` find the real one."""
    if isinstance(sys.modules.get("scipy.stats"), _Stats):
        del sys.modules["scipy.stats"]
        vars(import_module("scipy")).pop("stats", None)


def _load() -> None:
    finder = _Later()
    sys.meta_path.insert(0, finder)
    try:
        import_module("sklearn.base")
    finally:
        sys.meta_path.remove(finder)
        _forget()


if "sklearn.base" not in sys.modules:
    try:
        _load()
    except Exception:  # a scikit-learn that needs them after all
        for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
            del sys.modules[name]
        import_module("sklearn.base")
