"""Split slices over columns of any kind, one at a time."""

from __future__ import annotations

from threading import Lock

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.learn.bins import bin_table
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import LeafEstimator, LeafParams
from softlearn.learn.pieces import Piece, a_product, a_sum, leaves_alone
from softlearn.learn.seeds import child_seeds, uniforms
from softlearn.learn.slices import Slice
from softlearn.learn.splits import cluster_options, independent_parts
from softlearn.learn.training import Training
from softlearn.stats.clustering import memberships
from softlearn.stats.rows import WeightedRows


class MixedGrower:
    """Turns slices into pieces; knows the table and the choices, keeps nothing between slices."""

    def __init__(self, training: Training, config: GrowConfig) -> None:
        self.training, self.config = training, config
        self.bins = bin_table(training)
        self.leaves = LeafEstimator(training, config)
        self.options = cluster_options(config)
        self.has_gaps = bool(np.isnan(training.values).any())
        self._one_at_a_time = Lock()

    def split(self, task: Slice) -> tuple[Piece, list[Slice]]:
        """Return the node of a slice, and the slices of its children that remain to be done."""
        data = self.training.take(task.rows, task.weights, task.columns)
        if task.columns.size == 1 or self._is_full(task):
            return self._close(task, data)
        if not task.connected:
            parts = independent_parts(self.bins, self.config, task, data)
            if (parts != parts[0]).any():
                return self._product(task, data, parts)
        membership = memberships(data, uniforms(task.seed, self.config.n_clusters), self.options)
        if membership is None:
            return self._close(task, data)
        return self._sum(task, data, membership)

    def finish(self, task: Slice) -> tuple[Piece, list[Slice]]:
        """Return the whole sub-circuit of a slice, with nothing left to do.

        One thread at a time does such work: it is mostly Python between short kernels, and two
        threads that hand the interpreter to and fro are slower than one. Others take large slices.
        """
        with self._one_at_a_time:
            piece, open_slices = self.split(task)
            while open_slices:
                child = open_slices.pop()
                child.piece.grown[child.place], more = self.split(child)
                open_slices.extend(more)
        return piece, []

    def close(self, task: Slice) -> tuple[Piece, list[Slice]]:
        """Return the slice as leaves, when there is no time for more."""
        return self._close(task, self.training.take(task.rows, task.weights, task.columns))

    def _is_full(self, task: Slice) -> bool:
        deep = self.config.max_depth is not None and task.depth >= self.config.max_depth
        needed = 1 + self.config.n_clusters * (task.columns.size + 1)
        return deep or task.n_nodes < needed

    def _close(self, task: Slice, data: WeightedRows) -> tuple[Piece, list[Slice]]:
        return leaves_alone(self._leaves(task, data)), []

    def _leaves(self, task: Slice, data: WeightedRows) -> LeafParams:
        every = np.arange(task.columns.size)
        return self.leaves.estimate(data, task, every)

    def _product(
        self, task: Slice, data: WeightedRows, parts: AnyArray
    ) -> tuple[Piece, list[Slice]]:
        """Split the columns: those alone in their part become leaves at once."""
        size = np.bincount(parts)
        alone = np.flatnonzero(size[parts] == 1)
        groups = np.flatnonzero(size > 1)
        leaves = self.leaves.estimate(data, task, alone) if alone.size else None
        piece = a_product(leaves, groups.size)
        linked = task.columns.size - alone.size
        spare = task.n_nodes - 1 - alone.size - (linked + groups.size)
        open_slices = []
        seeds = child_seeds(task.seed, groups.size)
        for place, (part, seed) in enumerate(zip(groups, seeds, strict=True), 1 + alone.size):
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
                piece=piece,
                place=place,
            )
            open_slices.append(child)
        return piece, open_slices

    def _sum(
        self, task: Slice, data: WeightedRows, membership: Floats
    ) -> tuple[Piece, list[Slice]]:
        """Share the rows out; a cluster without weight is no cluster."""
        from softlearn.kernels.grow.slices import keep_heavy  # noqa: PLC0415 - loads Numba

        own, least = self.training.weights, self.config.min_weight
        shared = [keep_heavy(task.rows, task.weights, part, own, least) for part in membership]
        live = [cluster for cluster in shared if cluster[0].size]
        if len(live) < 2:
            return self._close(task, data)
        total = sum(mass for _, _, mass in live)
        spare = task.n_nodes - 1 - len(live) * (task.columns.size + 1)
        piece = a_sum(mass / total for _, _, mass in live)
        inherited = task.inherited
        if self.has_gaps:
            leaves = self._leaves(task, data)
            inherited = dict(zip(leaves.columns.tolist(), leaves.params, strict=True))
        open_slices = []
        seeds = child_seeds(task.seed, len(live))
        for place, ((rows, weights, mass), seed) in enumerate(zip(live, seeds, strict=True), 1):
            child = Slice(
                rows=rows,
                weights=weights,
                columns=task.columns,
                seed=seed,
                depth=task.depth + 1,
                connected=False,
                n_nodes=task.columns.size + 1 + spare * mass / total,
                inherited=inherited,
                piece=piece,
                place=place,
            )
            open_slices.append(child)
        return piece, open_slices
