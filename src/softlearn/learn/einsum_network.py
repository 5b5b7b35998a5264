"""EinsumNetwork: equally many nodes in all regions, and separate sums for each partition."""

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
from softlearn.learn.region_graph import poon_domingos, random_trees
from softlearn.learn.rules import one_of, whole
from softlearn.learn.watch import Engine
from softlearn.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class EinsumConfig(EmConfig):
    """The parameters of EinsumNetwork."""

    structure: str = parameter(
        "random",
        one_of("random", "poon-domingos"),
        "How regions are chosen: by random trees as in RatSpn, or as all intervals of neighbouring "
        "columns, each split at every position, which suits ordered columns such as time series.",
    )
    n_replicas: int = parameter(
        8,
        whole(1),
        "The number of random trees of regions.",
        grid=(4, 8, 16),
        only_if=("structure", "random"),
    )
    depth: int = parameter(
        3,
        whole(0),
        "How many times regions are halved.",
        only_if=("structure", "random"),
    )
    n_pieces: int = parameter(
        8,
        whole(1),
        "The approximate number of pieces that the columns are cut into.",
        only_if=("structure", "poon-domingos"),
    )
    n_nodes: int = parameter(
        8, whole(1), "The number of sums, or of products of leaves, per region."
    )
    # The grid that the columns are in, such as that of an image; by default they are in a row.
    shape: tuple[int, ...] | None = None


def einsum_network(
    blocks: Sequence[Block],
    schema: Schema,
    config: EinsumConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Find the regions, build sums and products over them, and run EM."""

    def first(leaves: FirstLeaves, rng: np.random.Generator) -> Circuit:
        if config.structure == "random":
            graph = random_trees(len(schema), config.depth, config.n_replicas, rng)
        else:
            graph = poon_domingos(config.shape or (len(schema),), config.n_pieces)
        widths = Widths(config.n_nodes, config.n_nodes, mixes=True)
        return first_circuit(leaves, graph, widths, rng)

    return fitted(first, blocks, schema, config, seed=seed, engine=engine)


ENTRY: Final = Entry(
    estimator="EinsumNetwork",
    label="EiNet",
    summary="Learn the parameters of a regular network by EM, over random or neighbouring regions.",
    description="Each region of columns has the same number of nodes. A split of a region into two "
    "gives sums over the products of all pairs of nodes; where a region is split in several ways, "
    "further sums mix them. Weights and leaves are learnt by EM, with early stopping on held-out "
    "rows.",
    advice="Use `poon-domingos` where the order of the columns has a meaning, such as time or "
    "place; otherwise it is similar to RatSpn. The time grows with the third power of the number "
    "of nodes.",
    reference="Peharz et al., Einsum Networks: Fast and Scalable Learning of Tractable "
    "Probabilistic Circuits, ICML 2020; Poon and Domingos, Sum-Product Networks: A New Deep "
    "Architecture, UAI 2011.",
    function=einsum_network,
    config=EinsumConfig,
    promises=Promises(structure="graph"),
    example="""
>>> import numpy as np
>>> from softlearn import EinsumNetwork
>>> rng = np.random.default_rng(0)
>>> table = np.cumsum(rng.normal(size=(500, 6)), axis=1)  # a walk of six steps
>>> learnt = EinsumNetwork(structure="poon-domingos", n_nodes=3, random_state=0).fit(table)
>>> up, down = (learnt.expectation("5", given={"4": x}) for x in (2.0, -2.0))
>>> up > down + 1
True
""",
)
