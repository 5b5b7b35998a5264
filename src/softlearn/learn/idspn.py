"""IdSpn: direct interactions by trees of columns, indirect ones by clusters of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.learn.blocks import Block
from softlearn.learn.entry import Entry
from softlearn.learn.members import Members, TreeLeaves, learn_members, tree_builder
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import number, whole
from softlearn.learn.state_splits import independent_parts, naive_bayes_clusters
from softlearn.learn.trees import TreeBuilder, tree_score
from softlearn.learn.watch import Engine
from softlearn.stats.mutual_information import mutual_information, pair_sums
from softlearn.stats.states import SomeRows, States, all_rows, states_of
from softlearn.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class IdSpnConfig(Members, TreeLeaves):
    """The parameters of IdSpn."""

    significance: float = parameter(
        0.001,
        number("a number between 0 and 1, both excluded", lambda x: 0.0 < x < 1.0),
        "Columns depend on each other when a G-test rejects independence at this level.",
    )
    n_clusters: int = parameter(
        2, whole(1), "The maximum number of clusters per split.", grid=(2, 3, 5)
    )
    cluster_penalty: float = parameter(
        0.1,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "The penalty for each additional cluster, in nats per column.",
    )
    penalty: float = parameter(
        0.5,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "The penalty per parameter, in units of half the logarithm of the number of rows; 1 is "
        "BIC. Splits that do not pay for their parameters are undone.",
        grid=(0.25, 0.5, 1.0),
    )
    min_rows: int = parameter(50, whole(2), "Nodes with a smaller weight of rows are not split.")


@dataclass
class _Part:
    """Some rows over some columns, modelled by a tree unless splitting is better."""

    some: SomeRows
    connected: bool = False  # whether its columns are known not to fall into parts
    score: float = 0.0
    below: list[int] = field(default_factory=list)
    shares: Floats | None = None  # of a sum, none of a product


def id_spn(
    blocks: Sequence[Block],
    schema: Schema,
    config: IdSpnConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Split rows and columns where that has a better score than a tree."""
    trees = tree_builder(blocks, schema, config)
    price = config.penalty * math.log(max(trees.table.weights.sum(), 2.0)) / 2.0
    # Numbers are binned once, so that likelihoods of different slices can be compared.
    states = states_of(trees.table, all_rows(trees.table))

    def add_one(builder: TreeBuilder, weights: Floats, rng: np.random.Generator) -> int:
        parts = [_Part(all_rows(builder.table, weights))]
        for part in parts:  # which grow while they are walked
            more = _split(part, states.take(part.some), config, price, rng)
            part.below = list(range(len(parts), len(parts) + len(more)))
            parts.extend(more)
        _prune(parts, price)
        return _write(parts, builder)

    return learn_members(trees, config, seed, engine, add_one)


def _split(
    part: _Part, states: States, config: IdSpnConfig, price: float, rng: np.random.Generator
) -> list[_Part]:
    """Score the tree of a slice, and return the parts of its columns or rows."""
    rows, weights, columns = part.some
    pairs = pair_sums(states)
    part.score = tree_score(states, mutual_information(pairs), price)
    if columns.size < 2 or weights.sum() < config.min_rows:
        return []
    if not part.connected:
        labels = independent_parts(states, pairs, config.significance)
        names = np.unique(labels)
        if names.size > 1:
            own = [part.some._replace(columns=columns[labels == name]) for name in names]
            return [_Part(one, connected=True) for one in own]
    cost = config.cluster_penalty * columns.size
    clusters = naive_bayes_clusters(states, rng, config.smoothing, cost, config.n_clusters)
    found = np.unique(clusters)
    if found.size < 2:
        return []
    mass = np.bincount(clusters, weights, clusters.max() + 1)[found]
    part.shares = mass / mass.sum()
    return [
        _Part(SomeRows(rows[clusters == one], weights[clusters == one], columns)) for one in found
    ]


def _prune(parts: list[_Part], price: float) -> None:
    """Undo splits that do not pay for their parameters; children come after parents."""
    for part in reversed(parts):
        if not part.below:
            continue
        split = sum(parts[child].score for child in part.below)
        if part.shares is not None:
            mass = float(part.some.weights.sum())
            split += mass * float(np.sum(part.shares * np.log(part.shares)))
            split -= price * (part.shares.size - 1)
        if split > part.score:
            part.score = split
        else:
            part.below = []


def _write(parts: list[_Part], builder: TreeBuilder) -> int:
    """Add all parts that are left to the draft; return the id of the first."""
    kept = {0}
    for i, part in enumerate(parts):
        if i in kept:
            kept.update(part.below)
    ids: dict[int, int] = {}
    for i in sorted(kept, reverse=True):
        part = parts[i]
        below = [ids[child] for child in part.below]
        if not below:
            ids[i] = builder.add(part.some)
        elif part.shares is None:
            ids[i] = builder.draft.add_product(below)
        else:
            ids[i] = builder.draft.add_sum(below, part.shares)
    return ids[0]


ENTRY: Final = Entry(
    estimator="IdSpn",
    label="ID-SPN",
    summary="Learn direct interactions by trees of columns, and indirect ones by clusters of rows.",
    description="Every slice of the table is modelled by a Chow–Liu tree, the direct interactions, "
    "unless splitting its columns or clustering its rows, the indirect ones, pays for its "
    "parameters. ID-SPN as published has Markov networks, as arithmetic circuits, where this has "
    "trees.",
    advice="Use it where pairs of columns depend on each other and the rows also form groups.",
    reference="Rooshenas and Lowd, Learning Sum-Product Networks with Direct and Indirect Variable "
    "Interactions, ICML 2014.",
    function=id_spn,
    config=IdSpnConfig,
    example="""
>>> import numpy as np
>>> from softlearn import ChowLiuTree, IdSpn
>>> rng = np.random.default_rng(0)
>>> group = rng.random(1000) < 0.5
>>> table = rng.random((1000, 6)) < np.where(group[:, None], 0.9, 0.2)
>>> learnt = IdSpn(random_state=0).fit(table)
>>> learnt.score(table) > ChowLiuTree().fit(table).score(table)
True
""",
)
