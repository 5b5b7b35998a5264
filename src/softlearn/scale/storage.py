"""Storage for the results of workers: the memory of each, or files that all of them can read.

Workers of one machine share a folder, whose files they memory-map: the operating system caches as
much of them as fits, a worker maps only the part that it works on, and no rows are sent between
processes. Files survive the death of a worker, and are removed once nothing refers to them.
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
Stored: TypeAlias = Any  # a future, or something that reads a file; see ``opened``

# Tasks of a pass over the table; each has an overhead of about 8 ms of CPU time.
_GROUPS_PER_THREAD = 2


class Storage(ABC):
    """Runs functions on workers, and stores or fetches their results.

    Functions get stored values as they were returned; those inside lists must be ``opened``.
    """

    free_for_work: float  # share of a worker's memory for rows; the rest is for stored values

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - dask has no types
        self.client = client

    @abstractmethod
    def store(
        self, function: Callable[..., object], given: Iterable[Sequence[Any]], at_once: int = 1
    ) -> list[Stored]:
        """Apply a function to each tuple of arguments and return the stored results.

        Waits for all of them. If it makes no difference to later tasks, one task computes
        ``at_once`` results.
        """

    @abstractmethod
    def store_delayed(self, values: Sequence[Delayed]) -> list[Stored]:
        """Compute delayed values and return the stored results."""

    @abstractmethod
    def group_size(self, n_parts: int) -> int:
        """Return how many of the parts one task should process, a power of two."""

    @abstractmethod
    def defer(self, function: Callable[..., object], *given: Any) -> Stored:  # noqa: ANN401
        """Return the result of a function of stored values, to be computed when it is needed.

        It is used once.
        """

    def fetch(self, function: Callable[..., T], given: Iterable[Sequence[Any]]) -> list[T]:
        """Apply a function to each tuple of arguments and return the results to this process."""
        found = [self.client.submit(_with_opened, function, *own, pure=False) for own in given]
        fetched: list[T] = self.client.gather(self._finished(found))
        return fetched

    def share(self, value: object) -> Future:
        """Send a value to the workers and return its future; keep that as long as it is needed.

        Unlike scattered data it is the result of a task, so it is not lost if a worker dies.
        """
        return self.client.submit(_itself, value, pure=False)

    def _finished(self, futures: list[Future]) -> list[Future]:
        """Wait for futures and return them, or raise the error of the first that failed.

        Until then, do not release what they are computed from: the scheduler may not know yet that
        it is needed. Afterwards the scheduler can compute them again.
        """
        wait_for(self.client, futures)
        failed = next((future for future in futures if future.status != "finished"), None)
        if failed is not None:
            error, where = failed.exception(), failed.traceback()
            for future in futures:  # the error would refer to them, and they to the error
                future.release()
            raise error.with_traceback(where)
        return futures


class InMemory(Storage):
    """Stores values in the memory of the workers that computed them.

    If a worker dies, Dask computes its values again, if necessary from the rows of the source.
    """

    free_for_work = 0.25

    def store(
        self, function: Callable[..., object], given: Iterable[Sequence[Any]], at_once: int = 1
    ) -> list[Stored]:
        """Return futures, each of which is computed by its own task."""
        return self._finished([self.client.submit(function, *own, pure=False) for own in given])

    def store_delayed(self, values: Sequence[Delayed]) -> list[Stored]:
        """Return futures."""
        return self._finished(self.client.compute(list(values)))

    def group_size(self, n_parts: int) -> int:
        """Return 1: a task of several parts would need all of them on one worker."""
        return 1

    def defer(self, function: Callable[..., object], *given: Any) -> Stored:  # noqa: ANN401
        """Return a future, which is computed where its arguments are and then moved."""
        return self.client.submit(function, *given, pure=False)


class InFiles(Storage):
    """Stores values in files of a folder that all workers share."""

    free_for_work = 0.5

    def __init__(self, client: Any, folder: Path, n_threads: int) -> None:  # noqa: ANN401
        super().__init__(client)
        self.folder = folder
        self.n_threads = n_threads

    def store(
        self, function: Callable[..., object], given: Iterable[Sequence[Any]], at_once: int = 1
    ) -> list[Stored]:
        """Return files, which are removed with the last reference to them in this process."""
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
        """Return files, which are removed with the last reference to them in this process."""
        made = [(self._new_file(), value) for value in values]
        write = dask.delayed(_written, pure=False)
        self._finished(
            self.client.compute([write(str(f.path), _itself, value) for f, value in made])
        )
        return [file for file, _ in made]

    def group_size(self, n_parts: int) -> int:
        """Return a size with which every thread gets some groups; all parts if there is one.

        The parts of a group are opened one by one.
        """
        n_groups = _GROUPS_PER_THREAD * self.n_threads if self.n_threads > 1 else 1
        size = 1
        while n_parts // size > n_groups:
            size *= 2
        return size

    def defer(self, function: Callable[..., object], *given: Any) -> Stored:  # noqa: ANN401
        """Return a value that is computed by the task that needs it: all can read its arguments."""
        return Deferred(function, given)

    def _new_file(self) -> StoredFile:
        file = StoredFile(self.folder / uuid4().hex)
        finalize(file, file.path.unlink, missing_ok=True)
        return file


@dataclass(frozen=True)
class StoredFile(Unread):
    """A value in a file; the process that created this object removes it, not those with copies."""

    path: Path

    def read(self) -> Any:  # noqa: ANN401 - whatever was stored
        """Return the value; changes to its memory-mapped arrays do not reach the file."""
        return read_arrays(self.path)


@dataclass(frozen=True)
class Deferred(Unread):
    """The result of a function of stored values, computed when it is needed."""

    function: Callable[..., Any]
    given: tuple[Any, ...]

    def read(self) -> Any:  # noqa: ANN401 - whatever the function makes
        """Compute the result."""
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
            f"rows cannot be stored in {os.path.dirname(path)}: {error.strerror}; free some space "
            "there, or set DASK_TEMPORARY_DIRECTORY to another folder"
        ) from None


def _with_opened(function: Callable[..., T], *given: Any) -> T:  # noqa: ANN401
    return function(*map(opened, given))


def _itself(value: T) -> T:
    return value
