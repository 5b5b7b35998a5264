"""LearnPSDD: a deterministic circuit that grows by splitting rows and cloning nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.circuit.draft import Draft
from softlearn.kernels.psdd.passed import Cells
from softlearn.learn.blocks import Block, joined
from softlearn.learn.entry import DISCRETE, Entry, Promises, Takes
from softlearn.learn.held_out import different_rows, hold_out
from softlearn.learn.members import resampled
from softlearn.learn.parameters import parameter
from softlearn.learn.psdd.column_tree import ColumnTree, paired
from softlearn.learn.psdd.growing import Growing
from softlearn.learn.psdd.mixture import fit_mixture
from softlearn.learn.psdd.rows import cells_of, first_shares
from softlearn.learn.psdd.search import Limits, Search
from softlearn.learn.psdd.writing import add_to
from softlearn.learn.rules import number, or_none, whole
from softlearn.learn.watch import Engine, Progress
from softlearn.numeric_policy import HELD_OUT_SHARE
from softlearn.stats.mutual_information import mutual_information, pair_sums
from softlearn.stats.states import all_rows, states_of
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema

_INFORMATION_SMOOTHING: Final = 1.0  # pseudo-rows of every pair of columns


@dataclass(frozen=True, kw_only=True)
class LearnPsddConfig:
    """The parameters of LearnPSDD."""

    smoothing: float = parameter(
        5.0,
        number("a number, 0 or more", lambda x: x >= 0.0),
        "Smoothing: pseudo-rows added to every node, distributed as in the node that it was copied "
        "from.",
        grid=(1.0, 5.0, 20.0),
    )
    min_gain: float = parameter(
        0.5,
        number("a number above 0", lambda x: x > 0.0),
        "The minimum gain per edge that a change adds, in nats summed over all rows. Smaller "
        "values give larger circuits.",
        grid=(0.25, 0.5, 1.0),
    )
    min_rows: int = parameter(
        10, whole(2), "Nodes with a smaller weight of rows are neither split nor cloned."
    )
    max_edges: int | None = parameter(
        None,
        or_none(whole(1)),
        "The approximate maximum number of edges; by default no limit but `min_gain`.",
    )
    held_out: float = parameter(
        HELD_OUT_SHARE,
        number("a number from 0 to below 1", lambda x: 0.0 <= x < 1.0),
        "The share of the rows that is held out; a change that makes them less likely is rejected. "
        "0 learns from all rows. The final parameters are estimated from all rows.",
    )
    n_members: int = parameter(
        1,
        whole(1),
        "The number of circuits in the mixture, each grown from rows drawn with replacement.",
    )
    max_iter: int = parameter(
        30, whole(0), "The maximum number of EM steps for the parameters of several circuits."
    )


def learn_psdd(
    blocks: Sequence[Block],
    schema: Schema,
    config: LearnPsddConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Pair the columns, grow one circuit or several, and convert them to a circuit of nodes."""
    to_hold, *to_draw = seed.spawn(1 + config.n_members)
    rows = different_rows(joined(blocks))
    block, valid = hold_out(rows, config.held_out, np.random.default_rng(to_hold))
    held = np.zeros(rows.weights.size) if valid is None else valid.weights
    start = _start(rows, block, schema)
    progress, members = Progress(float(config.n_members)), []
    for own in to_draw:
        weights = block.weights
        if config.n_members > 1:
            weights = resampled(weights, np.random.default_rng(own))
        grown = Growing(*start, np.stack([weights, held]), config.smoothing)
        Search(grown, _limits(config)).run(_Watched(progress, engine, config.min_gain))
        members.append(grown)
    shares = fit_mixture(members, np.stack([block.weights, held]), config.max_iter)
    draft = Draft(schema)
    roots = [add_to(draft, member) for member in members]
    progress.note(draft.n_nodes, progress.total - progress.done)
    engine.watch(progress)
    return draft.circuit(draft.add_sum(roots, shares))


def _start(rows: Block, block: Block, schema: Schema) -> tuple[ColumnTree, Cells, list[Floats]]:
    """Return the tree of the columns, the rows in its order, and how frequent levels are."""
    table = training_table(*block, schema)
    pairs = pair_sums(states_of(table, all_rows(table)))
    tree = paired(mutual_information(pairs, _INFORMATION_SMOOTHING))
    return tree, cells_of(rows, schema, tree), first_shares(block, schema, tree)


def _limits(config: LearnPsddConfig) -> Limits:
    max_edges = math.inf if config.max_edges is None else config.max_edges
    return Limits(price=config.min_gain, min_rows=config.min_rows, max_edges=max_edges)


class _Watched:
    """Estimates progress from the gain of each change, which falls towards the minimum."""

    def __init__(self, progress: Progress, engine: Engine, least: float) -> None:
        self.progress, self.engine, self.least = progress, engine, least
        self.begun, self.largest = progress.done, 0.0

    def __call__(self, gain: float) -> None:
        self.largest = max(self.largest, gain)
        far = math.log(self.largest / self.least)
        share = math.log(self.largest / gain) / far if far > 0.0 else 1.0
        more = self.begun + min(share, 1.0) - self.progress.done
        if more > 0.0:
            self.progress.note(0, more)
            self.engine.watch(self.progress)


ENTRY: Final = Entry(
    estimator="LearnPSDD",
    label="LearnPSDD",
    summary="Learn a deterministic circuit whose products all follow one tree of the columns.",
    description="Columns are paired by mutual information, then pairs are paired, and so on, into "
    "a tree (a vtree) that determines how every product divides its columns. Starting from "
    "independent columns, rows are split by a level of a column, and shared nodes are cloned for "
    "one of their parents, as long as the likelihood gains enough for each added edge. Parameters "
    "are shares of rows, in closed form. A mixture of several is fitted by EM.",
    advice="Use it if most probable completions should be exact, or if other programs for PSDDs "
    "are to read the circuit, which is text when saved as `*.psdd`. A mixture fits better, but is "
    "not deterministic.",
    reference="Liang, Bekker and Van den Broeck, Learning the Structure of Probabilistic "
    "Sentential Decision Diagrams, UAI 2017. Nodes are copied where it pays instead of down to a "
    "fixed depth, and columns may have more than two levels.",
    function=learn_psdd,
    config=LearnPsddConfig,
    takes=Takes(kinds=DISCRETE, missing=False),
    promises=Promises(deterministic=True),
    example="""
>>> import numpy as np
>>> from softlearn import LearnPSDD
>>> rng = np.random.default_rng(0)
>>> a, b = rng.random((2, 1000)) < 0.5
>>> learnt = LearnPSDD(random_state=0).fit(np.stack([a, b, a & b], axis=1))
>>> learnt.model_.describe().deterministic
True
>>> round(learnt.model_.probability({"2": True}, given={"0": True, "1": True}), 1)
1.0
""",
)
