"""Without a cluster, Dask runs in this process, so that errors are raised where they occur."""

from __future__ import annotations

import logging

import dask
import pytest


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def workers():
    """Two processes that work for a whole file of tests."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as made:
        yield made
