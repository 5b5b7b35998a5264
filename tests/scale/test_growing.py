"""Growing from rows on workers gives the same circuit as in memory, also when a worker dies."""

import os
import signal

import dask
import numpy as np
import pytest
from dask.sizeof import sizeof

from learn.test_large import GROWN, SEED, same_bits, scaled_table
from scale.emptied import is_emptied
from softlearn.errors import SoftlearnError
from softlearn.learn import Block, Engine
from softlearn.learn.config import GrowConfig
from softlearn.learn.growing import grown
from softlearn.scale.cluster import _known_folder
from softlearn.scale.growing import grow_on_workers
from softlearn.stats.table import training_table

distributed = pytest.importorskip("distributed")
N_ROWS = 500


@pytest.fixture(autouse=True)
def _here():
    """Let Dask work where the current client is, and not in this process."""


@pytest.fixture(scope="module", params=["in memory", "in files"])
def client(request, workers, tmp_path_factory):
    """A client whose workers keep rows in their memory, and one whose workers share a folder."""
    with distributed.Client(workers) as client:
        folder = tmp_path_factory.mktemp("shared")
        if request.param == "in memory":
            yield client
            return
        with _known_folder(client, folder):
            yield client
            assert is_emptied(folder)


def blocks_of(n_blocks, *, seed=0, schema=None, values=None):
    """Weighted rows of a table in blocks, and the same delayed."""
    if values is None:
        values, schema = scaled_table(N_ROWS)
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, values.shape[1]) + 0.5
    some = np.array_split(rng.permutation(values.shape[1]), n_blocks)
    here = [Block(values[:, rows], weights[rows]) for rows in some]
    return here, [dask.delayed(block) for block in here], schema


def grown_there(client, delayed, schema, config, **engine):
    return grow_on_workers(client, delayed, schema, config, seed=SEED, engine=Engine(**engine))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_blocks", "bucket_rows"),
    [("softlearn", 1, 64), ("softlearn by k-means", 7, 32), ("learnspn", 2, 64)],
)
def test_workers_grow_what_is_grown_here(client, name, n_blocks, bucket_rows):
    here, delayed, schema = blocks_of(n_blocks)
    config = GrowConfig(
        **{one: getattr(GROWN[name], one) for one in ("soft", "ranks", "clustering", "n_clusters")},
        max_depth=4,
        bucket_rows=bucket_rows,
    )
    expected = grown(here, schema, config, SEED, Engine())
    assert expected.kind.size > 20
    assert same_bits(expected, grown_there(client, delayed, schema, config))


def test_a_small_table_is_grown_by_one_worker(client):
    here, delayed, schema = blocks_of(3)
    config = GrowConfig()
    expected = grown(here, schema, config, SEED, Engine())
    assert same_bits(expected, grown_there(client, delayed, schema, config))


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(client):
    here, delayed, schema = blocks_of(4)
    config = GrowConfig(bucket_rows=64, max_depth=4)
    killed = []

    def kill_one(progress):
        if not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    there = grown_there(client, delayed, schema, config, watch=kill_one)
    assert killed
    assert same_bits(grown(here, schema, config, SEED, Engine()), there)


def test_dask_knows_how_large_a_table_is():
    values, schema = scaled_table(2000)
    table = training_table(values, np.ones(values.shape[1]), schema).arrays
    assert sizeof(table) == sum(own.nbytes for own in table)
    assert sizeof([table, table]) == pytest.approx(2 * sizeof(table), rel=0.1)


def test_progress_comes_to_its_end(client):
    _, delayed, schema = blocks_of(2)
    seen = []
    config = GrowConfig(bucket_rows=128, max_depth=2)
    grown_there(client, delayed, schema, config, watch=lambda now: seen.append(now.share))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0)


def test_without_time_there_are_leaves(client):
    _, delayed, schema = blocks_of(2)
    config = GrowConfig(bucket_rows=64, time_budget=0.0)
    assert grown_there(client, delayed, schema, config).kind.size == len(schema) + 1


def test_cells_that_do_not_fit_are_refused(client):
    values, schema = scaled_table(20)
    values[3, 4] = 17.0  # a level that there is not
    _, delayed, _ = blocks_of(2, schema=schema, values=values)
    with pytest.raises(SoftlearnError, match="has 3 levels"):
        grown_there(client, delayed, schema, GrowConfig())


def test_rows_without_weight_are_not_enough(client):
    values, schema = scaled_table(5)
    nothing = [dask.delayed(Block(values, np.zeros(5)))]
    with pytest.raises(SoftlearnError, match="at least two rows"):
        grown_there(client, nothing, schema, GrowConfig())
