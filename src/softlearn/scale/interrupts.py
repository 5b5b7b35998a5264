"""Loaded by workers of this machine: Ctrl-C, which reaches them too, is left to who has them."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:  # noqa: ANN401 - as Dask calls it
    """Ignore interrupts: a worker that ended would take the rows that it holds along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
