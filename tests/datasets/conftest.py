"""Every test here has an empty cache of its own and no data folder, unless it says otherwise."""

from __future__ import annotations

import os

import pytest

from datasets.local_server import LocalServer
from softlearn.datasets import download

REAL_DATA = os.environ.get("SOFTLEARN_DATA")  # as it was before the fixture below takes it away


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The cache folder, which does not exist yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SOFTLEARN_CACHE", str(folder))
    monkeypatch.delenv("SOFTLEARN_DATA", raising=False)
    return folder


@pytest.fixture
def real_data(monkeypatch):
    """The folder with the published files, if there is one."""
    if not REAL_DATA:
        pytest.skip("SOFTLEARN_DATA names no folder with the published files")
    monkeypatch.setenv("SOFTLEARN_DATA", REAL_DATA)
    return REAL_DATA


@pytest.fixture
def server(monkeypatch):
    """A web server on this machine, for which nobody has to wait between attempts."""
    monkeypatch.setattr(download, "PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(download, "SCHEMES", ("http://",))  # it has no certificate
    monkeypatch.setenv("no_proxy", "*")
    with LocalServer() as running:
        yield running
