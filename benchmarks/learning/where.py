"""Where the time of a fit goes, and how far its inner loop is from the machine's limit."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import States
from softlearn.circuit import SUM
from softlearn.datasets import load_debd
from softlearn.kernels.cluster.by_address import CLUSTERING, cluster_rows
from softlearn.kernels.cluster.rows import ClusterOptions, RowData, RowsToCluster
from softlearn.kernels.grow.by_address import BY_TABLES
from softlearn.kernels.grow.growth import grow_slices
from softlearn.kernels.seeds import own_seeds
from softlearn.learn.config import GrowConfig
from softlearn.learn.grow import Grower
from softlearn.learn.options import cluster_options, growth_options
from softlearn.learn.pieces import one_open
from softlearn.learn.slices import Slice, as_piece, as_stack, open_slices, whole_table
from softlearn.stats.table import TrainingTable, training_table
from softlearn.table import encode, infer_schema

SETS = ("plants", "baudio", "c20ng")
_PASSES = 40


def shares(dataset: str) -> dict[str, float]:
    """Return the share of the kernel's time in a fit, by kind of work.

    The kernel splits one slice at a time here. Nothing can look into it, so the slices are cut out
    and clustered once more by themselves; what is left are the tests and the leaves.
    """
    train = load_debd(dataset).train
    schema = infer_schema(
        train, overrides=dict.fromkeys(map(str, range(train.shape[1])), "boolean")
    )
    table = training_table(encode(train, schema), np.ones(len(train)), schema)
    with threadpool_limits(1, user_api="blas"):
        _seconds(table)
        whole, cutting, clustering = _seconds(table)
    rest = whole - cutting - clustering
    return {
        "clustering": clustering / whole,
        "cutting slices": cutting / whole,
        "independence tests and leaves": rest / whole,
    }


def _seconds(table: TrainingTable) -> tuple[float, float, float]:
    """Return the time of all splits, and of it that of cutting slices and of clustering."""
    config = GrowConfig()
    grower, address = Grower(table.arrays, growth_options(config, table)), CLUSTERING.address
    options = grower.options
    whole, cutting, clustering = 0.0, 0.0, 0.0
    tasks = [whole_table(table, config, np.random.SeedSequence(0), one_open())]
    while tasks:
        task = tasks.pop()
        nodes, work = as_stack(task)
        begin = time.perf_counter()
        nodes, work = grow_slices(address, BY_TABLES.address, grower.table, options, work, nodes, 1)
        whole += time.perf_counter() - begin
        piece = as_piece(nodes, work)
        tasks += open_slices(work, piece, grower.table.n_statistics)
        begin = time.perf_counter()
        data = table.take(task.rows, task.weights, task.columns)
        cutting += time.perf_counter() - begin
        if piece.kind[0] == SUM:
            clustering += _seconds_of_clustering(data, task, options.n_clusters, options.cluster)
    return whole, cutting, clustering


def _seconds_of_clustering(
    data: RowData, task: Slice, n_clusters: int, options: ClusterOptions
) -> float:
    picks = own_seeds(np.uint64(task.seed), n_clusters)
    return _seconds_of(_clustering_of(data, picks, options))


def _clustering_of(data: RowData, picks: States, options: ClusterOptions) -> Callable[[], int]:
    """Return the clustering of some rows, ready to be run."""
    room, stop = np.empty((picks.size, data.weights.size)), np.zeros(1, np.uint8)
    address = CLUSTERING.address
    return lambda: cluster_rows(address, RowsToCluster(data, data), picks, options, stop, room)


def of_limit(dataset: str) -> float:
    """Return the speed of a pass of EM over the table, as a share of the machine's.

    The limit is BLAS: one product of the same matrix with a vector for the scores, and one for
    the sums. A pass has the exponentials and logarithms on top.
    """
    dense = np.ascontiguousarray(load_debd(dataset).train.T, dtype=np.float32)
    n_features, n_rows = dense.shape
    rows = RowData(
        dense=dense,
        start=np.zeros(1, np.int64),
        feature=np.zeros(0, np.int32),
        levels=np.zeros((0, n_rows), np.int32),
        numbers=np.zeros((0, n_rows), np.float32),
        weights=np.ones(n_rows),
        keys=np.arange(n_rows, dtype=np.uint64),
        groups=np.arange(n_features + 1),
        single=np.ones(n_features, bool),
    )
    slopes, weights = np.ones(n_features, np.float32), np.ones(n_rows, np.float32)

    def products() -> None:
        slopes @ dense
        dense @ weights

    limit = _median_seconds(products)
    few, many = (_seconds_of_em(rows, n) for n in (1, 1 + _PASSES))
    return limit / ((many - few) / _PASSES)


def _seconds_of_em(rows: RowData, n_passes: int) -> float:
    options = cluster_options(GrowConfig())._replace(
        kmeans_iterations=1, em_iterations=n_passes, em_tolerance=-np.inf
    )
    return _median_seconds(_clustering_of(rows, np.arange(2, dtype=np.uint64), options))


def _median_seconds(run: Callable[[], object]) -> float:
    with threadpool_limits(1, user_api="blas"):
        run()
        return float(np.median([_seconds_of(run) for _ in range(7)]))


def _seconds_of(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin
