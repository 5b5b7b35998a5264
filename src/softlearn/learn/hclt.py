"""HCLT: a hidden variable behind every column, joined by the columns' Chow–Liu tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from softlearn.arrays import Offsets
from softlearn.circuit import Circuit
from softlearn.circuit.draft import Draft, add_trees
from softlearn.learn.blocks import Block
from softlearn.learn.em_config import EmConfig, fitted, random_weights
from softlearn.learn.entry import Entry, Promises
from softlearn.learn.first_leaves import FirstLeaves
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import whole
from softlearn.learn.watch import Engine
from softlearn.stats.mutual_information import chow_liu_tree
from softlearn.stats.states import all_rows, states_of
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema

# How likely neighbours are in the same state before EM. On nltcs 0 is far behind 0.5 and 0.8; 0.8
# and 0.9 are alike there and on msnbc, and 0.9 is better on plants (one seed, two on nltcs).
_SAME_STATE: Final = 0.9


@dataclass(frozen=True, kw_only=True)
class HcltConfig(EmConfig):
    """The parameters of HCLT."""

    n_states: int = parameter(
        16,
        whole(1),
        "The number of states of each hidden variable.",
        grid=(8, 16, 32),
        wide=(8, 16, 32, 64),
    )


def hclt(
    blocks: Sequence[Block],
    schema: Schema,
    config: HcltConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Find the Chow–Liu tree of the columns, put hidden variables behind them, and run EM."""

    def first(leaves: FirstLeaves, rng: np.random.Generator) -> Circuit:
        return hidden_tree(leaves, tree_of(leaves, config), config.n_states, rng)

    return fitted(first, blocks, schema, config, seed=seed, engine=engine)


def tree_of(leaves: FirstLeaves, config: HcltConfig) -> Offsets:
    """Return the parent of each column, -1 for the first, which is the root of one tree."""
    table = training_table(*leaves.block, leaves.schema)
    parent = chow_liu_tree(states_of(table, all_rows(table)), config.smoothing)
    # Hidden variables may still find what columns of two trees have in common.
    parent[(parent < 0) & (np.arange(parent.size) > 0)] = 0
    return parent


def hidden_tree(
    leaves: FirstLeaves, parent: Offsets, n_states: int, rng: np.random.Generator
) -> Circuit:
    """Return the initial circuit: each state of a hidden variable has a leaf and the children.

    Parameters
    ----------
    leaves
        The factory of the leaves.
    parent
        (columns,) the tree; -1 for its root.
    n_states
        Of each hidden variable.
    rng
        Draws a row for each state, and weights.
    """
    draft = Draft(leaves.schema)
    rows = leaves.rows(n_states, rng)  # a state is about the same rows in all columns
    has_children = np.isin(np.arange(parent.size), parent)
    tables, nodes = [], []
    for column, above in enumerate(parent.tolist()):
        table = random_weights(1 if above < 0 else n_states, n_states, rng)
        if above >= 0:
            table = _SAME_STATE * np.eye(n_states) + (1.0 - _SAME_STATE) * table
        own = leaves.add(draft, column, rows)
        tables.append(table)
        nodes.append(own if has_children[column] else draft.add_sums(own, table))
    return draft.circuit(add_trees(draft, parent.tolist(), tables, nodes))


ENTRY: Final = Entry(
    estimator="HCLT",
    label="HCLT",
    summary="Learn a hidden Chow–Liu tree: a hidden variable behind each column, joined by a tree.",
    description="The tree joins the columns whose mutual information is largest. Each column "
    "depends on a hidden variable of its own, with a few states, and hidden variables depend on "
    "each other along the tree; weights and leaves are learnt by EM, with early stopping on "
    "held-out rows.",
    advice="Use it where columns depend on each other directly rather than through groups of rows, "
    "or as a member of a mixture. More states fit better and take longer: the time grows with "
    "their square.",
    reference="Liu and Van den Broeck, Tractable Regularization of Probabilistic Circuits, "
    "NeurIPS 2021.",
    function=hclt,
    config=HcltConfig,
    promises=Promises(structure="graph"),
    example="""
>>> import numpy as np
>>> from softlearn import HCLT
>>> rng = np.random.default_rng(0)
>>> steps = rng.random((500, 5)) < 0.1
>>> table = np.cumsum(steps, axis=1) % 2  # each column is like the one before
>>> learnt = HCLT(n_states=4, random_state=0).fit(table)
>>> learnt.model_.probability({"1": 1}, given={"0": 1}) > 0.8
True
""",
)
