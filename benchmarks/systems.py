"""How fast the learners of other papers are: ``python -m benchmarks.systems``.

An epoch of EM over HCLT and EinsumNetwork on two binary sets, beside the bare products of matrices
that it consists of; a cutset network; forty random circuits. All in CPU seconds, in
one thread, after a first run that compiles.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.em import em_step
from softlearn import HCLT, CutsetNetwork, EinsumNetwork, RandomCircuits
from softlearn.circuit import Circuit
from softlearn.datasets import load_debd
from softlearn.query import Evidence
from softlearn.query.dense import dense_blocks

_MOST_ROWS = 2_048  # that a pass is measured on; an epoch has all rows of the training split
_ROWS_AT_A_TIME = 256  # as the kernels read them
_REPEATS = 5
_EPOCHS = [
    ("HCLT, 16 states", partial(HCLT, n_states=16)),
    ("HCLT, 64 states", partial(HCLT, n_states=64)),
    ("EiNet, 16 nodes", partial(EinsumNetwork, n_nodes=16)),
]


def epochs(sets: list[str], most_rows: int) -> None:
    """Print the time of an epoch, and the share of it that the products of matrices take."""
    print("system            set        edges  epoch s  products s  share")
    for dataset in sets:
        table = load_debd(dataset).train
        some = Evidence(np.ascontiguousarray(table[:most_rows].T, np.float64))  # as in EM
        for name, estimator in _EPOCHS:
            circuit = estimator(max_iter=0, random_state=0).fit(table).model_.circuit
            runs = [partial(em_step, circuit, some), products(circuit, some.n_rows)]
            step, bare = (one * len(table) / some.n_rows for one in by_turns(runs))
            print(
                f"{name:16}  {dataset:8} {circuit.n_edges:8,} {step:8.2f} {bare:11.2f} "
                f"{bare / step:6.2f}",
                flush=True,
            )


def products(circuit: Circuit, n_rows: int) -> Callable[[], None]:
    """Return the products of matrices in a pass: for each block of sums one up and two down."""
    rng, blocks = np.random.default_rng(0), dense_blocks(circuit.structure)
    shapes = list(zip(blocks.n_sums.tolist(), blocks.n_children.tolist(), strict=True))
    of = {
        shape: (
            rng.random(shape),
            rng.random((shape[1], _ROWS_AT_A_TIME)),
            rng.random((shape[0], _ROWS_AT_A_TIME)),
        )
        for shape in set(shapes)
    }
    n_times = -(-n_rows // _ROWS_AT_A_TIME)

    def run() -> None:
        for shape in shapes:
            weights, below, above = of[shape]
            for _ in range(n_times):
                np.matmul(weights, below)  # values of the sums
                np.matmul(weights.T, above)  # flow of their children
                np.matmul(above, below.T)  # flow of the edges

    return run


def by_turns(runs: list[Callable[[], None]]) -> list[float]:
    """Return the median seconds of each run, by turns, so that a busy machine hits all of them."""
    for run in runs:
        run()
    seconds = np.empty((_REPEATS, len(runs)))
    for i in range(_REPEATS):
        for k, run in enumerate(runs):
            start = time.process_time()
            run()
            seconds[i, k] = time.process_time() - start
    return [float(one) for one in np.median(seconds, axis=0)]


def fits(names: list[str]) -> None:
    """Print the time of a cutset network and of forty random circuits."""
    print("\nlearner                set     seconds    valid")
    wanted = [
        ("a cutset network", "baudio", CutsetNetwork()),
        ("forty random circuits", "plants", RandomCircuits(n_members=40, random_state=0, n_jobs=1)),
    ]
    for label, dataset, learner in wanted:
        if dataset not in names:
            continue
        splits = load_debd(dataset)
        learner.fit(splits.train[:500])  # compiles
        start = time.process_time()
        learner.fit(splits.train)
        seconds = time.process_time() - start
        print(
            f"{label:22} {dataset:7} {seconds:7.2f} {learner.score(splits.valid):8.3f}", flush=True
        )


if __name__ == "__main__":
    from threadpoolctl import threadpool_limits

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=["baudio", "book", "plants"], metavar="SET")
    parser.add_argument("--rows", type=int, default=_MOST_ROWS, help="rows that a pass has")
    given = parser.parse_args()
    with threadpool_limits(1, user_api="blas"):
        epochs([name for name in given.only if name != "plants"], given.rows)
        fits(given.only)
