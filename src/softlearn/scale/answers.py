"""Queries of Dask tables: answers are lazy, and the model is sent to each worker only once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import dask
import numpy as np

from softlearn.errors import SoftlearnError
from softlearn.scale.partitions import Collection, Delayed, first_rows, is_array, named_in_errors

Frame: TypeAlias = Any


@dataclass(frozen=True)
class Wanted:
    """The form of an answer.

    Attributes
    ----------
    names
        The names of the answer's columns; a single name if there is one number per row.
    dtype
        The dtype of its cells.
    """

    names: str | tuple[str, ...]
    dtype: Any

    def empty(self, like: Frame) -> Frame:
        """Return the empty answer to a frame without rows."""
        import pandas as pd  # noqa: PLC0415 - Dask's frames are made of it

        if isinstance(self.names, str):
            return pd.Series([], index=like.index, dtype=self.dtype, name=self.names)
        columns = pd.Index(list(self.names))
        return pd.DataFrame(index=like.index, columns=columns).astype(self.dtype)


# The form of an answer: fixed, or a function of the table without its rows.
Form: TypeAlias = Wanted | Callable[[Frame], Frame]


@dataclass(frozen=True)
class Question:
    """A method call that is made for each part of a table."""

    target: object
    name: str
    options: Mapping[str, Any]
    seeds: list[np.random.SeedSequence] | None

    def answer(self, frame: Frame, number: int) -> Frame:
        """Call the method with the frame of one part."""
        options = dict(self.options)
        if self.seeds is not None:
            options["random_state"] = np.random.default_rng(self.seeds[number])
        with named_in_errors(f"partition {number}"):
            return getattr(self.target, self.name)(frame, **options)


def numbers(*names: str) -> Wanted:
    """Return the form of an answer with one float per row, or one in each of several columns."""
    return Wanted(names[0] if len(names) == 1 else names, np.dtype(np.float64))


def like_the_table(empty: Frame) -> Frame:
    """Return the form of an answer with the columns and dtypes of the table."""
    return empty


def answer(
    target: object,
    question: str,
    table: Collection,
    form: Form,
    **options: Any,  # noqa: ANN401 - the question's own
) -> Collection:
    """Apply a method to each part of a table and return the answers as a Dask collection.

    Parameters
    ----------
    asked
        A model or a fitted estimator. It is sent to each worker once.
    question
        The name of its method, which is called with the frame of each part.
    table : Dask DataFrame or 2-D Array
        The rows.
    form
        The form of the answer.
    **options
        Further arguments of the method. Each part gets its own ``random_state``.
    """
    if not hasattr(table, "map_partitions") and not is_array(table):
        raise SoftlearnError(
            f"{question} takes Dask DataFrames and Arrays, not {type(table).__name__}"
        )
    seeds = None
    if "random_state" in options:
        seeds = seeds_of(options.pop("random_state"), table.npartitions)
    shipped = dask.delayed(Question(target, question, options, seeds))  # sent once, not per part
    if is_array(table):
        return _of_array(shipped, table, form)
    like = first_rows(table)
    meta = form.empty(like) if isinstance(form, Wanted) else form(like)
    return table.map_partitions(_of_frame, shipped, meta, meta=meta)


def sample(
    model: Any,  # noqa: ANN401 - a Model
    n: int,
    partition_rows: int,
    given: Mapping[str, object] | None = None,
    random_state: object = None,
) -> Collection:
    """Return rows drawn from a model as a Dask DataFrame or Array.

    Each partition has ``partition_rows`` rows and is drawn when it is needed, with its own seed:
    the rows depend on ``n``, ``partition_rows`` and ``random_state``, but not on the workers.
    """
    if (
        isinstance(partition_rows, bool)
        or not isinstance(partition_rows, int)
        or partition_rows < 1
    ):
        raise SoftlearnError(
            f"partition_rows must be a whole number, 1 or more, not {partition_rows!r}"
        )
    if given is not None and not isinstance(given, Mapping):
        raise SoftlearnError("with partition_rows, given must be a dict, not a frame")
    empty = model.sample(0, given)  # also raises at once if a condition is invalid
    starts = list(range(0, max(n, 1), partition_rows))
    sizes = [min(partition_rows, n - start) for start in starts]
    shipped = dask.delayed(model)
    draws = [
        dask.delayed(_drawn)(shipped, size, given, seed, start)
        for size, seed, start in zip(sizes, seeds_of(random_state, len(sizes)), starts, strict=True)
    ]
    if isinstance(empty, np.ndarray):
        import dask.array as da  # noqa: PLC0415

        blocks = [
            da.from_delayed(draw, (size, empty.shape[1]), empty.dtype)
            for draw, size in zip(draws, sizes, strict=True)
        ]
        return da.concatenate(blocks)
    if not hasattr(empty, "iloc"):
        raise SoftlearnError(
            "partition_rows needs a model learnt from pandas frames or arrays; this one was "
            f"learnt from {model.schema.frame}"
        )
    import dask.dataframe as dd  # noqa: PLC0415

    divisions = [*starts, max(n - 1, starts[-1])]
    return dd.from_delayed(draws, meta=empty, divisions=divisions)


def seeds_of(random_state: object, n: int) -> list[np.random.SeedSequence]:
    """Return a seed for each of n parts."""
    if isinstance(random_state, np.random.Generator):
        root = np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    elif random_state is None or isinstance(random_state, int | np.integer):
        root = np.random.SeedSequence(None if random_state is None else int(random_state))
    else:
        raise SoftlearnError(
            "random_state must be a whole number, a numpy.random.Generator or None, "
            f"not {type(random_state).__name__}"
        )
    return root.spawn(n)


def _of_frame(
    frame: Frame, question: Question, meta: Frame, partition_info: Mapping[str, int] | None = None
) -> Frame:
    """Return the answer for a partition of a Dask DataFrame, with its index."""
    found = question.answer(frame, (partition_info or {"number": 0})["number"])
    if not isinstance(found, np.ndarray):
        return found.astype(meta.dtypes)
    if found.ndim == 1:
        return type(meta)(found, index=frame.index, name=meta.name, dtype=meta.dtype)
    return type(meta)(found, index=frame.index, columns=meta.columns).astype(meta.dtypes)


def _of_array(shipped: Delayed, table: Collection, form: Form) -> Collection:
    """Return the answer for a Dask Array, as a Dask Array."""
    rows = table.rechunk({1: -1})
    if not isinstance(form, Wanted):
        return rows.map_blocks(_of_block, shipped, dtype=table.dtype, meta=first_rows(table))
    if isinstance(form.names, str):
        empty = np.empty(0, form.dtype)
        return rows.map_blocks(_of_block, shipped, drop_axis=1, dtype=form.dtype, meta=empty)
    width = len(form.names)
    empty = np.empty((0, width), form.dtype)
    chunks = (rows.chunks[0], (width,))
    return rows.map_blocks(_of_block, shipped, chunks=chunks, dtype=form.dtype, meta=empty)


def _of_block(block: Frame, question: Question, block_id: tuple[int, ...] | None = None) -> Frame:
    return question.answer(block, (block_id or (0,))[0])


def _drawn(
    model: Any,  # noqa: ANN401 - a Model
    size: int,
    given: Mapping[str, object] | None,
    seed: np.random.SeedSequence,
    start: int,
) -> Frame:
    """Draw the rows of one partition, whose index begins at ``start``."""
    rows = model.sample(size, given, np.random.default_rng(seed))
    if isinstance(rows, np.ndarray):
        return rows
    rows.index = rows.index + start
    return rows
