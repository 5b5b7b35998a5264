"""The tests of independence, compiled when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from softlearn.arrays import Offsets
from softlearn.kernels.by_address import ByAddress
from softlearn.kernels.cluster.by_address import NO_ROWS
from softlearn.kernels.cluster.rows import ClusterOptions, RowData
from softlearn.kernels.grow.dependence import label_by_ranks, label_by_tables
from softlearn.kernels.grow.work import GrowTable, GrowthOptions, OpenSlice

_BYTES, _WHOLE, _REAL = np.zeros((0, 0), np.uint8), np.zeros(0, np.int64), np.zeros(0)
_FLAGS, _IDS = np.zeros(0, np.bool_), np.zeros(0, np.int32)
_EXAMPLES = (
    GrowTable(
        dense=_BYTES,
        start=_WHOLE,
        feature=_IDS,
        single_of=_WHOLE,
        levels=np.zeros((0, 0), np.int32),
        levels_of=_WHOLE,
        n_levels=_WHOLE,
        number_of=_WHOLE,
        numbers=np.zeros((0, 0)),
        codes=_BYTES,
        n_codes=_WHOLE,
        numeric=_FLAGS,
        has_gaps=_FLAGS,
        bins=_BYTES,
        bins_of=_WHOLE,
        n_bins=_WHOLE,
        n_statistics=_WHOLE,
        weights=_REAL,
        keys=np.zeros(0, np.uint64),
    ),
    NO_ROWS,
    OpenSlice(_IDS, _REAL, _IDS, _WHOLE, 0, 0.0, np.uint64(0), 0, connected=True, n_nodes=0.0),
    GrowthOptions(
        n_clusters=0,
        cluster=ClusterOptions(0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, soft=True),
        ranks=True,
        critical=np.zeros((0, 0, 0)),
        far=_REAL,
        level_by_columns=_WHOLE,
        level_by_mass=_WHOLE,
        least_mass=0.0,
        g_test=True,
        min_weight=0.0,
        core_weight=0.0,
        max_depth=0,
        min_rows=0.0,
        keep_rows=True,
        stop=np.zeros(1, np.uint8),
    ),
    _WHOLE,
)
BY_TABLES = ByAddress(label_by_tables, *_EXAMPLES)
BY_RANKS = ByAddress(label_by_ranks, *_EXAMPLES)

_Call: TypeAlias = Callable[[int, GrowTable, RowData, OpenSlice, GrowthOptions, Offsets], int]
run_labelling = cast("_Call", BY_TABLES.caller())
