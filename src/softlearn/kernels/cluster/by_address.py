"""Clustering kernels, compiled once and called by address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from softlearn.arrays import Floats, Kinds, States
from softlearn.kernels.by_address import ByAddress
from softlearn.kernels.cluster.clustering import cluster
from softlearn.kernels.cluster.rows import ClusterOptions, RowData, RowsToCluster
from softlearn.kernels.compile import kernel

NO_ROWS = RowData(
    dense=np.zeros((0, 0), np.float32),
    start=np.zeros(1, np.int64),
    feature=np.zeros(0, np.int32),
    levels=np.zeros((0, 0), np.int32),
    numbers=np.zeros((0, 0), np.float32),
    weights=np.zeros(0),
    keys=np.zeros(0, np.uint64),
    groups=np.zeros(1, np.int64),
    single=np.zeros(0, np.bool_),
)
CLUSTERING = ByAddress(
    cluster,
    RowsToCluster(NO_ROWS, NO_ROWS),
    np.zeros(0, np.uint64),
    ClusterOptions(0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, soft=True),
    np.zeros(1, np.uint8),
    np.zeros((0, 0)),
)

_Call: TypeAlias = Callable[[int, RowsToCluster, States, ClusterOptions, Kinds, Floats], int]
run_clustering = cast("_Call", CLUSTERING.caller())


@kernel
def cluster_rows(
    address: int,
    rows: RowsToCluster,
    picks: States,
    options: ClusterOptions,
    stop: Kinds,
    membership: Floats,
) -> int:
    """Call the clustering by its address, from Python."""
    return run_clustering(address, rows, picks, options, stop, membership)
