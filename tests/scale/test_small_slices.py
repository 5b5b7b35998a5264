"""Which slices a single worker grows, given their rows and columns and the memory of workers."""

from types import SimpleNamespace

import numpy as np
import pytest

from softlearn.learn.config import GrowConfig
from softlearn.scale import small_slices
from softlearn.scale.cluster import WorkerRoom
from softlearn.scale.small_slices import Limits, limits_of

MANY = 10**12


def a_slice(n_rows, n_columns):
    return SimpleNamespace(n_rows=n_rows, columns=np.arange(n_columns, dtype=np.int32))


def test_fewer_columns_leave_room_for_more_rows():
    limits = Limits(rows=100, cells=MANY, size=1_000_000, n_columns=30)
    assert limits.allow(a_slice(1000, 30))
    assert not limits.allow(a_slice(2000, 30))
    assert limits.allow(a_slice(2000, 5))
    assert not limits.allow(a_slice(3000, 5))


def test_few_rows_are_allowed_whatever_they_take():
    assert Limits(rows=100, cells=0, size=0, n_columns=30).allow(a_slice(100, 30))
    assert not Limits(rows=100, cells=0, size=0, n_columns=30).allow(a_slice(101, 30))


@pytest.mark.parametrize(("n_threads", "share"), [(1, 1.0), (2, 1 / 8), (10, 1 / 40)])
def test_others_have_something_to_do(monkeypatch, n_threads, share):
    monkeypatch.setattr(small_slices, "room_on", lambda _: WorkerRoom(n_threads, None))
    storage = SimpleNamespace(client=None, free_for_work=0.5)
    limits = limits_of(storage, 1_000_000, 30, GrowConfig())
    most = int(1_000_000 * share)
    assert limits.allow(a_slice(most, 30)) or most <= limits.rows
    assert not limits.allow(a_slice(max(most, limits.rows) + 1, 30))


def test_with_a_checkpoint_no_more_than_a_bucket_is_grown_in_one_go(monkeypatch, tmp_path):
    monkeypatch.setattr(small_slices, "room_on", lambda _: WorkerRoom(1, None))
    storage = SimpleNamespace(client=None, free_for_work=0.5)
    limits = limits_of(storage, 1000, 30, GrowConfig(bucket_rows=64, checkpoint=tmp_path))
    assert limits.allow(a_slice(64, 30))
    assert not limits.allow(a_slice(65, 1))
