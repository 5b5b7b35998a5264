"""Grow a circuit from rows that live on workers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softlearn.circuit import Circuit
from softlearn.kernels.grow.work import GrowTable, GrowthOptions
from softlearn.learn.assemble import assemble
from softlearn.learn.config import GrowConfig
from softlearn.learn.grow import Buckets, grow_slice, raised_at
from softlearn.learn.large import LargeGrower, split_large
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.options import growth_options
from softlearn.learn.pieces import Piece, joined, one_open
from softlearn.learn.slices import LargeSlice, OpenPlace, first_place, in_parts, with_rows
from softlearn.learn.watch import Engine, Progress
from softlearn.scale.buckets import lay_out, spread_rows
from softlearn.scale.partitions import Delayed
from softlearn.scale.parts import Future, WorkerParts, on_workers
from softlearn.stats.layout import Layout
from softlearn.stats.parts import Share
from softlearn.stats.sub_tables import joined_tables, table_with
from softlearn.stats.table import no_rows_of
from softlearn.table import Schema


def grow_on_workers(
    client: Any,  # noqa: ANN401 - dask has no types
    blocks: Sequence[Delayed],
    schema: Schema,
    config: GrowConfig,
    *,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the circuit of encoded blocks: the one that ``softlearn.learn`` grows here."""
    ends = np.inf if config.time_budget is None else time.time() + config.time_budget
    rows = spread_rows(client, blocks, schema, config.bucket_rows)
    histograms = with_histograms(schema, config)
    table = lay_out(client, rows, schema, histograms)
    layout, options = table.layout, growth_options(config, table.layout)
    buckets = Buckets(rows.n_buckets, config.bucket_rows)
    parts = WorkerParts(client, tuple(table.tables))
    top = one_open()
    place = first_place(len(schema), config, seed, top)
    first = in_parts(place, table.shares, rows.n_rows, rows.weight)
    progress = Progress(first.mass)
    subtrees = _Subtrees(parts, on_workers(client, (layout, options, buckets)), ends)
    large = LargeGrower(parts, layout, no_rows_of(layout), options)
    most = config.bucket_rows
    with raised_at(_until(ends), options.stop):
        split_large(
            large, first, subtrees.hand_over, most_rows=most, progress=progress, engine=engine
        )
    subtrees.gather(progress, engine)
    tree = joined(top.grown[0])
    return assemble(tree, finish_leaves(tree, layout, config), schema)


@dataclass(eq=False)
class _Subtrees:
    """Small slices, each grown as a whole by the worker that its rows are brought to."""

    parts: WorkerParts
    shared: Future  # layout, options and buckets
    ends: float
    running: dict[Future, tuple[LargeSlice, list[Future]]] = field(default_factory=dict)

    def hand_over(self, task: LargeSlice) -> None:
        """Begin to grow a slice."""
        client = self.parts.client
        some = [
            client.submit(_rows_of, table, shares, pure=False)
            for table, shares in zip(self.parts.tables, task.shares, strict=True)
        ]
        place = _alone(task)
        future = client.submit(_grown_subtree, some, place, self.shared, self.ends, pure=False)
        self.running[future] = (task, some)  # held until it is computed

    def gather(self, progress: Progress, engine: Engine) -> None:
        """Wait for all slices, and put what they have become where they belong."""
        from distributed import as_completed  # noqa: PLC0415 - slow to load

        for future, piece in as_completed(list(self.running), with_results=True):
            task, _ = self.running.pop(future)
            task.piece.grown[task.place] = piece
            progress.note(piece.n_nodes, task.mass)
            engine.watch(progress)


def _alone(task: OpenPlace) -> OpenPlace:
    """Return the place of a slice as if nothing else had been grown."""
    return OpenPlace(
        columns=task.columns,
        seed=task.seed,
        depth=task.depth,
        connected=task.connected,
        n_nodes=task.n_nodes,
        fallback=dict(task.fallback),
        piece=one_open(),
        place=0,
    )


def _rows_of(table: GrowTable, shares: list[Share]) -> tuple[GrowTable, Any]:
    rows = np.concatenate([share.rows for share in shares])
    return table_with(table, rows), np.concatenate([share.weights for share in shares])


def _grown_subtree(
    some: list[tuple[GrowTable, Any]],
    place: OpenPlace,
    shared: tuple[Layout, GrowthOptions, Buckets],
    ends: float,
) -> Piece:
    """Grow a slice on one worker, as every slice is grown."""
    layout, options, buckets = shared
    table = joined_tables([own for own, _ in some])
    weights = np.concatenate([own for _, own in some])
    rows = np.arange(weights.size, dtype=np.int32)
    options = options._replace(stop=np.zeros(1, np.uint8))
    first = with_rows(place, Share(rows, weights))
    return grow_slice(
        table, layout, options, first, buckets=buckets, engine=Engine(), ends=_until(ends)
    )


def _until(ends: float) -> float:
    """Return a time of day, which all machines share, by the clock of this process."""
    return time.monotonic() + ends - time.time()
