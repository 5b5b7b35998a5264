"""Learning from rows that do not fit into the memory of workers, which store them in files."""

import gc
import mmap
import os
from contextlib import suppress
from weakref import WeakSet

import numpy as np
import pytest

from learn.test_large import SEED, same_bits, scaled_table
from scale.emptied import is_emptied
from scale.test_growing import blocks_of
from softlearn.errors import SoftlearnError
from softlearn.learn import Engine
from softlearn.learn.config import GrowConfig
from softlearn.learn.growing import grown
from softlearn.scale import cluster as module
from softlearn.scale import open_cluster
from softlearn.scale.array_files import read_arrays, write_arrays
from softlearn.scale.cluster import folder_of
from softlearn.scale.growing import grow_on_workers
from softlearn.scale.subtrees import _cells_of
from softlearn.stats.parts import Share
from softlearn.stats.table import training_table

pytest.importorskip("distributed")
N_ROWS = 20_000
CONFIG = GrowConfig(bucket_rows=4096, max_depth=3)


@pytest.fixture(autouse=True)
def _here():
    """Let Dask work where the current client is, and not in this process."""


@pytest.mark.slow
def test_rows_lie_in_files_and_not_in_the_memory_of_workers():
    values, schema = scaled_table(N_ROWS)
    here, delayed, _ = blocks_of(8, schema=schema, values=values)
    held, on_disk = [], []
    with open_cluster(workers=1, memory="600MB") as cluster:
        client, folder = cluster.client, folder_of(cluster.client)

        def look(progress):
            held.append(sum(client.run(_bytes_held).values()))
            on_disk.append(sum(map(_size, folder.iterdir())))

        workers = set(client.run(os.getpid).values())
        engine = Engine(watch=look)
        there = grow_on_workers(client, delayed, schema, CONFIG, seed=SEED, engine=engine)
        assert set(client.run(os.getpid).values()) == workers, "a worker died"
        assert is_emptied(folder)
    assert not folder.exists()
    assert same_bits(grown(here, schema, CONFIG, SEED, Engine()), there)
    assert max(held) < values.nbytes / 10
    assert max(on_disk) > values.nbytes


def test_rows_that_are_brought_together_hold_no_file_in_memory(tmp_path, monkeypatch):
    """Mapped pages count as memory of a worker; those of all parts would be the whole table."""
    opened_files = WeakSet()

    class Mapped(mmap.mmap):
        def __init__(self, *_, **__):
            opened_files.add(self)

    values, schema = scaled_table(300)
    path = tmp_path / "part"
    write_arrays(path, training_table(values, np.ones(values.shape[1]), schema).arrays)
    shares = [Share(np.arange(0, 200, 7, dtype=np.int32), np.ones(29))]
    monkeypatch.setattr(mmap, "mmap", Mapped)
    some, weights = _cells_of(read_arrays(path), shares, np.arange(4, dtype=np.int32))
    gc.collect()
    assert some.weights.size == weights.size == 29
    assert not list(opened_files)


def _size(file):
    with suppress(FileNotFoundError):  # it has just gone
        return file.stat().st_size
    return 0


def _bytes_held(dask_worker):
    return sum(dask_worker.state.tasks[key].nbytes or 0 for key in dask_worker.data)


@pytest.mark.slow
def test_a_disk_that_is_full_is_named():
    values, schema = scaled_table(200)
    _, delayed, _ = blocks_of(2, schema=schema, values=values)
    with open_cluster(workers=1, memory="600MB") as cluster:
        cluster.client.run(_fill_the_disk)
        with pytest.raises(SoftlearnError, match=r"rows cannot be stored in .*: No space left"):
            grow_on_workers(cluster.client, delayed, schema, CONFIG, seed=SEED, engine=Engine())


def _fill_the_disk():
    """Let no file grow, as on a full disk."""
    from softlearn.scale import storage

    def write(path, value):
        raise OSError(28, os.strerror(28))

    storage.write_arrays = write


def test_by_default_there_are_as_many_workers_as_memory_allows(monkeypatch):
    monkeypatch.setattr(module, "_n_cores", lambda: 8)
    assert module._workers_within("600MB", None) == (1, 600_000_000)
    assert module._workers_within("1300MB", None) == (2, 650_000_000)
    assert module._workers_within(None, None) == (8, None)
    with pytest.raises(
        SoftlearnError, match=r"400 MB for each of 1 workers.* give at least 600 MB each"
    ):
        module._workers_within("400MB", None)
