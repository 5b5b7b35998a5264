"""Grow a circuit from a work list of slices: independent columns, similar rows, else leaves."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import Floats, Ids
from softlearn.learn.bins import bin_table
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import LeafEstimator, LeafParams
from softlearn.learn.splits import clusters, independent_parts
from softlearn.learn.training import Training
from softlearn.stats.rows import WeightedRows


@dataclass(eq=False)
class Branch:
    """A node while the circuit grows; children take their places as they are done."""

    weights: tuple[float, ...] | None  # of a sum's children; None for a product
    children: list[Branch | LeafParams | None]


@dataclass(frozen=True, eq=False)
class Slice:
    """One piece of open work: some rows with their weights, over some columns."""

    rows: Ids
    weights: Floats
    columns: Ids
    seed: np.random.SeedSequence
    depth: int
    connected: bool  # known not to fall into independent parts
    n_nodes: float  # how many nodes it may become
    inherited: Mapping[int, Floats] = field(default_factory=dict)
    parent: Branch | None = None
    place: int = 0


class Grower:
    """Turns slices into nodes; the result does not depend on who works on what when."""

    def __init__(self, training: Training, config: GrowConfig) -> None:
        self.training, self.config = training, config
        self.bins = bin_table(training)
        self.leaves = LeafEstimator(training, config)
        self.has_gaps = bool(np.isnan(training.values).any())

    def split(self, task: Slice) -> tuple[Branch | LeafParams, list[Slice]]:
        """Return the node of a slice and the slices of its children that remain to be done."""
        data = self.training.take(task.rows, task.weights, task.columns)
        if task.columns.size == 1 or self._is_full(task):
            return self._leaves(task, data), []
        if not task.connected:
            parts = independent_parts(
                self.training, self.bins, self.config, task.rows, task.columns, data
            )
            if parts.max() > 0:
                return self._product(task, data, parts)
        rng = np.random.default_rng(task.seed)
        membership = clusters(data, self.config, rng)
        if membership is None:
            return self._leaves(task, data), []
        return self._sum(task, data, membership)

    def close(self, task: Slice) -> LeafParams:
        """Return the slice as leaves, when there is no time for more."""
        data = self.training.take(task.rows, task.weights, task.columns)
        return self._leaves(task, data)

    def _is_full(self, task: Slice) -> bool:
        deep = self.config.max_depth is not None and task.depth >= self.config.max_depth
        needed = 1 + self.config.n_clusters * (task.columns.size + 1)
        return deep or task.n_nodes < needed

    def _leaves(self, task: Slice, data: WeightedRows) -> LeafParams:
        return self.leaves.estimate(data, task.rows, task.columns, task.inherited)

    def _product(
        self, task: Slice, data: WeightedRows, parts: Ids
    ) -> tuple[Branch, list[Slice]]:
        """Split the columns: those alone in their part become leaves at once."""
        size = np.bincount(parts)
        alone = np.flatnonzero(size[parts] == 1)
        branch = Branch(None, [])
        open_slices = []
        if alone.size:
            columns = task.columns[alone]
            own = self.training.take(task.rows, task.weights, columns)
            branch.children.append(self.leaves.estimate(own, task.rows, columns, task.inherited))
        groups = np.flatnonzero(size > 1)
        seeds = task.seed.spawn(groups.size)
        left = task.n_nodes - 1 - alone.size
        for seed, part in zip(seeds, groups, strict=True):
            columns = task.columns[parts == part]
            share = left * columns.size / max(1, task.columns.size - alone.size)
            branch.children.append(None)
            open_slices.append(
                Slice(
                    task.rows,
                    task.weights,
                    columns,
                    seed,
                    task.depth + 1,
                    True,
                    share,
                    task.inherited,
                    branch,
                    len(branch.children) - 1,
                )
            )
        return branch, open_slices

    def _sum(
        self, task: Slice, data: WeightedRows, membership: Floats
    ) -> tuple[Branch | LeafParams, list[Slice]]:
        """Share the rows out; a cluster without weight is no cluster."""
        weights = membership * task.weights[:, None]
        mass = weights.sum(axis=0)
        live = np.flatnonzero(mass > self.config.min_weight)
        if live.size < 2:
            return self._leaves(task, data), []
        share = mass[live] / mass[live].sum()
        branch = Branch(tuple(share.tolist()), [None] * live.size)
        inherited = self._inherited(task, data) if self.has_gaps else task.inherited
        open_slices = []
        for place, (cluster, seed) in enumerate(zip(live, task.seed.spawn(live.size), strict=True)):
            keep = np.flatnonzero(weights[:, cluster] > self.config.min_weight)
            open_slices.append(
                Slice(
                    task.rows[keep],
                    weights[keep, cluster],
                    task.columns,
                    seed,
                    task.depth + 1,
                    False,
                    (task.n_nodes - 1) * share[place],
                    inherited,
                    branch,
                    place,
                )
            )
        return branch, open_slices

    def _inherited(self, task: Slice, data: WeightedRows) -> dict[int, Floats]:
        """Return this node's leaves, for columns that a child has no observed cell of."""
        own = self._leaves(task, data)
        return dict(zip(own.columns.tolist(), own.params, strict=True))


def grow(
    training: Training,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    *,
    n_jobs: int = 1,
) -> Branch | LeafParams:
    """Return the grown tree."""
    grower = Grower(training, config)
    columns = np.arange(len(training.schema), dtype=np.int32)
    every = np.arange(training.n_rows, dtype=np.int32)
    nodes = np.inf if config.max_nodes is None else float(config.max_nodes)
    first = Slice(every, training.weights, columns, seed, 0, False, nodes)
    top = Branch(None, [None])
    open_slices = [
        Slice(every, training.weights, columns, seed, 0, False, nodes, {}, top, 0),
    ]
    ends = None if config.time_budget is None else time.monotonic() + config.time_budget
    del first

    def done(task: Slice, node: Branch | LeafParams) -> None:
        assert task.parent is not None
        task.parent.children[task.place] = node

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(n_jobs) as pool:
        running: dict[Future[tuple[Branch | LeafParams, list[Slice]]], Slice] = {}
        while open_slices or running:
            late = ends is not None and time.monotonic() > ends
            while open_slices and len(running) < n_jobs:
                task = open_slices.pop()
                if late:
                    done(task, grower.close(task))
                else:
                    running[pool.submit(grower.split, task)] = task
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                task = running.pop(future)
                node, more = future.result()
                done(task, node)
                open_slices.extend(more)
    root = top.children[0]
    assert root is not None
    return root
