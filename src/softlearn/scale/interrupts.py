"""A preload script of local workers: only the main process reacts to Ctrl-C."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:  # noqa: ANN401 - as Dask calls it
    """Ignore interrupts: the rows in the memory of a worker would be lost with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
