"""Waiting for workers, as long as there are any."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from softlearn.errors import SoftlearnError

_WITHOUT_WORKERS = 90.0  # seconds, in which one that has died may be replaced
_BETWEEN_LOOKS = 5.0


@dataclass
class WorkerTimeout:
    """Ends a wait that would never end, because all workers are gone and none comes back."""

    client: Any  # dask has no types
    seen: float = field(default_factory=time.monotonic)  # when there was a worker

    def check(self) -> None:
        """Raise an error if there has been no worker for too long."""
        if self.client.scheduler_info(n_workers=1)["workers"]:
            self.seen = time.monotonic()
        elif time.monotonic() - self.seen > _WITHOUT_WORKERS:
            raise SoftlearnError(
                f"there has been no worker for {_WITHOUT_WORKERS:g} seconds: they were stopped, or "
                "died for want of memory; start them again with more memory (--memory), or with "
                "fewer workers that share it"
            )


def wait_for(client: Any, futures: Sequence[Any]) -> None:  # noqa: ANN401 - dask has no types
    """Return once all futures are computed, or have failed."""
    from distributed import wait  # noqa: PLC0415 - slow to load

    timeout = WorkerTimeout(client)
    while futures:
        try:
            wait(futures, timeout=_BETWEEN_LOOKS)
        except TimeoutError:
            timeout.check()
        else:
            return
