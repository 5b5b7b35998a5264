"""Faults in the middle of a fit on workers: each fault happens, and the fit survives it."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from learn.test_large import SEED, same_bits
from scale.test_growing import blocks_of, grown_there
from softlearn.circuit.properties import validate
from softlearn.learn import Engine, checkpoint
from softlearn.learn.config import GrowConfig
from softlearn.learn.growing import grown
from softlearn.scale.cluster import _known_folder
from softlearn.scale.subtrees import Subtrees

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

CONFIG = GrowConfig(soft=False, ranks=True, bucket_rows=64, max_iter=5, significance=0.3)
N_BLOCKS = 4
PATIENCE = 120.0  # seconds that a busy machine may take to begin


@pytest.fixture(autouse=True)
def _here():
    """Let Dask work where the current client is, and not in this process."""


@pytest.fixture(params=["in memory", "in files"])
def client(request, workers, tmp_path):
    """A client whose workers keep rows in their memory, and one whose workers share a folder."""
    with distributed.Client(workers) as client:
        client.wait_for_workers(2)
        if request.param == "in memory":
            yield client
            return
        with _known_folder(client, tmp_path):
            yield client


@pytest.fixture(scope="module")
def expected():
    here, _, schema = blocks_of(N_BLOCKS)
    return grown(here, schema, CONFIG, SEED, Engine())


@pytest.fixture
def handed_over(monkeypatch):
    """The seeds of the slices that workers were given."""
    seeds, plain = [], Subtrees.hand_over

    def hand_over(self, task):
        seeds.append(task.seed)
        return plain(self, task)

    monkeypatch.setattr(Subtrees, "hand_over", hand_over)
    return seeds


def on_workers(client, config=CONFIG, **engine):
    _, delayed, schema = blocks_of(N_BLOCKS)
    return grown_there(client, delayed, schema, config, **engine)


@pytest.mark.parametrize("look", [0, 5])
def test_a_worker_is_killed(look, client, expected):
    looks, killed = iter(range(look + 1)), []

    def kill_one(progress):
        if next(looks, None) == look:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    there = on_workers(client, watch=kill_one)
    assert killed
    assert same_bits(expected, there)


# What the client that is killed does: it lets every look take long, so that there is time to kill.
_CLIENT = """
import sys, time
from pathlib import Path
import distributed
from scale import test_faults as faults
from softlearn.learn import checkpoint

if __name__ == "__main__":
    checkpoint._SECONDS_BETWEEN_FILES = 0.0
    with distributed.Client(sys.argv[1]) as client:
        config = faults.replace(faults.CONFIG, checkpoint=Path(sys.argv[2]))
        faults.on_workers(client, config, watch=lambda progress: time.sleep(0.3))
"""


def test_the_client_is_killed_and_the_same_call_goes_on(
    client, workers, expected, tmp_path, handed_over
):
    # With a checkpoint smaller slices are handed over than without one.
    on_workers(client, replace(CONFIG, checkpoint=tmp_path / "whole"))
    in_all = set(handed_over)
    handed_over.clear()
    folder = tmp_path / "kept"
    killed = subprocess.Popen(
        [sys.executable, "-c", _CLIENT, workers.scheduler_address, str(folder)],
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    try:
        _wait_for(lambda: len(_kept(folder) & in_all) >= 2, killed)
    finally:
        os.killpg(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    finished = _kept(folder)
    assert finished & in_all
    assert in_all - finished
    again = on_workers(client, replace(CONFIG, checkpoint=folder))
    assert same_bits(expected, again)
    assert set(handed_over) == in_all - finished
    assert not folder.exists()


def test_what_was_begun_on_workers_is_finished_here(client, expected, tmp_path):
    config = replace(CONFIG, checkpoint=tmp_path / "kept")
    looks = iter(range(6))

    def end(progress):
        if next(looks, None) is None:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        on_workers(client, config, watch=end)
    here, _, schema = blocks_of(N_BLOCKS)
    assert same_bits(expected, grown(here, schema, config, SEED, Engine()))


def test_an_interrupt_keeps_what_there_is(client, expected):
    looks = iter(range(4))

    def interrupt(progress):
        if next(looks, None) == 3:
            raise KeyboardInterrupt

    partial = on_workers(client, watch=interrupt, keep_partial=True)
    validate(partial)
    assert 1 < partial.kind.size < expected.kind.size
    looks = iter(range(4))
    with pytest.raises(KeyboardInterrupt):
        on_workers(client, watch=interrupt)


_TERMINAL = """
import numpy as np, dask.array as da
from softlearn import SoftLearn
from softlearn.scale import open_cluster
from softlearn.scale.cluster import _known_folder
from softlearn.scale.subtrees import Subtrees

def told(self, task, plain=Subtrees.hand_over):
    plain(self, task)
    print("begun", flush=True)

if __name__ == "__main__":
    Subtrees.hand_over = told
    rng = np.random.default_rng(0)
    group = rng.integers(0, 40, 60_000)
    table = rng.normal(rng.normal(size=(40, 30))[group] * 3)
    with open_cluster(workers=1):
        learner = SoftLearn(random_state=0, on_interrupt="keep", significance=0.5, max_depth=30)
        learner.fit(da.from_array(table, chunks=(20_000, 30)))
        print("kept", learner.model_.circuit.n_nodes, flush=True)
"""


def test_ctrl_c_in_a_terminal_reaches_the_workers_too_and_keeps_a_model():
    run = subprocess.Popen(
        [sys.executable, "-c", _TERMINAL],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "begun\n"
    time.sleep(1.0)  # the worker is growing
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, err
    assert out.startswith("kept ")


def _kept(folder: Path):
    """The seeds of the slices that have grown, by the files of a checkpoint."""
    return {seed for seed, own in checkpoint._read_all(folder).items() if "depth" in own}


def _wait_for(condition, process):
    start = time.monotonic()
    while not condition():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() - start < PATIENCE
        time.sleep(0.02)
