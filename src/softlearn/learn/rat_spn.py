"""RatSpn: random trees of regions, and sums over all products of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from softlearn.circuit import Circuit
from softlearn.learn.blocks import Block
from softlearn.learn.em_config import EmConfig, fitted
from softlearn.learn.entry import Entry, Promises
from softlearn.learn.first_leaves import FirstLeaves
from softlearn.learn.parameters import parameter
from softlearn.learn.region_circuit import Widths, first_circuit
from softlearn.learn.region_graph import random_trees
from softlearn.learn.rules import whole
from softlearn.learn.watch import Engine
from softlearn.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class RatSpnConfig(EmConfig):
    """The parameters of RatSpn."""

    n_replicas: int = parameter(
        8, whole(1), "The number of random trees of regions; R in the paper.", grid=(4, 8, 16)
    )
    depth: int = parameter(
        3, whole(0), "How many times regions are halved; D in the paper.", grid=(2, 3, 4)
    )
    n_sums: int = parameter(8, whole(1), "The number of sums per region; S in the paper.")
    n_inputs: int = parameter(
        8, whole(1), "The number of products of leaves per smallest region; I in the paper."
    )


def rat_spn(
    blocks: Sequence[Block],
    schema: Schema,
    config: RatSpnConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Draw region trees, build sums and products over them, and run EM."""

    def first(leaves: FirstLeaves, rng: np.random.Generator) -> Circuit:
        graph = random_trees(len(schema), config.depth, config.n_replicas, rng)
        widths = Widths(config.n_sums, config.n_inputs, mixes=False)
        return first_circuit(leaves, graph, widths, rng)

    return fitted(first, blocks, schema, config, seed=seed, engine=engine)


ENTRY: Final = Entry(
    estimator="RatSpn",
    label="RAT-SPN",
    summary="Learn the parameters of a large random circuit by EM.",
    description="The columns are halved at random, again and again, in several trees. Each part "
    "has a few sums, over the products of all pairs of nodes of its halves; the smallest parts "
    "have a few products of leaves. None of this depends on the data; weights and leaves are "
    "learnt by EM, with early stopping on held-out rows.",
    advice="Use it as a baseline without structure learning, or as a member of a mixture. The time "
    "grows with the third power of the number of sums.",
    reference="Peharz et al., Random Sum-Product Networks: A Simple and Effective Approach to "
    "Probabilistic Deep Learning, UAI 2019. Trained by EM instead of gradients and dropout.",
    function=rat_spn,
    config=RatSpnConfig,
    promises=Promises(structure="graph"),
    example="""
>>> import numpy as np
>>> from softlearn import RatSpn
>>> rng = np.random.default_rng(0)
>>> left = rng.random(500) < 0.5
>>> table = rng.normal(np.where(left[:, None], [-3, 1, 0], [3, 9, 5]))  # (500, 3)
>>> learnt = RatSpn(n_replicas=2, n_sums=3, n_inputs=3, random_state=0).fit(table)
>>> learnt.model_.probability({"1": (5, None)}, given={"0": (2, None)}) > 0.9
True
""",
)
