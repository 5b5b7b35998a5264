"""Grow a circuit from rows and parameters; shared by SoftLearn and LearnSPN."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from softlearn.circuit import Circuit
from softlearn.learn.assemble import assemble, assemble_with_trees
from softlearn.learn.blocks import Block, joined
from softlearn.learn.checkpoint import checkpoint_of
from softlearn.learn.config import GrowConfig
from softlearn.learn.fine_tune import FineTuning, fine_tuned
from softlearn.learn.grow import grow
from softlearn.learn.grower_config import (
    GrowerConfig,
    has_two_levels,
    usual_smoothing_per,
)
from softlearn.learn.held_out import different_rows, hold_out
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.watch import Engine, ignore
from softlearn.numeric_policy import HELD_OUT_SHARE, MOST_CHANCE_LINKS, ROWS_OF_A_TREE
from softlearn.stats.buckets import different_rows_of, digest_of
from softlearn.stats.table import table_of
from softlearn.table.schema import Schema


def grown(
    blocks: Sequence[Block],
    schema: Schema,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the circuit grown from the rows; the time budget starts now."""
    ends = np.inf if config.time_budget is None else time.monotonic() + config.time_budget
    held = None
    if config.fine_tune:
        to_hold, to_tune = seed.spawn(2)
        rows = different_rows(joined(blocks))
        block, held = hold_out(rows, HELD_OUT_SHARE, np.random.default_rng(to_hold))
        blocks = [block]
    rows_of_all = different_rows_of(blocks, schema)
    histograms = with_histograms(schema, config)
    table = table_of(rows_of_all, schema, histograms, config.bucket_rows)
    with checkpoint_of(config, schema, seed, lambda: digest_of(rows_of_all)) as memory:
        tree = grow(table, config, seed, replace(engine, memory=memory), ends)
        finished = finish_leaves(tree, table, config)
        circuit = (
            assemble_with_trees(tree, finished, table, config)
            if config.trees
            else assemble(tree, finished, schema)
        )
        if held is None:  # not requested, or too few rows for early stopping
            return circuit
        tuning = FineTuning(max_iter=config.fine_tune, smoothing=config.smoothing)
        unwatched = replace(engine, watch=ignore)  # growing has already reported the end
        return fine_tuned(circuit, block, held, tuning, seed=to_tune, engine=unwatched).circuit


def settled(config: GrowerConfig, schema: Schema, *, soft: bool, ranks: bool) -> GrowConfig:
    """Return a grower's settings, with defaults resolved for the table."""
    known = {one.name for one in fields(GrowConfig)}
    own = [one.name for one in fields(config) if one.name in known]
    chosen = {name: getattr(config, name) for name in own}
    if config.smoothing_per is None:
        chosen["smoothing_per"] = usual_smoothing_per(schema)
    if has_two_levels(schema):
        chosen["chance_links"] = MOST_CHANCE_LINKS
    trees = config.leaf == "chow-liu"
    if trees:
        chosen["leaf"] = "gaussian"
    if config.min_rows is None:
        chosen["min_rows"] = ROWS_OF_A_TREE if trees else 0
    return GrowConfig(**chosen, soft=soft, ranks=ranks, trees=trees)
