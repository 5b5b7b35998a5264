"""The learners by name; a learner's module is imported on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from softlearn.errors import SoftlearnError
from softlearn.learn.entry import Entry
from softlearn.learners import LEARNER_FILES


class Registry(Mapping[str, Entry[Any]]):
    """Entries by their names on the command line, in the order of the docs."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = {estimator.lower(): file for estimator, file in files.items()}
        self._entries: dict[str, Entry[Any]] = {}

    def __getitem__(self, name: str) -> Entry[Any]:
        if name not in self._entries:
            entry: Entry[Any] = import_module(self._files[name]).ENTRY
            assert entry.name == name, f"{entry.estimator} is listed by another name"
            self._entries[name] = entry
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files or name in self._entries

    def __iter__(self) -> Iterator[str]:
        yield from self._files
        yield from (name for name in self._entries if name not in self._files)

    def __len__(self) -> int:
        return len({*self._files, *self._entries})

    def by_estimator(self, estimator: str) -> Entry[Any] | None:
        """Return the entry with an estimator of this name, if there is one."""
        name = estimator.lower()
        entry = self.get(name)
        return entry if entry is not None and entry.estimator == estimator else None

    def add(self, entry: Entry[Any]) -> None:
        """Add a learner from another package."""
        if entry.name in self:
            raise SoftlearnError(f"there is a learner {entry.name!r} already")
        self._entries[entry.name] = entry

    @contextmanager
    def with_learner(self, entry: Entry[Any]) -> Iterator[None]:
        """Add a learner temporarily."""
        self.add(entry)
        try:
            yield
        finally:
            del self._entries[entry.name]


LEARNERS: Final = Registry(LEARNER_FILES)
