"""Shuffle the rows of a table into buckets; afterwards, whole rows are not moved any more.

Every row goes to the part that has its bucket, which depends on its cells only, so that equal rows
end up together and are merged. So the parts, and the circuit, do not depend on how the table was
partitioned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from softlearn.arrays import Bools, States
from softlearn.errors import SoftlearnError
from softlearn.learn import Block
from softlearn.learn.blocks import check_block
from softlearn.scale.cluster import PARTS_IN_MEMORY, WorkerRoom, room_on
from softlearn.scale.partitions import Delayed, opened
from softlearn.scale.storage import Future, Storage, Stored
from softlearn.stats.buckets import (
    CodedRows,
    bucket_cuts,
    coded,
    count_buckets,
    may_merge,
    merged,
    rows_of_bucket,
)
from softlearn.stats.buckets import digest_of as digest_of_some
from softlearn.stats.facts import TableFacts, merge, summarise
from softlearn.stats.layout import Layout, layout_of
from softlearn.stats.merging import merged_in_order
from softlearn.stats.parts import Share
from softlearn.stats.table import laid_out
from softlearn.table import Schema

_ROWS_PER_PART = 2**18  # a worker can hold several such parts, and a task's overhead is small


class SpreadRows(NamedTuple):
    """The distinct rows of a table on workers."""

    schema: Future
    parts: list[Stored]  # ``CodedRows``, in the order of their buckets
    n_rows: int
    n_buckets: int
    weight: float


def spread_rows(
    storage: Storage, blocks: Sequence[Delayed], schema: Schema, bucket_rows: int
) -> SpreadRows:
    """Shuffle the rows of encoded blocks into buckets."""
    columns = storage.share(schema)
    pieces = _coded_pieces(storage, blocks, columns)
    sizes = _sizes(storage, pieces)
    n_rows, weight = sum(n for n, _ in sizes), sum(own for _, own in sizes)
    if n_rows < 2 and weight < 2.0:
        raise SoftlearnError("learning needs at least two rows of positive weight")
    workers = room_on(storage.client)
    n_parts = max(
        count_buckets(n_rows, _rows_per_part(workers, len(schema))),
        count_buckets(workers.n_threads, 1),
    )
    parts = _shuffled(storage, pieces, n_parts)
    del pieces  # workers have memory for one copy of the rows, not for one per step
    sizes = _sizes(storage, parts)
    n_rows = sum(n for n, _ in sizes)
    n_buckets = count_buckets(n_rows, bucket_rows)
    if n_buckets < n_parts:  # a bucket is never divided between parts
        size = n_parts // n_buckets
        groups = [(parts[i : i + size],) for i in range(0, n_parts, size)]
        parts = storage.store(_concatenated, groups)
    return SpreadRows(columns, parts, n_rows, n_buckets, float(sum(own for _, own in sizes)))


def _rows_per_part(workers: WorkerRoom, n_columns: int) -> int:
    """Return the number of rows per part with which a worker can hold and merge several parts."""
    if workers.bytes_per_thread is None:
        return _ROWS_PER_PART
    fit_in = workers.bytes_per_thread // (PARTS_IN_MEMORY * 8 * n_columns)
    return max(1, min(_ROWS_PER_PART, fit_in))


def facts_of(storage: Storage, rows: SpreadRows) -> TableFacts:
    """Return the statistics of all rows, merged bucket by bucket."""
    measured = storage.fetch(
        _facts, ((*own, rows.schema) for own in _with_places(rows, rows.parts))
    )
    return merged_in_order(measured, merge)


def digest_of(storage: Storage, rows: SpreadRows) -> States:
    """Return a digest that identifies the rows; see ``softlearn.stats.buckets``."""
    found: States = np.sum(storage.fetch(digest_of_some, ((part,) for part in rows.parts)), axis=0)
    return found


class LaidOut(NamedTuple):
    """A table laid out for learning, on workers."""

    layout: Layout
    layout_on_workers: Future
    tables: list[Stored]  # ``GrowTable``
    shares: list[Stored]  # the ``Share`` of all rows in each bucket


def lay_out(storage: Storage, rows: SpreadRows, schema: Schema, with_histograms: Bools) -> LaidOut:
    """Lay out the rows on the workers that have them."""
    layout = layout_of(facts_of(storage, rows), schema, with_histograms)
    there = storage.share(layout)
    tables = storage.store(_table, ((part, there) for part in rows.parts))
    shares = storage.store(_shares, _with_places(rows, tables))
    return LaidOut(layout, there, tables, shares)


def _with_places(
    rows: SpreadRows, parts: list[Stored]
) -> list[tuple[Stored, tuple[int, int, int]]]:
    """Return each part with the numbers that say which buckets it has."""
    per_part = rows.n_buckets // len(parts)
    return [(part, (i, per_part, rows.n_buckets)) for i, part in enumerate(parts)]


def _may_merge(block: Block) -> bool:
    return may_merge(block.weights)


def _coded(block: Block, schema: Schema, merge: bool) -> CodedRows:
    check_block(block, schema)
    return coded(*block, schema, merge=merge)


def _sizes(storage: Storage, parts: list[Stored]) -> list[tuple[int, float]]:
    return storage.fetch(_size, ((part,) for part in parts))


def _size(rows: CodedRows) -> tuple[int, float]:
    return rows.weights.size, float(rows.weights.sum())


def _coded_pieces(storage: Storage, blocks: Sequence[Delayed], columns: Future) -> list[Stored]:
    """Return the rows of each block in the order of their keys."""
    read = storage.store_delayed(blocks)
    merge = all(storage.fetch(_may_merge, ((block,) for block in read)))
    return storage.store(_coded, ((block, columns, merge) for block in read))


def _shuffled(storage: Storage, pieces: list[Stored], n_parts: int) -> list[Stored]:
    """Return the rows of each part, collected from all pieces."""
    chosen = [[storage.defer(_chosen, own, i, n_parts) for own in pieces] for i in range(n_parts)]
    return storage.store(_merged, ((own,) for own in chosen))


def _chosen(rows: CodedRows, i: int, n_parts: int) -> CodedRows:
    return _between(rows, *rows_of_bucket(rows.keys, i, n_parts))


def _merged(pieces: list[Stored]) -> CodedRows:
    return merged([opened(piece) for piece in pieces])


def _between(rows: CodedRows, first: int, end: int) -> CodedRows:
    values = np.ascontiguousarray(rows.values[:, first:end])
    return CodedRows(values, rows.weights[first:end].copy(), rows.keys[first:end].copy())


def _concatenated(stored: list[Stored]) -> CodedRows:
    pieces = [opened(piece) for piece in stored]
    return CodedRows(
        np.concatenate([piece.values for piece in pieces], axis=1),
        np.concatenate([piece.weights for piece in pieces]),
        np.concatenate([piece.keys for piece in pieces]),
    )


def _buckets_of(keys: Any, where: tuple[int, int, int]) -> list[tuple[int, int]]:  # noqa: ANN401
    """Return the first row and the end of each bucket of a part."""
    part, per_part, n_buckets = where
    cuts = bucket_cuts(keys, n_buckets)[part * per_part : (part + 1) * per_part + 1]
    return list(pairwise(cuts.tolist()))


def _facts(rows: CodedRows, where: tuple[int, int, int], schema: Schema) -> TableFacts:
    buckets = (_between(rows, a, b) for a, b in _buckets_of(rows.keys, where))
    return merged_in_order((summarise(bucket, schema) for bucket in buckets), merge)


def _table(rows: CodedRows, layout: Layout) -> Any:  # noqa: ANN401 - a GrowTable
    return laid_out(rows, layout).arrays


def _shares(table: Any, where: tuple[int, int, int]) -> list[Share]:  # noqa: ANN401
    rows = np.arange(table.weights.size, dtype=np.int32)
    return [Share(rows[a:b], table.weights[a:b]) for a, b in _buckets_of(table.keys, where)]
