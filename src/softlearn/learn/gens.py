"""LearnSPN as first published: G-tests, and hard incremental EM with a cluster penalty."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import Bools, Floats
from softlearn.circuit import Circuit
from softlearn.circuit.draft import Draft
from softlearn.learn.config import GrowConfig
from softlearn.learn.state_splits import independent_parts, naive_bayes_clusters
from softlearn.learn.trees import Measured, TreeBuilder
from softlearn.learn.watch import Engine, Progress
from softlearn.stats.mutual_information import PairSums, pair_sums
from softlearn.stats.states import SomeRows, States, all_rows, states_of
from softlearn.stats.table import TrainingTable

_MOST_CLUSTERS = 50


@dataclass
class _Part:
    """A slice of the table, and the node that it became."""

    some: SomeRows
    rng: np.random.Generator
    connected: bool = False  # whether its columns are known not to fall into parts
    depth: int = 0
    leaves: int | None = None  # the node of its columns that are independent of all others
    below: list[int] = field(default_factory=list)
    shares: Floats | None = None  # of a sum

    @property
    def mass(self) -> float:
        return float(self.some.weights.sum()) * self.some.columns.size


def grown_by_gens(
    table: TrainingTable,
    config: GrowConfig,
    penalty: float,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the circuit that the table grows into; a cluster costs ``penalty`` nats per column."""
    config = config.for_rows(float(table.weights.sum()))
    builder = TreeBuilder(Draft(table.schema), table, config)
    splitter = _Splitter(builder, penalty)
    parts = [_Part(all_rows(table), np.random.default_rng(seed))]
    progress = Progress(parts[0].mass)
    with threadpool_limits(1, user_api="blas"):  # the matrices are small
        for part in parts:  # which grow while they are walked
            more = list(splitter.split(part))
            part.below = list(range(len(parts), len(parts) + len(more)))
            parts.extend(more)
            progress.note(1, max(part.mass - sum(one.mass for one in more), 0.0))
            engine.watch(progress)
    ids: dict[int, int] = {}
    for i in range(len(parts) - 1, -1, -1):
        part = parts[i]
        below = [ids[child] for child in part.below]
        if part.shares is not None:
            ids[i] = builder.draft.add_sum(below, part.shares)
        else:
            alone = [] if part.leaves is None else [part.leaves]
            ids[i] = builder.draft.add_product([*alone, *below])
    return builder.draft.circuit(ids[0])


class _Splitter:
    """Splits slices within the limits of time and nodes."""

    def __init__(self, builder: TreeBuilder, penalty: float) -> None:
        self.builder = builder
        self.penalty = penalty
        config, n_columns = builder.config, len(builder.table.schema)
        self._ends = np.inf
        if config.time_budget is not None:
            self._ends = time.monotonic() + config.time_budget
        self._room = np.inf  # for nodes beyond a leaf for each column of each open slice
        if config.max_nodes is not None:
            self._room = float(config.max_nodes - n_columns - 1)

    def split(self, part: _Part) -> Iterator[_Part]:
        """Yield the parts of a slice, by columns or by rows; none if it is not split."""
        columns, states = part.some.columns, states_of(self.builder.table, part.some)
        pairs = pair_sums(states)
        level = self.builder.config.level(columns.size, float(part.some.weights.sum()))
        labels = independent_parts(states, pairs, level)
        sizes = np.bincount(labels, minlength=labels.size)
        alone = sizes[labels] == 1
        ended = columns.size > 1 and self._is_last(part)
        if not ended and not part.connected and (columns.size == 1 or sizes.max() < columns.size):
            for label in np.flatnonzero(sizes > 1):
                own = part.some._replace(columns=columns[labels == label])
                yield _Part(own, part.rng, connected=True, depth=part.depth + 1)
        elif not ended:
            yield from self._cluster(part, states)
            ended = part.shares is None
            alone[:] = False
        if ended and self.builder.config.trees:
            part.leaves = self.builder.add(part.some)
        elif ended or alone.any():
            chosen = alone | ended
            part.leaves = _independent_leaves(part.some, states, pairs, chosen, self.builder)

    def _is_last(self, part: _Part) -> bool:
        """Return whether a slice is too small, or limits forbid, to split it."""
        config = self.builder.config
        is_deep = config.max_depth is not None and part.depth >= config.max_depth
        is_light = float(part.some.weights.sum()) < config.min_rows
        is_full = self._room < part.some.columns.size + 2
        return is_deep or is_light or is_full or time.monotonic() > self._ends

    def _cluster(self, part: _Part, states: States) -> Iterator[_Part]:
        """Yield the clusters of a slice, if it has several."""
        rows, weights, columns = part.some
        price = self.penalty * columns.size
        most = int(min(_MOST_CLUSTERS, 1 + self._room // (columns.size + 1)))
        clusters = naive_bayes_clusters(
            states, part.rng, self.builder.config.smoothing, price, most
        )
        found = np.unique(clusters)
        if found.size < 2:
            return
        self._room -= (found.size - 1) * (columns.size + 1) + 1
        mass = np.bincount(clusters, weights, clusters.max() + 1)[found]
        part.shares = mass / mass.sum()
        for one in found:
            mine = clusters == one
            own = SomeRows(rows[mine], weights[mine], columns)
            yield _Part(own, part.rng, depth=part.depth + 1)


def _independent_leaves(
    some: SomeRows, states: States, pairs: PairSums, alone: Bools, builder: TreeBuilder
) -> int:
    """Add a leaf for each independent column; return the id of the leaf, or of their product."""
    chosen = np.flatnonzero(alone)
    own = States(states.codes[chosen], states.n_states[chosen], states.weights)
    kept = np.repeat(alone, states.n_states)
    few = PairSums(pairs.sums[np.ix_(kept, kept)], own.start)
    none = np.full(chosen.size, -1)
    slice_ = SomeRows(some.rows, some.weights, some.columns[chosen])
    return builder.add_tree(slice_, Measured(own, few, none))
