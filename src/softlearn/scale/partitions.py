"""Tables in partitions, each of which is read by the task that needs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from softlearn.errors import NotATableError, SoftlearnError, TableError, UnknownLevelError

Delayed: TypeAlias = Any  # dask has no types
Collection: TypeAlias = Any  # a Dask DataFrame, Series or Array


class Unread(ABC):
    """Something that the task that needs it reads by itself, such as a frame or its weights.

    Reading is not a separate task then, so no frame has to wait in the memory of a worker.
    """

    @abstractmethod
    def read(self) -> Any:  # noqa: ANN401 - a frame, or numbers
        """Read and return it."""


def opened(frame: Any) -> Any:  # noqa: ANN401 - a frame, or numbers
    """Return a frame or weights, after reading them if they are ``Unread``."""
    return frame.read() if isinstance(frame, Unread) else frame


@dataclass(frozen=True)
class Partitions:
    """The rows of a table in parts that are not read yet.

    Attributes
    ----------
    frames
        The frame of each part, ``Unread`` or delayed: a pandas frame, pyarrow table or array.
    partition_places
        The name of each part in messages, such as ``partition 3`` or the name of a file.
    weights
        The sample weights of each part, ``Unread`` or delayed; None if all rows count once.
    """

    frames: tuple[Unread | Delayed, ...]
    partition_places: tuple[str, ...]
    weights: tuple[Unread | Delayed, ...] | None = None

    def each(self) -> Iterator[tuple[Unread | Delayed, Unread | Delayed | None, str]]:
        """Yield the frame, weights and name of each part."""
        weights = self.weights or (None,) * len(self.frames)
        yield from zip(self.frames, weights, self.partition_places, strict=True)


def partitions_of(
    table: Collection, sample_weight: object = None, *, beside: bool = False
) -> Partitions:
    """Return the partitions of a Dask collection; ``Partitions`` are returned unchanged.

    Parameters
    ----------
    table : Dask DataFrame or 2-D Array, or Partitions
        The table.
    sample_weight : Dask Series or 1-D Array, or the name of a column, optional
        The weights of the rows. A named column is removed from the table.
    beside : bool
        Whether other collections are aligned with the table, so that its partitions must not be
        merged.
    """
    if isinstance(table, Partitions):
        if sample_weight is not None:
            raise SoftlearnError(
                "these partitions come with their own weights; leave out sample_weight"
            )
        return table
    table, sample_weight = without_column(table, sample_weight, "sample_weight")
    frames = _delayed_frames(table, is_alone=sample_weight is None and not beside)
    places = tuple(f"partition {number}" for number in range(len(frames)))
    weights = None
    if sample_weight is not None:
        weights = parts_beside(sample_weight, len(frames), "sample_weight")
    return Partitions(frames, places, weights)


def first_rows(table: Collection) -> Any:  # noqa: ANN401 - a frame
    """Return a frame with the columns of a Dask collection, but no rows."""
    if _is_frame(table):
        return table._meta
    return np.empty((0, table.shape[1]), table.dtype)


def is_array(table: Collection) -> bool:
    """Return whether a Dask collection is an array."""
    return hasattr(table, "chunks") and hasattr(table, "rechunk")


@contextmanager
def named_in_errors(place: str) -> Iterator[None]:
    """Add the name of a part of the table to errors raised in the ``with`` block."""
    try:
        yield
    except UnknownLevelError as error:
        remedy = str(error).removeprefix(error.what).removeprefix("; ")
        raise UnknownLevelError(
            f"{place}: {error.what}", remedy=remedy, column=error.column, value=error.value
        ) from None
    except SoftlearnError as error:
        raise type(error)(f"{place}: {error}") from None


def _is_frame(table: Collection) -> bool:
    return hasattr(table, "map_partitions") and table.ndim == 2


def _delayed_frames(table: Collection, *, is_alone: bool) -> tuple[Delayed, ...]:
    if _is_frame(table):
        # With optimisation, Dask may merge the partitions of several small files.
        return tuple(table.to_delayed(optimize_graph=is_alone))
    if not is_array(table):
        raise NotATableError(
            f"a Dask table must be a DataFrame or a 2-D Array, not a {type(table).__name__}; "
            "for one column, use series.to_frame()"
        )
    if table.ndim != 2:
        raise TableError(
            f"a table as an array must have 2 dimensions (rows, columns), not {table.ndim}"
        )
    return tuple(table.rechunk({1: -1}).to_delayed().ravel())


def without_column(
    table: Collection, named: object, what: str
) -> tuple[Collection, Collection | object]:
    """Return the table without a named column, and the column; or both arguments unchanged."""
    if not isinstance(named, str):
        return table, named
    if not _is_frame(table):
        raise SoftlearnError(
            f"{what} names a column, but the columns of an array have no names; pass a Dask array"
        )
    if named not in table.columns:
        raise SoftlearnError(f"{what}: the table has no column {named!r}")
    return table.drop(columns=[named]), table[named]


def parts_beside(column: object, n_parts: int, what: str) -> tuple[Delayed, ...]:
    """Return the partitions of a column that must have as many as its table."""
    if not hasattr(column, "to_delayed"):
        raise SoftlearnError(
            f"{what} of a Dask table must be a Dask Series or Array with the same partitions, "
            f"or the name of a column, not a {type(column).__name__}"
        )
    found = tuple(np.ravel(np.array(column.to_delayed(optimize_graph=False), dtype=object)))
    if getattr(column, "ndim", 1) != 1 or len(found) != n_parts:
        raise SoftlearnError(
            f"{what} has {len(found)} partitions and the table {n_parts}; they must have the same "
            "partitions, with one value per row"
        )
    return found
