"""RandomCircuits: rows are split by chance, and modelled by Chow–Liu trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.circuit import Circuit
from softlearn.learn.blocks import Block
from softlearn.learn.entry import Entry
from softlearn.learn.members import Members, TreeLeaves, learn_members, tree_builder
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import whole
from softlearn.learn.trees import TreeBuilder
from softlearn.learn.watch import Engine
from softlearn.stats.states import SomeRows, States, all_rows, states_of
from softlearn.table.schema import Schema

_TRIES = 5  # to find a split with enough rows on both sides


@dataclass(frozen=True, kw_only=True)
class RandomCircuitsConfig(Members, TreeLeaves):
    """The parameters of RandomCircuits."""

    n_members: int = parameter(
        10,
        whole(1),
        "The number of circuits, whose mean is the result; 40 give better results and take longer.",
        wide=(5,),
    )
    n_conditions: int = parameter(
        1,
        whole(1),
        "The maximum number of columns that a split depends on; their number and choice are "
        "random.",
        wide=(1, 3),
    )
    min_rows: int = parameter(
        100,
        whole(1),
        "The minimum weight of the rows in a part.",
        grid=(50, 100, 200),
        wide=(30, 100, 300),
    )


@dataclass
class _Part:
    """Some rows, and the two parts that they are split into."""

    some: SomeRows
    below: list[int] = field(default_factory=list)

    @property
    def mass(self) -> float:
        return float(self.some.weights.sum())


def random_circuits(
    blocks: Sequence[Block],
    schema: Schema,
    config: RandomCircuitsConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the mean of circuits whose rows were split by chance."""
    trees = tree_builder(blocks, schema, config)
    states = states_of(trees.table, all_rows(trees.table))

    def add_one(builder: TreeBuilder, weights: Floats, rng: np.random.Generator) -> int:
        parts = _split(_Part(all_rows(builder.table, weights)), states, config, rng)
        ids: dict[int, int] = {}
        for i in range(len(parts) - 1, -1, -1):
            below = parts[i].below
            if not below:
                ids[i] = builder.add(parts[i].some)
                continue
            shares = np.array([parts[child].mass for child in below])
            children = [ids[child] for child in below]
            ids[i] = builder.draft.add_sum(children, shares / shares.sum())
        return ids[0]

    return learn_members(trees, config, seed, engine, add_one, by_chance=True)


def _split(
    first: _Part, states: States, config: RandomCircuitsConfig, rng: np.random.Generator
) -> list[_Part]:
    """Return all parts, children after their parents."""
    parts = [first]
    for part in parts:  # which grow while they are walked
        inside = _matching(part, states, config, rng)
        if inside is None:
            continue
        rows, weights, columns = part.some
        part.below = [len(parts), len(parts) + 1]
        parts.extend(
            _Part(SomeRows(rows[which], weights[which], columns)) for which in (inside, ~inside)
        )
    return parts


def _matching(
    part: _Part, states: States, config: RandomCircuitsConfig, rng: np.random.Generator
) -> Bools | None:
    """Return the rows that match a random one of them in some columns, if that is a valid split."""
    mass = part.mass
    if mass < 2.0 * config.min_rows:
        return None
    rows, weights, _ = part.some
    codes = states.codes[:, rows]
    varied = np.flatnonzero(states.take(part.some).varies)
    for _ in range(_TRIES if varied.size else 0):
        n_columns = min(int(rng.integers(1, config.n_conditions + 1)), varied.size)
        columns = rng.choice(varied, n_columns, replace=False)
        like = int(rng.choice(rows.size, p=weights / mass))
        inside = np.asarray((codes[columns] == codes[columns, like][:, None]).all(axis=0))
        if config.min_rows <= weights[inside].sum() <= mass - config.min_rows:
            return inside
    return None


ENTRY: Final = Entry(
    estimator="RandomCircuits",
    label="Random circuits",
    summary="Average circuits that split rows at random, with Chow–Liu trees below.",
    description="Rows that are like a random one in a few random columns are separated from the "
    "others, and so on in both parts; the last parts are modelled by Chow–Liu trees. Splits are "
    "not searched for, so each circuit is learnt very fast; the accuracy comes from their mean.",
    advice="Use it, with many members, for an accurate model of a large table in seconds.",
    reference="Di Mauro et al., Random Probabilistic Circuits, UAI 2021.",
    function=random_circuits,
    config=RandomCircuitsConfig,
    example="""
>>> import numpy as np
>>> from softlearn import ChowLiuTree, RandomCircuits
>>> rng = np.random.default_rng(0)
>>> a, b = rng.random((2, 2000)) < 0.5
>>> table = np.stack([a, b, a ^ b], axis=1)
>>> learnt = RandomCircuits(random_state=0).fit(table)
>>> learnt.score(table) > ChowLiuTree().fit(table).score(table) + 0.3
True
""",
)
