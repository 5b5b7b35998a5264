"""Split slices over columns of two levels without missing cells: all inside one kernel."""

from __future__ import annotations

import numpy as np

from softlearn.kernels.grow.work import LEAF, BinaryTable, GrowthOptions, Nodes, OpenSlices
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import CATEGORICAL_FAMILY, pseudo_counts
from softlearn.learn.pieces import OPEN, Piece
from softlearn.learn.slices import Slice
from softlearn.learn.splits import cluster_options
from softlearn.learn.training import Training
from softlearn.stats.independence import WEIGHT_PER_CELL, critical_value
from softlearn.stats.rows import Listing

_ALL = np.iinfo(np.int64).max


class BinaryGrower:
    """Turns slices into pieces; knows the table and the choices, keeps nothing between slices."""

    def __init__(self, training: Training, config: GrowConfig) -> None:
        self.table = _table(training, config)
        self.options = _options(config, len(training.schema))

    def split(self, task: Slice) -> tuple[Piece, list[Slice]]:
        """Return the node of a slice, and the slices of its children that remain to be done."""
        return _grow(self.table, self.options, task, 1)

    def finish(self, task: Slice) -> tuple[Piece, list[Slice]]:
        """Return the whole sub-circuit of a slice, with nothing left to do."""
        return _grow(self.table, self.options, task, _ALL)

    def close(self, task: Slice) -> tuple[Piece, list[Slice]]:
        """Return the slice as leaves, when there is no time for more."""
        return _grow(self.table, self.options._replace(max_depth=0), task, 1)


def _grow(
    table: BinaryTable, options: GrowthOptions, task: Slice, most: int
) -> tuple[Piece, list[Slice]]:
    from softlearn.kernels.cluster.by_address import clustering_address  # noqa: PLC0415 - loads Numba
    from softlearn.kernels.grow.growth import grow_binary  # noqa: PLC0415 - loads Numba

    nodes, work = grow_binary(clustering_address(), table, options, _alone(task), _no_nodes(), most)
    piece = _piece(nodes, work)
    return piece, _open_slices(work, piece)


def _table(training: Training, config: GrowConfig) -> BinaryTable:
    start, feature = np.zeros(1, np.int64), np.zeros(0, np.int32)
    dense = np.zeros((0, 0), np.uint8)
    if isinstance(training.indicators, Listing):
        start, feature = training.indicators.start, training.indicators.feature
    else:
        dense = training.indicators
    prior = np.array(pseudo_counts(training, config))
    return BinaryTable(dense, start, feature, training.weights, prior)


def _options(config: GrowConfig, n_columns: int) -> GrowthOptions:
    return GrowthOptions(
        n_clusters=config.n_clusters,
        cluster=cluster_options(config),
        critical=critical_value(config.level(n_columns)),
        least_mass=WEIGHT_PER_CELL,
        g_test=config.test == "g",
        min_weight=float(config.min_weight),
        max_depth=_ALL if config.max_depth is None else config.max_depth,
    )


def _alone(task: Slice) -> OpenSlices:
    """Return a stack with one slice; the kernel will write over the copies."""
    return OpenSlices(
        size=np.array([1, task.rows.size, task.columns.size]),
        rows=task.rows.copy(),
        weights=task.weights.copy(),
        columns=task.columns.copy(),
        row_end=np.array([task.rows.size]),
        column_end=np.array([task.columns.size]),
        parent=np.array([-1]),
        edge=np.ones(1),
        seed=np.array([task.seed], np.uint64),
        depth=np.array([task.depth]),
        connected=np.array([task.connected]),
        n_nodes=np.array([task.n_nodes]),
    )


def _no_nodes() -> Nodes:
    return Nodes(
        size=np.zeros(1, np.int64),
        kind=np.zeros(0, np.uint8),
        parent=np.zeros(0, np.int64),
        weight=np.zeros(0),
        column=np.zeros(0, np.int32),
        levels=np.zeros((0, 2)),
    )


def _piece(nodes: Nodes, work: OpenSlices) -> Piece:
    """Return the nodes, and an open one for each open slice; the last slice comes first."""
    n, n_open = int(nodes.size[0]), int(work.size[0])
    of_open = slice(n_open - 1, None, -1) if n_open else slice(0)
    is_leaf = nodes.kind[:n] == LEAF
    return Piece(
        kind=np.concatenate([nodes.kind[:n], np.full(n_open, OPEN, np.uint8)]),
        parent=np.concatenate([nodes.parent[:n], work.parent[of_open]]),
        weight=np.concatenate([nodes.weight[:n], work.edge[of_open]]),
        column=np.concatenate([nodes.column[:n], np.full(n_open, -1, np.int32)]),
        family=np.full(n + n_open, CATEGORICAL_FAMILY),
        n_params=np.concatenate([np.where(is_leaf, 2, 0), np.zeros(n_open, np.int64)]),
        params=nodes.levels[:n][is_leaf].ravel(),
    )


def _open_slices(work: OpenSlices, piece: Piece) -> list[Slice]:
    """Return what is still open."""
    row = column = 0
    slices = []
    for i in range(work.size[0]):
        row_end, column_end = work.row_end[i], work.column_end[i]
        child = Slice(
            rows=work.rows[row:row_end].copy(),  # a view would keep the whole stack alive
            weights=work.weights[row:row_end].copy(),
            columns=work.columns[column:column_end].copy(),
            seed=int(work.seed[i]),
            depth=int(work.depth[i]),
            connected=bool(work.connected[i]),
            n_nodes=float(work.n_nodes[i]),
            piece=piece,
            place=piece.kind.size - 1 - i,
        )
        slices.append(child)
        row, column = row_end, column_end
    return slices
