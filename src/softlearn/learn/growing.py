"""From rows and a grower's parameters to a grown circuit: what SoftLearn and LearnSPN share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from softlearn.circuit import Circuit
from softlearn.learn.assemble import assemble, assemble_with_trees
from softlearn.learn.blocks import Block, joined
from softlearn.learn.config import GrowConfig
from softlearn.learn.grow import grow
from softlearn.learn.grower_config import (
    GrowerConfig,
    usual_clusters,
    usual_significance,
    usual_smoothing_per,
)
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.watch import Engine
from softlearn.numeric_policy import ROWS_OF_A_TREE
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema


def grown(
    blocks: Sequence[Block],
    schema: Schema,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the circuit that the rows grow into; the time budget begins here."""
    ends = np.inf if config.time_budget is None else time.monotonic() + config.time_budget
    table = training_table(*joined(blocks), schema, with_histograms(schema, config))
    tree = grow(table, config, seed, engine, ends)
    finished = finish_leaves(tree, table, config)
    if config.trees:
        return assemble_with_trees(tree, finished, table, config)
    return assemble(tree, finished, schema)


def settled(
    config: GrowerConfig, schema: Schema, blocks: Sequence[Block], *, soft: bool, ranks: bool
) -> GrowConfig:
    """Return a grower's choices, with what the caller left open as it is usual for the table."""
    known = {one.name for one in fields(GrowConfig)}
    own = [one.name for one in fields(config) if one.name in known]
    chosen = {name: getattr(config, name) for name in own}
    if config.significance is None:
        chosen["significance"] = usual_significance(schema)
    if config.smoothing_per is None:
        chosen["smoothing_per"] = usual_smoothing_per(schema)
    if config.n_clusters is None:
        n_rows = sum(float(block.weights.sum()) for block in blocks)
        chosen["n_clusters"] = usual_clusters(schema, n_rows)
    trees = config.leaf == "chow-liu"
    if trees:
        chosen["leaf"] = "gaussian"
    if config.min_rows is None:
        chosen["min_rows"] = ROWS_OF_A_TREE if trees else 0
    return GrowConfig(**chosen, soft=soft, ranks=ranks, trees=trees)
