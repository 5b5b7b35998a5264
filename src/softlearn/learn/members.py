"""One circuit, or a mixture of several that were learnt from resampled rows or by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.circuit.draft import Draft
from softlearn.learn.blocks import Block, joined
from softlearn.learn.config import GrowConfig, SmoothingPer
from softlearn.learn.grower_config import Leaves, usual_smoothing_per
from softlearn.learn.leaves import with_histograms
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import flag, number, one_of, or_none, whole
from softlearn.learn.trees import TreeBuilder
from softlearn.learn.watch import Engine, Progress
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema

AddMember: TypeAlias = Callable[[TreeBuilder, Floats, np.random.Generator], int]


@dataclass(frozen=True, kw_only=True)
class Members:
    """How many circuits are averaged."""

    n_members: int = parameter(
        1,
        whole(1),
        "The number of circuits, whose mean is the result.",
    )
    bootstrap: bool | None = parameter(
        None,
        or_none(flag()),
        "Whether each of several circuits is learnt from rows drawn with replacement. By default "
        "they are, unless the learner is random anyway.",
    )


@dataclass(frozen=True, kw_only=True)
class TreeLeaves(Leaves):
    """The settings of the leaves and tables of trees."""

    smoothing: float = parameter(
        1.0,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "Smoothing: pseudo-rows added to every column for each state of the column that it depends "
        "on.",
        grid=(0.1, 1.0, 5.0),
    )
    smoothing_per: SmoothingPer | None = parameter(
        "column",
        or_none(one_of("column", "level")),
        "Whether the pseudo-rows are per column, shared by its levels in proportion to their "
        "frequency, or per level, which is Laplace smoothing. None chooses as SoftLearn does.",
    )


def learn_members(
    builder: TreeBuilder,
    config: Members,
    seed: np.random.SeedSequence,
    engine: Engine,
    add_member: AddMember,
    *,
    by_chance: bool = False,
) -> Circuit:
    """Return the mean of all members.

    ``add_member`` adds a circuit over all columns to the builder's draft and returns its root; its
    arguments are the weights of the table's rows, and a random generator. If members differ
    ``by_chance``, they are learnt from the rows without resampling, unless the user asks for it.
    """
    n_members = config.n_members
    resample = config.bootstrap if config.bootstrap is not None else not by_chance
    progress, roots = Progress(float(n_members)), []
    for own in seed.spawn(n_members):
        rng, n_before = np.random.default_rng(own), builder.draft.n_nodes
        weights = builder.table.weights
        if resample and n_members > 1:
            weights = resampled(weights, rng)
        with threadpool_limits(1, user_api="blas"):  # the matrices are small
            roots.append(add_member(builder, weights, rng))
        progress.note(builder.draft.n_nodes - n_before, 1.0)
        engine.watch(progress)
    root = builder.draft.add_sum(roots, np.full(n_members, 1.0 / n_members))
    return builder.draft.circuit(root)


def tree_builder(blocks: Sequence[Block], schema: Schema, config: Leaves) -> TreeBuilder:
    """Return a builder for the table, with the defaults of leaves resolved for it."""
    per = config.smoothing_per
    chosen = GrowConfig(
        smoothing=config.smoothing,
        smoothing_per=usual_smoothing_per(schema) if per is None else per,
        leaf=config.leaf,
        deviation_floor=config.deviation_floor,
    )
    table = training_table(*joined(blocks), schema, with_histograms(schema, chosen))
    return TreeBuilder(Draft(schema), table, chosen)


def resampled(weights: Floats, rng: np.random.Generator) -> Floats:
    """Return how often each row is drawn, in as many draws as the rows weigh."""
    n_draws = max(2, round(float(weights.sum())))
    return rng.multinomial(n_draws, weights / weights.sum()).astype(np.float64)
