"""Grow a circuit from a work list of slices: independent columns, similar rows, else leaves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import AnyArray, Floats, Ids
from softlearn.learn.bins import bin_table
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import LeafEstimator, LeafParams
from softlearn.learn.seeds import child_seeds, first_seed, uniforms
from softlearn.learn.splits import cluster_options, independent_parts
from softlearn.learn.training import Training
from softlearn.learn.watch import Engine, Progress
from softlearn.stats.clustering import memberships
from softlearn.stats.rows import WeightedRows

# A slice with fewer cells is finished in one go: handing its parts round would take longer.
_SMALL = 100_000


@dataclass(eq=False)
class Branch:
    """A node while the circuit grows; children take their places as they are done."""

    weights: tuple[float, ...] | None  # of a sum's children; None for a product
    children: list[Grown | None]


Grown: TypeAlias = Branch | LeafParams


@dataclass(frozen=True, eq=False, kw_only=True)
class Slice:
    """One piece of open work: some rows with their weights, over some columns.

    Attributes
    ----------
    seed
        Children's seeds are spawned from it, so the result does not depend on who works when.
    connected
        Whether it is known not to fall into independent parts.
    n_nodes
        How many nodes it may become.
    inherited
        The parent's leaves, for columns of which no row here has a value.
    parent, place
        Where the node belongs.
    """

    rows: Ids
    weights: Floats
    columns: Ids
    seed: int
    depth: int
    connected: bool
    n_nodes: float
    inherited: Mapping[int, Floats] = field(default_factory=dict)
    parent: Branch
    place: int

    @property
    def size(self) -> int:
        """Number of cells."""
        return int(self.rows.size * self.columns.size)


class Grower:
    """Turns slices into nodes; knows the table and the choices, keeps nothing between slices."""

    def __init__(self, training: Training, config: GrowConfig) -> None:
        self.training, self.config = training, config
        # Tables of two levels a column need no bins.
        self.bins = None if training.is_binary else bin_table(training)
        self.leaves = LeafEstimator(training, config)
        self.options = cluster_options(config)
        self.has_gaps = bool(np.isnan(training.values).any())
        self._one_at_a_time = Lock()

    def split(self, task: Slice) -> tuple[Grown, list[Slice]]:
        """Return the node of a slice, and the slices of its children that remain to be done."""
        data = self.training.take(task.rows, task.weights, task.columns)
        if task.columns.size == 1 or self._is_full(task):
            return self._leaves(task, data), []
        if not task.connected:
            parts = independent_parts(self.bins, self.config, task, data)
            if (parts != parts[0]).any():
                return self._product(task, data, parts)
        membership = memberships(data, uniforms(task.seed, self.config.n_clusters), self.options)
        if membership is None:
            return self._leaves(task, data), []
        return self._sum(task, data, membership)

    def finish(self, task: Slice) -> tuple[Grown, list[Slice]]:
        """Return the whole sub-circuit of a slice, with nothing left to do.

        One thread at a time does such work: it is mostly Python between short kernels, and two
        threads that hand the interpreter to and fro are slower than one. Others take large slices.
        """
        with self._one_at_a_time:
            node, open_slices = self.split(task)
            while open_slices:
                child = open_slices.pop()
                child.parent.children[child.place], more = self.split(child)
                open_slices.extend(more)
        return node, []

    def close(self, task: Slice) -> tuple[Grown, list[Slice]]:
        """Return the slice as leaves, when there is no time for more."""
        return self._leaves(task, self.training.take(task.rows, task.weights, task.columns)), []

    def _is_full(self, task: Slice) -> bool:
        deep = self.config.max_depth is not None and task.depth >= self.config.max_depth
        needed = 1 + self.config.n_clusters * (task.columns.size + 1)
        return deep or task.n_nodes < needed

    def _leaves(self, task: Slice, data: WeightedRows) -> LeafParams:
        every = np.arange(task.columns.size)
        return self.leaves.estimate(data, task, every)

    def _product(
        self, task: Slice, data: WeightedRows, parts: AnyArray
    ) -> tuple[Grown, list[Slice]]:
        """Split the columns: those alone in their part become leaves at once."""
        size = np.bincount(parts)
        alone = np.flatnonzero(size[parts] == 1)
        groups = np.flatnonzero(size > 1)
        branch = Branch(None, [])
        if alone.size:
            branch.children.append(self.leaves.estimate(data, task, alone))
        linked = task.columns.size - alone.size
        spare = task.n_nodes - 1 - alone.size - (linked + groups.size)
        open_slices = []
        for part, seed in zip(groups, child_seeds(task.seed, groups.size), strict=True):
            columns = task.columns[parts == part]
            child = Slice(
                rows=task.rows,
                weights=task.weights,
                columns=columns,
                seed=seed,
                depth=task.depth + 1,
                connected=True,
                n_nodes=columns.size + 1 + spare * columns.size / linked,
                inherited=task.inherited,
                parent=branch,
                place=len(branch.children),
            )
            branch.children.append(None)
            open_slices.append(child)
        return branch, open_slices

    def _sum(
        self, task: Slice, data: WeightedRows, membership: Floats
    ) -> tuple[Grown, list[Slice]]:
        """Share the rows out; a cluster without weight is no cluster."""
        from softlearn.kernels.slices import keep_heavy  # noqa: PLC0415 - loads Numba

        own, least = self.training.weights, self.config.min_weight
        shared = [keep_heavy(task.rows, task.weights, part, own, least) for part in membership]
        live = [cluster for cluster in shared if cluster[0].size]
        if len(live) < 2:
            return self._leaves(task, data), []
        total = sum(mass for _, _, mass in live)
        spare = task.n_nodes - 1 - len(live) * (task.columns.size + 1)
        branch = Branch(tuple(mass / total for _, _, mass in live), [None] * len(live))
        inherited = task.inherited
        if self.has_gaps:
            leaves = self._leaves(task, data)
            inherited = dict(zip(leaves.columns.tolist(), leaves.params, strict=True))
        open_slices = []
        seeds = child_seeds(task.seed, len(live))
        for place, ((rows, weights, mass), seed) in enumerate(zip(live, seeds, strict=True)):
            child = Slice(
                rows=rows,
                weights=weights,
                columns=task.columns,
                seed=seed,
                depth=task.depth + 1,
                connected=False,
                n_nodes=task.columns.size + 1 + spare * mass / total,
                inherited=inherited,
                parent=branch,
                place=place,
            )
            open_slices.append(child)
        return branch, open_slices


def whole_table(
    training: Training, config: GrowConfig, seed: np.random.SeedSequence, top: Branch
) -> Slice:
    """Return the slice that everything begins with."""
    return Slice(
        rows=np.arange(training.n_rows, dtype=np.int32),
        weights=training.weights,
        columns=np.arange(len(training.schema), dtype=np.int32),
        seed=first_seed(seed),
        depth=0,
        connected=False,
        n_nodes=np.inf if config.max_nodes is None else float(config.max_nodes),
        parent=top,
        place=0,
    )


def grow(
    training: Training, config: GrowConfig, seed: np.random.SeedSequence, engine: Engine
) -> Grown:
    """Return the grown tree; the number of jobs does not change it.

    The slice that was opened last is worked on first, which bounds how many are open. When the
    time is up, or the user interrupts and wants to keep what there is, open slices become leaves.
    """
    top = Branch(None, [None])
    first = whole_table(training, config, seed, top)
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(engine.n_jobs) as pool:
        _work_off(Grower(training, config), [first], pool, engine)
    root = top.children[0]
    assert root is not None
    return root


def _work_off(
    grower: Grower, open_slices: list[Slice], pool: ThreadPoolExecutor, engine: Engine
) -> None:
    """Split slices until none is open."""
    running: dict[Future[tuple[Grown, list[Slice]]], Slice] = {}
    budget = grower.config.time_budget
    ends = np.inf if budget is None else time.monotonic() + budget
    progress = Progress(float(grower.training.weights.sum()) * len(grower.training.schema))
    while open_slices or running:
        # An interrupt may come between any two lines. What it repeats is done twice and stored
        # once more in the same place; nothing is taken off a list before it stands elsewhere.
        try:
            while open_slices and len(running) < engine.n_jobs:
                task = open_slices[-1]
                work = grower.close
                if time.monotonic() < ends:
                    work = grower.finish if task.size < _SMALL else grower.split
                running[pool.submit(work, task)] = task
                open_slices.pop()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running[future]
                node, more = future.result()
                task.parent.children[task.place] = node
                open_slices.extend(more)
                del running[future]
                _note(progress, task, node, more)
            engine.watch(progress)
        except KeyboardInterrupt:
            if not engine.keep_partial:
                raise
            ends = 0.0


def _note(progress: Progress, task: Slice, node: Grown, more: list[Slice]) -> None:
    """Count the nodes that came with a slice, and the cells that need no more work."""
    n_nodes, stack = 0, [node]
    while stack:
        part = stack.pop()
        if isinstance(part, LeafParams):
            n_nodes += part.columns.size + (part.columns.size > 1)
        else:
            n_nodes += 1
            stack.extend(child for child in part.children if child is not None)
    unfinished = sum(float(child.weights.sum()) * child.columns.size for child in more)
    done = max(0.0, float(task.weights.sum()) * task.columns.size - unfinished)
    progress.note(n_nodes, done)
