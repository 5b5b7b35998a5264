"""Bring the rows of a table to their buckets: one shuffle, after which rows never move as a whole.

Every row goes to the part that has its bucket, which follows from its cells alone; equal rows meet
there and are merged. So the parts, and the circuit, are the same however the table was cut.
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
from softlearn.scale.partitions import Delayed
from softlearn.scale.parts import Future, finished, on_workers
from softlearn.stats.buckets import CodedRows, bucket_cuts, coded, count_buckets, may_merge, merged
from softlearn.stats.buckets import digest_of as digest_of_some
from softlearn.stats.facts import TableFacts, merge, summarise
from softlearn.stats.layout import Layout, layout_of
from softlearn.stats.merging import merged_in_order
from softlearn.stats.parts import Share
from softlearn.stats.table import laid_out
from softlearn.table import Schema

_ROWS_PER_PART = 2**18  # small enough that a worker holds several, and large beside a task's cost


class SpreadRows(NamedTuple):
    """The different rows of a table on workers."""

    schema: Future
    parts: list[Future]  # of ``CodedRows``, in the order of their buckets
    n_rows: int
    n_buckets: int
    weight: float


def spread_rows(
    client: Any,  # noqa: ANN401 - dask has no types
    blocks: Sequence[Delayed],
    schema: Schema,
    bucket_rows: int,
) -> SpreadRows:
    """Bring the rows of encoded blocks to their buckets."""
    columns = on_workers(client, schema)
    pieces = _coded_pieces(client, blocks, columns)
    sizes = client.gather(client.map(_size, pieces, pure=False))
    n_rows, weight = sum(n for n, _ in sizes), sum(own for _, own in sizes)
    if n_rows < 2 and weight < 2.0:
        raise SoftlearnError("learning needs at least two rows of positive weight")
    workers = room_on(client)
    n_parts = max(
        count_buckets(n_rows, _rows_per_part(workers, len(schema))),
        count_buckets(workers.n_threads, 1),
    )
    cut = finished(client.submit(_cut, piece, n_parts, pure=False) for piece in pieces)
    del pieces  # workers have room for one copy of the rows, and not for one of each step
    parts = _shuffled(client, cut, n_parts)
    del cut
    sizes = client.gather(client.map(_size, parts, pure=False))
    n_rows = sum(n for n, _ in sizes)
    n_buckets = count_buckets(n_rows, bucket_rows)
    if n_buckets < n_parts:  # a bucket is never divided between parts
        size = n_parts // n_buckets
        groups = [parts[i : i + size] for i in range(0, n_parts, size)]
        parts = finished(client.submit(_behind_each_other, group, pure=False) for group in groups)
    return SpreadRows(columns, parts, n_rows, n_buckets, float(sum(own for _, own in sizes)))


def _rows_per_part(workers: WorkerRoom, n_columns: int) -> int:
    """Return how many rows a part should have, so that a worker can hold and merge several."""
    if workers.bytes_per_thread is None:
        return _ROWS_PER_PART
    fit_in = workers.bytes_per_thread // (PARTS_IN_MEMORY * 8 * n_columns)
    return max(1, min(_ROWS_PER_PART, fit_in))


def facts_of(client: Any, rows: SpreadRows) -> TableFacts:  # noqa: ANN401
    """Return the facts of all rows, bucket by bucket."""
    per_part = rows.n_buckets // len(rows.parts)
    found = [
        client.submit(_facts, part, rows.schema, (i, per_part, rows.n_buckets), pure=False)
        for i, part in enumerate(rows.parts)
    ]
    measured: list[TableFacts] = client.gather(found)
    return merged_in_order(measured, merge)


def digest_of(client: Any, rows: SpreadRows) -> States:  # noqa: ANN401
    """Return numbers that tell the rows from others; see ``softlearn.stats.buckets``."""
    found: States = sum(client.gather(client.map(digest_of_some, rows.parts, pure=False)))
    return found


class LaidOut(NamedTuple):
    """A table on workers, laid out."""

    layout: Layout
    layout_on_workers: Future
    tables: list[Future]  # of ``GrowTable``
    shares: list[Future]  # of the ``Share`` of all rows in each bucket


def lay_out(
    client: Any,  # noqa: ANN401
    rows: SpreadRows,
    schema: Schema,
    with_histograms: Bools,
) -> LaidOut:
    """Lay out the rows where they are."""
    layout = layout_of(facts_of(client, rows), schema, with_histograms)
    there = on_workers(client, layout)
    tables = finished(client.submit(_table, part, there, pure=False) for part in rows.parts)
    per_part = rows.n_buckets // len(rows.parts)
    shares = finished(
        client.submit(_shares, table, (i, per_part, rows.n_buckets), pure=False)
        for i, table in enumerate(tables)
    )
    return LaidOut(layout, there, tables, shares)


def _may_merge(block: Block) -> bool:
    return may_merge(block.weights)


def _coded(block: Block, schema: Schema, merge: bool) -> CodedRows:
    check_block(block, schema)
    return coded(*block, schema, merge=merge)


def _size(rows: CodedRows) -> tuple[int, float]:
    return rows.weights.size, float(rows.weights.sum())


def _coded_pieces(
    client: Any,  # noqa: ANN401
    blocks: Sequence[Delayed],
    columns: Future,
) -> list[Future]:
    """Return the rows of each block in the order of their keys."""
    read = client.compute(list(blocks))
    merge = all(client.gather(client.map(_may_merge, read, pure=False)))
    return finished(client.submit(_coded, block, columns, merge, pure=False) for block in read)


def _shuffled(client: Any, cut: list[Future], n_parts: int) -> list[Future]:  # noqa: ANN401
    """Return the rows of each part, from all pieces."""
    chosen = [[client.submit(_chosen, own, i, pure=False) for own in cut] for i in range(n_parts)]
    return finished(client.submit(merged, own, pure=False) for own in chosen)


def _cut(rows: CodedRows, n_parts: int) -> list[CodedRows]:
    cuts = bucket_cuts(rows.keys, n_parts).tolist()
    return [_between(rows, a, b) for a, b in pairwise(cuts)]


def _chosen(pieces: list[CodedRows], i: int) -> CodedRows:
    return pieces[i]


def _between(rows: CodedRows, first: int, end: int) -> CodedRows:
    values = np.ascontiguousarray(rows.values[:, first:end])
    return CodedRows(values, rows.weights[first:end].copy(), rows.keys[first:end].copy())


def _behind_each_other(pieces: list[CodedRows]) -> CodedRows:
    return CodedRows(
        np.concatenate([piece.values for piece in pieces], axis=1),
        np.concatenate([piece.weights for piece in pieces]),
        np.concatenate([piece.keys for piece in pieces]),
    )


def _buckets_of(keys: Any, where: tuple[int, int, int]) -> list[tuple[int, int]]:  # noqa: ANN401
    """Return where the rows of each bucket of a part begin and end."""
    part, per_part, n_buckets = where
    cuts = bucket_cuts(keys, n_buckets)[part * per_part : (part + 1) * per_part + 1]
    return list(pairwise(cuts.tolist()))


def _facts(rows: CodedRows, schema: Schema, where: tuple[int, int, int]) -> TableFacts:
    buckets = (_between(rows, a, b) for a, b in _buckets_of(rows.keys, where))
    return merged_in_order((summarise(bucket, schema) for bucket in buckets), merge)


def _table(rows: CodedRows, layout: Layout) -> Any:  # noqa: ANN401 - a GrowTable
    return laid_out(rows, layout).arrays


def _shares(table: Any, where: tuple[int, int, int]) -> list[Share]:  # noqa: ANN401
    rows = np.arange(table.weights.size, dtype=np.int32)
    return [Share(rows[a:b], table.weights[a:b]) for a, b in _buckets_of(table.keys, where)]
