"""Grow a circuit from rows that are stored on workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softlearn.circuit import Circuit
from softlearn.learn import Engine, GrowConfig, Progress
from softlearn.learn.assemble import assemble
from softlearn.learn.checkpoint import checkpoint_of
from softlearn.learn.grow import Buckets, raised_at
from softlearn.learn.large import LargeGrower, split_large
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.options import growth_options
from softlearn.learn.pieces import joined, one_open
from softlearn.learn.slices import first_place, in_parts
from softlearn.learn.watch import ignore
from softlearn.scale.buckets import digest_of, lay_out, spread_rows
from softlearn.scale.cluster import bytes_moved, folder_of, room_on
from softlearn.scale.partitions import Delayed
from softlearn.scale.parts import WorkerParts
from softlearn.scale.small_slices import limits_of
from softlearn.scale.storage import InFiles, InMemory, Storage
from softlearn.scale.subtrees import Subtrees, until
from softlearn.stats.table import no_rows_of
from softlearn.table import Schema

_SECONDS_BETWEEN_QUESTIONS = 2.0  # seconds between two requests to all workers


def grow_on_workers(
    client: Any,  # noqa: ANN401 - dask has no types
    blocks: Sequence[Delayed],
    schema: Schema,
    config: GrowConfig,
    *,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the circuit of encoded blocks: the same that ``softlearn.learn`` grows locally."""
    ends = np.inf if config.time_budget is None else time.time() + config.time_budget
    storage = _storage_for(client)
    rows = spread_rows(storage, blocks, schema, config.bucket_rows)
    histograms = with_histograms(schema, config)
    table = lay_out(storage, rows, schema, histograms)
    layout = table.layout
    options = growth_options(config.for_rows(rows.weight), layout)
    buckets = Buckets(rows.n_buckets, config.bucket_rows)
    parts = WorkerParts(storage, tuple(table.tables))
    top = one_open()
    place = first_place(len(schema), config, seed, top)
    first = in_parts(place, table.shares, rows.n_rows, rows.weight)
    progress = Progress(first.mass, n_rows=rows.n_rows)
    shared = storage.share((layout, options, buckets))
    limits = limits_of(storage, rows.n_rows, len(schema), config)
    subtrees = Subtrees(parts, limits, shared, options.stop, ends)
    with checkpoint_of(config, schema, seed, lambda: digest_of(storage, rows)) as memory:
        rows.parts.clear()  # from here on only the laid-out table is needed
        watch = _with_bytes_moved(client, engine.watch)
        engine = replace(engine, memory=memory, watch=watch)
        large = LargeGrower(parts, layout, no_rows_of(layout), options, memory)
        with raised_at(until(ends), options.stop):
            split_large(large, first, subtrees, progress=progress, engine=engine)
            subtrees.collect_all(progress, engine)
        tree = joined(top.grown[0])
        return assemble(tree, finish_leaves(tree, layout, config), schema)


def _storage_for(client: Any) -> Storage:  # noqa: ANN401
    folder = folder_of(client)
    if folder is None:
        return InMemory(client)
    return InFiles(client, folder, room_on(client).n_threads)


def _with_bytes_moved(
    client: Any,  # noqa: ANN401
    watch: Callable[[Progress], None],
) -> Callable[[Progress], None]:
    """Return a callback that regularly adds the bytes sent by workers to the progress."""
    if watch is ignore:
        return watch
    last = time.monotonic() - _SECONDS_BETWEEN_QUESTIONS

    def watching(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_QUESTIONS:
            progress.bytes_moved = bytes_moved(client)
            last = time.monotonic()
        watch(progress)

    return watching
