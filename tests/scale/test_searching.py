"""AutoCircuit on workers: with a limit of work but none of time, the model is the same."""

import numpy as np
import pytest

from softlearn import AutoCircuit
from softlearn.circuit.file import circuit_to_bytes
from softlearn.circuit.properties import validate
from softlearn.learn.search import ahead as module
from softlearn.learn.search.ahead import next_seeds
from softlearn.scale.searching import SearchWorkers, search_workers

distributed = pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def _here():
    """Let Dask work where the current client is, and not in this process."""


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 400)[:, None]
    return rng.normal(3.0 * group * [1, -1, 0], [1.0, 2.0, 1.0]).round(1)


def learnt(table, **how):
    how = {"time_budget": None, "max_fits": 14, "max_members": 4, **how}
    if how.get("goal") != "samples":
        how["learners"] = ["softlearn", "chowliutree"]
    return AutoCircuit(**how, random_state=0, n_jobs=1).fit(table)


@pytest.fixture
def answered(monkeypatch):
    """The fits that the search has taken from workers."""
    taken, plain = [], module.Ahead.begun

    def begun(self, job):
        running = plain(self, job)
        taken.append(running is not None)
        return running

    monkeypatch.setattr(module.Ahead, "begun", begun)
    return taken


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["likelihood", "samples"])
def test_the_model_does_not_depend_on_who_learns(workers, table, answered, goal):
    here = learnt(table, goal=goal)
    assert not answered
    with distributed.Client(workers):
        there = learnt(table, goal=goal)
    assert sum(answered) > len(answered) / 2
    assert circuit_to_bytes(here.model_.circuit) == circuit_to_bytes(there.model_.circuit)
    told = ("stage", "learner", "settings", "bootstrap", "score", "best", "nodes", "outcome")
    tried = [[[row[name] for name in told] for row in one.report_.table] for one in (here, there)]
    np.testing.assert_equal(*tried)


@pytest.mark.slow
def test_workers_learn_within_a_time_budget_too(workers, table, answered):
    with distributed.Client(workers):
        there = learnt(table, time_budget=300.0, max_fits=4)
    assert any(answered)
    assert len(there.report_.table) >= 4
    validate(there.model_.circuit)


@pytest.mark.slow
def test_what_workers_fail_at_is_done_here(workers, table, monkeypatch):
    def fail(*given):
        raise MemoryError("a worker has died")

    monkeypatch.setattr(SearchWorkers, "submit", lambda self, f, *g: self.client.submit(fail, *g))
    with distributed.Client(workers):
        there = learnt(table, max_fits=2)
    alone = learnt(table, max_fits=2)
    assert circuit_to_bytes(alone.model_.circuit) == circuit_to_bytes(there.model_.circuit)


def test_a_worker_has_no_workers(workers):
    with distributed.Client(workers) as client:
        assert search_workers().n_workers == 2
        assert client.submit(search_workers, pure=False).result() is None
    assert search_workers() is None


def test_seeds_are_known_before_they_are_spawned():
    seed = np.random.SeedSequence(7).spawn(2)[1]
    seed.spawn(3)
    expected = [one.generate_state(4).tolist() for one in next_seeds(seed, 2)]
    assert [seed.spawn(1)[0].generate_state(4).tolist() for _ in range(2)] == expected
