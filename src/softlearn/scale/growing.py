"""Grow a circuit from rows that live on workers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softlearn.circuit import Circuit
from softlearn.learn.assemble import assemble
from softlearn.learn.checkpoint import checkpoint_of
from softlearn.learn.config import GrowConfig
from softlearn.learn.grow import Buckets, raised_at
from softlearn.learn.large import LargeGrower, split_large
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.options import growth_options
from softlearn.learn.pieces import joined, one_open
from softlearn.learn.slices import first_place, in_parts
from softlearn.learn.watch import Engine, Progress
from softlearn.scale.buckets import digest_of, lay_out, spread_rows
from softlearn.scale.partitions import Delayed
from softlearn.scale.parts import WorkerParts, on_workers
from softlearn.scale.subtrees import Subtrees, until
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
    shared = on_workers(client, (layout, options, buckets))
    subtrees = Subtrees(parts, shared, options.stop, ends)
    most = config.bucket_rows
    with checkpoint_of(config, schema, seed, lambda: digest_of(client, rows)) as memory:
        engine = replace(engine, memory=memory)
        large = LargeGrower(parts, layout, no_rows_of(layout), options, memory)
        with raised_at(until(ends), options.stop):
            split_large(large, first, subtrees, most_rows=most, progress=progress, engine=engine)
            subtrees.collect_all(progress, engine)
        tree = joined(top.grown[0])
        return assemble(tree, finish_leaves(tree, layout, config), schema)
