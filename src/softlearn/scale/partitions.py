"""A table in parts that are read where they are needed, whoever keeps them."""

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
    """A frame, or its weights, that whoever needs it reads by itself.

    Reading is no task of its own then: no frame waits in a worker's memory for its turn.
    """

    @abstractmethod
    def read(self) -> Any:  # noqa: ANN401 - a frame, or numbers
        """Return what there is to read."""


def opened(frame: Any) -> Any:  # noqa: ANN401 - a frame, or numbers
    """Return a frame or weights, which may not be read yet."""
    return frame.read() if isinstance(frame, Unread) else frame


@dataclass(frozen=True)
class Partitions:
    """The rows of a table in parts, each a frame that is not read yet.

    Attributes
    ----------
    frames
        One for each part, ``Unread`` or delayed: pandas frames, pyarrow tables or arrays.
    partition_places
        What messages call each part, such as ``partition 3`` or the name of a file.
    weights
        The weights of the rows of each part, alike; None if all rows count once.
    """

    frames: tuple[Unread | Delayed, ...]
    partition_places: tuple[str, ...]
    weights: tuple[Unread | Delayed, ...] | None = None

    def each(self) -> Iterator[tuple[Unread | Delayed, Unread | Delayed | None, str]]:
        """Yield frame, weights and place of each part."""
        weights = self.weights or (None,) * len(self.frames)
        yield from zip(self.frames, weights, self.partition_places, strict=True)


def partitions_of(
    table: Collection, sample_weight: object = None, *, beside: bool = False
) -> Partitions:
    """Return the parts of a Dask collection, or of what is in parts already.

    Parameters
    ----------
    table : Dask DataFrame or 2-D Array, or Partitions
        The table.
    sample_weight : Dask Series or 1-D Array, or the name of a column, optional
        The weights of the rows. A column that is named is no part of the table then.
    beside : bool
        Whether other collections lie beside the table, so that its partitions have to be its own.
    """
    if isinstance(table, Partitions):
        if sample_weight is not None:
            raise SoftlearnError("these partitions bring their weights along; leave sample_weight")
        return table
    table, sample_weight = without_column(table, sample_weight, "sample_weight")
    frames = _delayed_frames(table, is_alone=sample_weight is None and not beside)
    places = tuple(f"partition {number}" for number in range(len(frames)))
    weights = None
    if sample_weight is not None:
        weights = parts_beside(sample_weight, len(frames), "sample_weight")
    return Partitions(frames, places, weights)


def first_rows(table: Collection) -> Any:  # noqa: ANN401 - a frame
    """Return a frame with the columns of a Dask collection, and no rows."""
    if _is_frame(table):
        return table._meta
    return np.empty((0, table.shape[1]), table.dtype)


def is_array(table: Collection) -> bool:
    """Return whether a Dask collection is an array."""
    return hasattr(table, "chunks") and hasattr(table, "rechunk")


@contextmanager
def named_in_errors(place: str) -> Iterator[None]:
    """Name the part of the table in errors about it."""
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
        # Dask reads small files of few columns several at a time if it may.
        return tuple(table.to_delayed(optimize_graph=is_alone))
    if not is_array(table):
        raise NotATableError(
            f"a table on Dask is a DataFrame or a 2-D Array, not a {type(table).__name__}; "
            "for one column, series.to_frame()"
        )
    if table.ndim != 2:
        raise TableError(
            f"an array that is a table has 2 dimensions (rows, columns), not {table.ndim}"
        )
    return tuple(table.rechunk({1: -1}).to_delayed().ravel())


def without_column(
    table: Collection, named: object, what: str
) -> tuple[Collection, Collection | object]:
    """Return the table without the column that is named, and this; or both as they are."""
    if not isinstance(named, str):
        return table, named
    if not _is_frame(table):
        raise SoftlearnError(f"{what} names a column, and an array has no names; give a Dask array")
    if named not in table.columns:
        raise SoftlearnError(f"{what}: the table has no column {named!r}")
    return table.drop(columns=[named]), table[named]


def parts_beside(column: object, n_parts: int, what: str) -> tuple[Delayed, ...]:
    """Return the parts of a column that lies beside a table of so many parts."""
    if not hasattr(column, "to_delayed"):
        raise SoftlearnError(
            f"{what} of a table on Dask is a Dask Series or Array with the same partitions, "
            f"or the name of a column, not a {type(column).__name__}"
        )
    found = tuple(np.ravel(np.array(column.to_delayed(optimize_graph=False), dtype=object)))
    if getattr(column, "ndim", 1) != 1 or len(found) != n_parts:
        raise SoftlearnError(
            f"{what} has {len(found)} partitions and the table {n_parts}; they need the "
            "same, with one for each row"
        )
    return found
