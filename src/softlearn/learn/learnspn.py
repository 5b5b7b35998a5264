"""LearnSPN: growing by hard clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block, joined
from softlearn.learn.config import GrowConfig
from softlearn.learn.entry import Entry, Promises
from softlearn.learn.gens import grown_by_gens
from softlearn.learn.grower_config import GrowerConfig
from softlearn.learn.growing import grown, settled
from softlearn.learn.leaves import with_histograms
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import number, one_of
from softlearn.learn.watch import Engine
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class LearnSPNConfig(GrowerConfig):
    """The parameters of LearnSPN."""

    variant: Literal["correia", "gens"] = parameter(
        "correia",
        one_of("correia", "gens"),
        "How rows and columns are split: `correia` uses `clustering` and tests of ranks and "
        "chi-square; `gens`, the original algorithm, uses G-tests (on binned numbers) and hard "
        "incremental EM over naive Bayes mixtures, which chooses the number of clusters.",
    )
    cluster_penalty: float = parameter(
        0.6,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "The penalty for each additional cluster, in nats per column.",
        grid=(0.2, 0.4, 0.6, 0.8),
        only_if=("variant", "gens"),
    )


def learnspn(
    blocks: Sequence[Block],
    schema: Schema,
    config: LearnSPNConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Grow a circuit whose rows go to one cluster each; pairs with numbers are tested by ranks."""
    chosen = choices(config, schema)
    if config.variant == "gens":
        if config.checkpoint is not None:
            raise SoftlearnError("checkpoint works only with variant='correia'; leave it out")
        table = training_table(*joined(blocks), schema, with_histograms(schema, chosen))
        return grown_by_gens(table, chosen, config.cluster_penalty, seed, engine)
    return grown(blocks, schema, chosen, seed, engine)


def choices(config: LearnSPNConfig, schema: Schema) -> GrowConfig:
    """Return the settings of growing, with all defaults resolved."""
    return settled(config, schema, soft=False, ranks=config.variant == "correia")


def rows_may_stay(config: LearnSPNConfig, schema: Schema) -> GrowConfig | None:
    """Return the settings; None for the variant that splits rows one by one."""
    return None if config.variant == "gens" else choices(config, schema)


ENTRY: Final = Entry(
    estimator="LearnSPN",
    label="LearnSPN",
    summary="Learn a circuit by hard clustering: every row goes to one cluster.",
    description="The table is split into smaller and smaller parts. Pairs of discrete columns are "
    "tested by chi-square, pairs of numbers by Kendall's tau, mixed pairs by Kruskal and Wallis; "
    "memberships are rounded to the most likely cluster.",
    advice="Use it as the standard baseline of the literature.",
    reference="Gens and Domingos, Learning the Structure of Sum-Product Networks, ICML 2013, with "
    "the tests of Correia et al.",
    function=learnspn,
    config=LearnSPNConfig,
    choices=rows_may_stay,
    promises=Promises(structure="tree", grower=True),
    example="""
>>> import numpy as np
>>> from softlearn import LearnSPN
>>> rng = np.random.default_rng(0)
>>> left = rng.random(500) < 0.5
>>> table = rng.normal(np.where(left[:, None], [-3, 1], [3, 9]))  # (500, 2)
>>> learnt = LearnSPN(random_state=0).fit(table)
>>> learnt.score(table) > LearnSPN(max_depth=0).fit(table).score(table) + 0.3
True
""",
)
