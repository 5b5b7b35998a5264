"""SoftLearn: growing by soft clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from softlearn.circuit import Circuit
from softlearn.learn.blocks import Block
from softlearn.learn.config import GrowConfig
from softlearn.learn.entry import Entry, Promises
from softlearn.learn.grower_config import GrowerConfig
from softlearn.learn.growing import grown, settled
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import number
from softlearn.learn.watch import Engine
from softlearn.table.schema import Schema

_BETAS = (20.0, 40.0, 80.0)  # around the value that reaches the paper's level
_WIDE_BETAS = (10.0, *_BETAS, 160.0)


@dataclass(frozen=True, kw_only=True)
class SoftLearnConfig(GrowerConfig):
    """The parameters of SoftLearn."""

    beta: float = parameter(
        GrowConfig().beta,
        number("a number above 0", lambda x: x > 0.0),
        "How hard the memberships of soft k-means are; large values approach hard assignment.",
        grid=_BETAS,
        wide=_WIDE_BETAS,
        only_if=("clustering", "kmeans"),
    )


def softlearn(
    blocks: Sequence[Block],
    schema: Schema,
    config: SoftLearnConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Grow a circuit whose clusters share each row by its membership; all tests are weighted."""
    chosen = choices(config, schema)
    return grown(blocks, schema, chosen, seed, engine)


def choices(config: SoftLearnConfig, schema: Schema) -> GrowConfig:
    """Return the settings of growing, with all defaults resolved."""
    return settled(config, schema, soft=True, ranks=False)


ENTRY: Final = Entry(
    estimator="SoftLearn",
    label="SoftLearn",
    summary="Learn a circuit by soft clustering: every row belongs to all clusters, by membership.",
    description="Columns that are independent, by weighted tests, are modelled apart; if all "
    "depend on each other, the rows are clustered and each cluster continues with all rows, "
    "weighted by their membership.",
    advice="Start with this one: it is the default. A row between two groups contributes to both, "
    "so overlapping groups do less harm than in LearnSPN.",
    reference="Ghandi, Quost and de Campos, Soft Learning Probabilistic Circuits, 2024.",
    function=softlearn,
    config=SoftLearnConfig,
    choices=choices,
    promises=Promises(structure="tree", grower=True),
    example="""
>>> import numpy as np
>>> from softlearn import SoftLearn
>>> rng = np.random.default_rng(0)
>>> left = rng.random(500) < 0.5
>>> centres = np.where(left[:, None], [-3, 1], [3, 9])
>>> table = rng.normal(centres)  # (500, 2)
>>> learnt = SoftLearn(random_state=0).fit(table)
>>> round(learnt.model_.probability({"1": (5, None)}, given={"0": (0, None)}), 2)
1.0
""",
)
