"""ChowLiuTree: every column depends on one other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.learn.blocks import Block
from softlearn.learn.entry import Entry, Promises
from softlearn.learn.members import Members, TreeLeaves, learn_members, tree_builder
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import one_of, whole
from softlearn.learn.tree_mixture import mixture_of_trees
from softlearn.learn.trees import TreeBuilder
from softlearn.learn.watch import Engine
from softlearn.stats.states import all_rows
from softlearn.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class ChowLiuTreeConfig(Members, TreeLeaves):
    """The parameters of ChowLiuTree."""

    mixture: Literal["bagged", "em"] = parameter(
        "bagged",
        one_of("bagged", "em"),
        "How several trees are learnt: independently from resampled rows, or jointly by EM, each "
        "from the rows that it explains best; EM may leave fewer than `n_members`.",
    )
    max_iter: int = parameter(
        30, whole(1), "The maximum number of EM steps.", only_if=("mixture", "em")
    )


def chow_liu_tree(
    blocks: Sequence[Block],
    schema: Schema,
    config: ChowLiuTreeConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the tree of largest mutual information, or a mixture of trees of resampled rows."""
    builder = tree_builder(blocks, schema, config)
    if config.mixture == "em" and config.n_members > 1:
        rng = np.random.default_rng(seed)
        return mixture_of_trees(builder, config.n_members, config.max_iter, rng, engine)
    return learn_members(builder, config, seed, engine, _add_tree)


def _add_tree(builder: TreeBuilder, weights: Floats, rng: np.random.Generator) -> int:
    return builder.add(all_rows(builder.table, weights))


ENTRY: Final = Entry(
    estimator="ChowLiuTree",
    label="Chow–Liu tree",
    summary="Learn the best tree of the columns: each depends on one other.",
    description="Of all trees it has the largest likelihood: the spanning tree of largest mutual "
    "information. Numbers are cut into a few bins where other columns depend on them.",
    advice="Use it as a fast baseline, or where the tree itself is of interest. Most tables have "
    "more structure than a tree can represent.",
    reference="Chow and Liu, Approximating Discrete Probability Distributions with Dependence "
    "Trees, 1968; mixtures: Meilă and Jordan, Learning with Mixtures of Trees, JMLR 2000.",
    function=chow_liu_tree,
    config=ChowLiuTreeConfig,
    promises=Promises(deterministic=True),
    example="""
>>> import numpy as np
>>> from softlearn import ChowLiuTree
>>> rng = np.random.default_rng(0)
>>> first = rng.random(500) < 0.5
>>> second = first ^ (rng.random(500) < 0.1)
>>> third = second ^ (rng.random(500) < 0.1)
>>> learnt = ChowLiuTree().fit(np.stack([first, second, third], axis=1))
>>> round(learnt.model_.probability({"2": True}, given={"0": True}), 1)
0.8
""",
)
