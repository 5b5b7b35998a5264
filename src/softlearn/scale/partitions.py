"""A table in parts that are read where they are needed, whoever keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from softlearn.errors import NotATableError, SoftlearnError, TableError, UnknownLevelError

Delayed: TypeAlias = Any  # dask has no types
Collection: TypeAlias = Any  # a Dask DataFrame, Series or Array


@dataclass(frozen=True)
class Partitions:
    """The rows of a table in parts, each a frame that is not read yet.

    Attributes
    ----------
    frames
        One for each part, delayed: pandas frames, pyarrow tables or arrays.
    partition_places
        What messages call each part, such as ``partition 3`` or the name of a file.
    weights
        The weights of the rows of each part, delayed; None if all rows count once.
    """

    frames: tuple[Delayed, ...]
    partition_places: tuple[str, ...]
    weights: tuple[Delayed, ...] | None = None

    def each(self) -> Iterator[tuple[Delayed, Delayed | None, str]]:
        """Yield frame, weights and place of each part."""
        weights = self.weights or (None,) * len(self.frames)
        yield from zip(self.frames, weights, self.partition_places, strict=True)


def partitions_of(table: Collection, sample_weight: object = None) -> Partitions:
    """Return the parts of a Dask collection, or of what is in parts already.

    Parameters
    ----------
    table : Dask DataFrame or 2-D Array, or Partitions
        The table.
    sample_weight : Dask Series or 1-D Array, or the name of a column, optional
        The weights of the rows. A column that is named is no part of the table then.
    """
    if isinstance(table, Partitions):
        if sample_weight is not None:
            raise SoftlearnError("these partitions bring their weights along; leave sample_weight")
        return table
    if isinstance(sample_weight, str):
        table, sample_weight = _without_column(table, sample_weight)
    frames = _delayed_frames(table)
    places = tuple(f"partition {number}" for number in range(len(frames)))
    return Partitions(frames, places, _delayed_weights(sample_weight, len(frames)))


def first_rows(table: Collection) -> Any:  # noqa: ANN401 - a frame
    """Return a frame with the columns of a Dask collection, and no rows."""
    if _is_frame(table):
        return table._meta
    return np.empty((0, table.shape[1]), table.dtype)


def is_array(table: Collection) -> bool:
    """Return whether a Dask collection is an array."""
    return hasattr(table, "chunks") and hasattr(table, "rechunk")


@contextmanager
def told_where(place: str) -> Iterator[None]:
    """Name the part of the table in what is said about it."""
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


def _delayed_frames(table: Collection) -> tuple[Delayed, ...]:
    if _is_frame(table):
        return tuple(table.to_delayed())
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


def _without_column(table: Collection, name: str) -> tuple[Collection, Collection]:
    """Return the table without its weights, and these."""
    if not _is_frame(table):
        raise SoftlearnError(
            "sample_weight names a column, and an array has no names; give a Dask array of weights"
        )
    if name not in table.columns:
        raise SoftlearnError(f"sample_weight: the table has no column {name!r}")
    return table.drop(columns=[name]), table[name]


def _delayed_weights(weights: object, n_parts: int) -> tuple[Delayed, ...] | None:
    if weights is None:
        return None
    if not hasattr(weights, "to_delayed"):
        raise SoftlearnError(
            "sample_weight of a table on Dask is a Dask Series or Array with the same partitions, "
            f"or the name of a column, not a {type(weights).__name__}"
        )
    found = tuple(np.ravel(np.array(weights.to_delayed(), dtype=object)))
    if getattr(weights, "ndim", 1) != 1 or len(found) != n_parts:
        raise SoftlearnError(
            f"sample_weight has {len(found)} partitions and the table {n_parts}; they need the "
            "same, with one weight for each row"
        )
    return found
