"""Clustering, compiled once by itself and called by its address.

A function that a kernel calls by name is compiled into the kernel once more. Clustering is by far
the longest, and more than one kernel needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
from llvmlite import ir
from numba import config, int64, typeof
from numba.extending import intrinsic

from softlearn.arrays import Floats, Kinds, States
from softlearn.kernels.cluster.clustering import cluster
from softlearn.kernels.cluster.rows import ClusterOptions, RowData
from softlearn.kernels.compile import address_of, kernel

_IS_COMPILED = not vars(config)["DISABLE_JIT"]
_Call: TypeAlias = Callable[[int, RowData, States, ClusterOptions, Kinds, Floats], int]


def _types() -> tuple[Any, ...]:
    """Return the types of the clustering's arguments."""
    matrix = np.zeros((0, 0))
    rows = RowData(
        dense=matrix.astype(np.float32),
        start=np.zeros(1, np.int64),
        feature=np.zeros(0, np.int32),
        levels=matrix.astype(np.int32),
        numbers=matrix.astype(np.float32),
        weights=np.zeros(0),
        keys=np.zeros(0, np.uint64),
        groups=np.zeros(1, np.int64),
        single=np.zeros(0, np.bool_),
    )
    options = ClusterOptions(0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, soft=True)
    stop = np.zeros(1, np.uint8)
    return tuple(map(typeof, (rows, np.zeros(0, np.uint64), options, stop, matrix)))


_TYPES = _types()


@lru_cache(maxsize=1)
def clustering_address() -> int:
    """Return where the clustering is; the first call compiles it. Uncompiled, it has no address."""
    return address_of(cluster, int64(*_TYPES)) if _IS_COMPILED else 0


def _emit_call(
    context: Any,  # noqa: ANN401 - what Numba hands over
    address: Any,  # noqa: ANN401
    data: Any,  # noqa: ANN401
    picks: Any,  # noqa: ANN401
    options: Any,  # noqa: ANN401
    stop: Any,  # noqa: ANN401
    membership: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Return how a kernel calls the clustering, with no other types than it was compiled for."""
    given = (data, picks, options, stop, membership)
    if given != _TYPES:
        raise TypeError(f"clustering takes {_TYPES}, not {given}")

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
        kinds = [context.get_value_type(kind) for kind in _TYPES]
        function = ir.FunctionType(context.get_value_type(int64), kinds)
        return builder.call(builder.inttoptr(values[0], function.as_pointer()), values[1:])

    return int64(address, *given), emit


def _call_by_name(
    address: int,
    data: RowData,
    picks: States,
    options: ClusterOptions,
    stop: Kinds,
    membership: Floats,
) -> int:
    """Call the clustering when nothing is compiled, as a debugger wants it."""
    return cluster(data, picks, options, stop, membership)


run_clustering = cast("_Call", intrinsic(_emit_call) if _IS_COMPILED else _call_by_name)


@kernel
def cluster_rows(
    address: int,
    data: RowData,
    picks: States,
    options: ClusterOptions,
    stop: Kinds,
    membership: Floats,
) -> int:
    """Call the clustering at its address, which Python itself cannot."""
    return run_clustering(address, data, picks, options, stop, membership)
