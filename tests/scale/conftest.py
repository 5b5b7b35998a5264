"""Without a cluster Dask works in this very process, so that errors are seen where they arise."""

from __future__ import annotations

import dask
import pytest


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield
