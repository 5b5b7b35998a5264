"""Where the time of a fit goes, and how far its inner loop is from the machine's limit."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Iterator

import numpy as np
from softlearn.learn.grow_mixed import MixedGrower
from softlearn.learn.splits import cluster_options
from softlearn.learn.training import training_table
from threadpoolctl import threadpool_limits

from softlearn.datasets import load_debd
from softlearn.kernels.cluster.by_address import cluster_rows, clustering_address
from softlearn.learn.config import GrowConfig
from softlearn.learn.pieces import one_open
from softlearn.learn.slices import whole_table
from softlearn.stats.rows import WeightedRows
from softlearn.table import encode, infer_schema

SETS = ("plants", "baudio", "c20ng")

# Functions whose own time is work of one kind.
_KINDS = {
    "clustering": ("cluster_rows",),
    "matrix products": ("pair_weights", "pair_sums"),
    "independence tests": ("link_binary", "link_tables"),
    "cutting slices": ("gather", "select", "keep_heavy", "column_sums"),
}
_PASSES = 40


def shares(dataset: str) -> Iterator[tuple[str, float]]:
    """Yield (kind of work, share of the kernels' time) of a fit in one thread.

    A fit is one kernel, into which nothing can look. So its parts are timed where the same
    splits are made one at a time, and each part is a call of its own.
    """
    train = load_debd(dataset).train
    schema = infer_schema(
        train, overrides=dict.fromkeys(map(str, range(train.shape[1])), "boolean")
    )
    table = training_table(encode(train, schema), np.ones(len(train)), schema)
    config = GrowConfig()
    grower = MixedGrower(table, config)
    whole = whole_table(table, config, np.random.SeedSequence(0), one_open())
    profile = cProfile.Profile(time.process_time)
    with threadpool_limits(1, user_api="blas"):
        grower.finish(whole)
        profile.runcall(grower.finish, whole)
    own: dict[str, float] = {}
    for (_, _, name), (_, _, seconds, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        own[name] = own.get(name, 0.0) + seconds
    known = {kind: sum(own.get(n, 0.0) for n in names) for kind, names in _KINDS.items()}
    for kind, seconds in known.items():
        yield kind, seconds / sum(known.values())


def of_limit(dataset: str) -> float:
    """Return the speed of a pass of EM over the table, as a share of the machine's.

    The limit is BLAS: one product of the same matrix with a vector for the scores, and one for
    the sums. A pass has the exponentials and logarithms on top.
    """
    dense = np.ascontiguousarray(load_debd(dataset).train.T, dtype=np.float32)
    n_features, n_rows = dense.shape
    nothing = np.zeros((0, 0))
    every = (np.arange(n_features + 1), np.ones(n_features, bool), nothing)
    rows = WeightedRows(np.ones(n_rows), dense, *every)
    slopes, weights = np.ones(n_features, np.float32), np.ones(n_rows, np.float32)

    def products() -> None:
        slopes @ dense
        dense @ weights

    limit = _median_seconds(products)
    few, many = (_seconds_of_em(rows, n) for n in (1, 1 + _PASSES))
    return limit / ((many - few) / _PASSES)


def _seconds_of_em(rows: WeightedRows, n_passes: int) -> float:
    options = cluster_options(GrowConfig())._replace(
        kmeans_iterations=1, em_iterations=n_passes, em_tolerance=-np.inf
    )
    uniforms, room = np.array([0.2, 0.7]), np.empty((2, rows.n_rows))
    address = clustering_address()
    return _median_seconds(lambda: cluster_rows(address, rows.data, uniforms, options, room))


def _median_seconds(run) -> float:
    with threadpool_limits(1, user_api="blas"):
        run()
        seconds = []
        for _ in range(7):
            begin = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - begin)
    return float(np.median(seconds))
