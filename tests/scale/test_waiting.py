"""A wait for workers ends when they have finished, or when no worker is left."""

import time
from types import SimpleNamespace

import pytest

from softlearn.errors import SoftlearnError
from softlearn.scale import waiting

distributed = pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def _here():
    """Let Dask work where the current client is, and not in this process."""


@pytest.fixture
def client(workers, monkeypatch):
    monkeypatch.setattr(waiting, "_BETWEEN_LOOKS", 0.05)
    monkeypatch.setattr(waiting, "_WITHOUT_WORKERS", 0.3)
    with distributed.Client(workers) as client:
        client.wait_for_workers(1)
        yield client


def test_a_wait_lasts_as_long_as_the_work_while_there_is_a_worker(client):
    slow = client.submit(time.sleep, 1.0)
    failing = client.submit(int, "no number")
    waiting.wait_for(client, [slow, failing])
    assert (slow.status, failing.status) == ("finished", "error")


def test_without_workers_a_wait_ends_with_an_error(client):
    nobody = SimpleNamespace(scheduler_info=lambda n_workers: {"workers": {}})
    never = client.submit(abs, -1, workers=["tcp://127.0.0.1:9"], allow_other_workers=False)
    with pytest.raises(SoftlearnError, match=r"no worker for 0\.3 seconds.*more memory"):
        waiting.wait_for(nobody, [never])


def test_nothing_is_waited_for_in_no_time():
    assert waiting.wait_for(None, []) is None  # and asks no client
