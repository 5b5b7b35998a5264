"""Where workers keep what they have made: each in its memory, or in files that all of them read.

Workers of one machine share a folder. A file there is mapped into memory by whoever works on it:
the system holds as much of all files as there is room, a worker only the part that it works on, and
no rows are sent to anybody. What is kept outlives any worker, and goes when nobody needs it.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4
from weakref import finalize

import dask

from softlearn.errors import SoftlearnError
from softlearn.scale.array_files import read_arrays, write_arrays
from softlearn.scale.partitions import Delayed, Unread, opened
from softlearn.scale.waiting import wait_for

T = TypeVar("T")
Future: TypeAlias = Any  # dask has no types
Stored: TypeAlias = Any  # a future, or what reads a file; see ``opened``

# Tasks of a pass, each of which takes some 8 ms of processors whatever it does.
_GROUPS_PER_THREAD = 2


class Storage(ABC):
    """Has workers make values, and keeps them or fetches them.

    A function is given values that were kept as they were made, or in lists to be ``opened``.
    """

    free_for_work: float  # share of what rows may take in a worker; the rest is for what is kept

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - dask has no types
        self.client = client

    @abstractmethod
    def store(
        self, function: Callable[..., object], given: Iterable[Sequence[Any]], at_once: int = 1
    ) -> list[Stored]:
        """Return what a function makes of each of many arguments, once all are made.

        A worker makes so many of them in one go, where that does not matter to who needs them.
        """

    @abstractmethod
    def store_delayed(self, values: Sequence[Delayed]) -> list[Stored]:
        """Return delayed values, once all are made."""

    @abstractmethod
    def group_size(self, n_parts: int) -> int:
        """Return how many of so many parts, a power of two, a worker should measure in one go."""

    @abstractmethod
    def defer(self, function: Callable[..., object], *given: Any) -> Stored:  # noqa: ANN401
        """Return what a function makes of what is kept, to be made for who needs it, once."""

    def fetch(self, function: Callable[..., T], given: Iterable[Sequence[Any]]) -> list[T]:
        """Return here what a function makes of each of many arguments."""
        found = [self.client.submit(_with_opened, function, *own, pure=False) for own in given]
        fetched: list[T] = self.client.gather(self._finished(found))
        return fetched

    def share(self, value: object) -> Future:
        """Return a future of a value that all need; hold it as long as anything needs it.

        Unlike what is scattered it is part of the work, so that it outlives any worker.
        """
        return self.client.submit(_itself, value, pure=False)

    def _finished(self, futures: list[Future]) -> list[Future]:
        """Return futures once they are computed, or raise what went wrong.

        Until then whatever they are made of must not be let go: the scheduler may not know yet
        that they need it. From then on it remembers how to make them anew.
        """
        wait_for(self.client, futures)
        failed = next((future for future in futures if future.status != "finished"), None)
        if failed is not None:
            error, where = failed.exception(), failed.traceback()
            for future in futures:  # which the error would hold, and they it
                future.release()
            raise error.with_traceback(where)
        return futures


class InMemory(Storage):
    """Values stay with the workers that have made them.

    Where one is lost with its worker, Dask makes it anew from what it was made of, in the end from
    the rows of the source.
    """

    free_for_work = 0.25

    def store(
        self, function: Callable[..., object], given: Iterable[Sequence[Any]], at_once: int = 1
    ) -> list[Stored]:
        """Return futures, each of which is made by itself."""
        return self._finished([self.client.submit(function, *own, pure=False) for own in given])

    def store_delayed(self, values: Sequence[Delayed]) -> list[Stored]:
        """Return futures."""
        return self._finished(self.client.compute(list(values)))

    def group_size(self, n_parts: int) -> int:
        """Return one: parts that are measured together would have to be together."""
        return 1

    def defer(self, function: Callable[..., object], *given: Any) -> Stored:  # noqa: ANN401
        """Return a future; it is made near what it is made of, and moved from there."""
        return self.client.submit(function, *given, pure=False)


class InFiles(Storage):
    """Values are written to files of a folder that all workers reach."""

    free_for_work = 0.5

    def __init__(self, client: Any, folder: Path, n_threads: int) -> None:  # noqa: ANN401
        super().__init__(client)
        self.folder = folder
        self.n_threads = n_threads

    def store(
        self, function: Callable[..., object], given: Iterable[Sequence[Any]], at_once: int = 1
    ) -> list[Stored]:
        """Return files, which go when the last of who holds them here does."""
        made = [(self._new_file(), own) for own in given]
        work = [(str(file.path), own) for file, own in made]
        self._finished(
            [
                self.client.submit(_all_written, work[i : i + at_once], function, pure=False)
                for i in range(0, len(work), at_once)
            ]
        )
        return [file for file, _ in made]

    def store_delayed(self, values: Sequence[Delayed]) -> list[Stored]:
        """Return files, which go when the last of who holds them here does."""
        made = [(self._new_file(), value) for value in values]
        write = dask.delayed(_written, pure=False)
        self._finished(
            self.client.compute([write(str(f.path), _itself, value) for f, value in made])
        )
        return [file for file, _ in made]

    def group_size(self, n_parts: int) -> int:
        """Return so many that every worker has some groups, or all if there is one worker.

        They are opened one by one.
        """
        n_groups = _GROUPS_PER_THREAD * self.n_threads if self.n_threads > 1 else 1
        size = 1
        while n_parts // size > n_groups:
            size *= 2
        return size

    def defer(self, function: Callable[..., object], *given: Any) -> Stored:  # noqa: ANN401
        """Return what is made by who needs it: all can read what it is made of."""
        return Deferred(function, given)

    def _new_file(self) -> StoredFile:
        file = StoredFile(self.folder / uuid4().hex)
        finalize(file, file.path.unlink, missing_ok=True)
        return file


@dataclass(frozen=True)
class StoredFile(Unread):
    """A value in a file; the one who has asked for it removes it, and not who is sent a copy."""

    path: Path

    def read(self) -> Any:  # noqa: ANN401 - whatever was kept
        """Return the value; its arrays are mapped, and what is written to them is not kept."""
        return read_arrays(self.path)


@dataclass(frozen=True)
class Deferred(Unread):
    """What a function makes of values that are kept, when it is needed."""

    function: Callable[..., Any]
    given: tuple[Any, ...]

    def read(self) -> Any:  # noqa: ANN401 - whatever the function makes
        """Make it."""
        return _with_opened(self.function, *self.given)


def _all_written(work: list[tuple[str, Sequence[Any]]], function: Callable[..., object]) -> None:
    for path, given in work:
        _written(path, function, *given)


def _written(path: str, function: Callable[..., object], *given: Any) -> None:  # noqa: ANN401
    value = _with_opened(function, *given)
    try:
        write_arrays(Path(path), value)
    except OSError as error:
        raise SoftlearnError(
            f"rows cannot be kept in {os.path.dirname(path)}: {error.strerror}; make room there, "
            "or name a folder that has some by DASK_TEMPORARY_DIRECTORY"
        ) from None


def _with_opened(function: Callable[..., T], *given: Any) -> T:  # noqa: ANN401
    return function(*map(opened, given))


def _itself(value: T) -> T:
    return value
