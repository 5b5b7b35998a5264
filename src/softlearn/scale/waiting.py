"""Wait for the results of workers, and raise an error if all workers are gone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from softlearn.errors import SoftlearnError

_WITHOUT_WORKERS = 90.0  # seconds to wait for a new worker after all have died
_BETWEEN_LOOKS = 5.0


@dataclass
class WorkerTimeout:
    """Ends a wait when all workers are gone and none has been replaced in time."""

    client: Any  # dask has no types
    seen: float = field(default_factory=time.monotonic)  # when there was last a worker

    def check(self) -> None:
        """Raise an error if there has been no worker for too long."""
        if self.client.scheduler_info(n_workers=1)["workers"]:
            self.seen = time.monotonic()
        elif time.monotonic() - self.seen > _WITHOUT_WORKERS:
            raise SoftlearnError(
                f"there has been no worker for {_WITHOUT_WORKERS:g} seconds: all were stopped, or "
                "died for lack of memory; start them again with more memory (--memory), or use "
                "fewer workers"
            )


def wait_for(client: Any, futures: Sequence[Any]) -> None:  # noqa: ANN401 - dask has no types
    """Wait until all futures are computed or have failed."""
    from distributed import wait  # noqa: PLC0415 - slow to load

    timeout = WorkerTimeout(client)
    while futures:
        try:
            wait(futures, timeout=_BETWEEN_LOOKS)
        except TimeoutError:
            timeout.check()
        else:
            return
