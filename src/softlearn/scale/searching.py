"""Run the fits of a search such as ``AutoCircuit`` on workers, one fit per thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from softlearn.scale.cluster import current_client, is_worker, room_on
from softlearn.scale.storage import Future


@dataclass(frozen=True)
class SearchWorkers:
    """The workers of a Dask client; see ``softlearn.learn.search.ahead.Workers``."""

    client: Any
    n_workers: int

    def send(self, value: object) -> Future:
        """Send a value to all workers and return its future."""
        return self.client.scatter([value], broadcast=True, hash=False)[0]

    def submit(self, function: Callable[..., object], *given: object) -> Future:
        """Start a call on a worker and return its future."""
        return self.client.submit(function, *given, pure=False)


def search_workers() -> SearchWorkers | None:
    """Return the workers of the current client; None without one, and on a worker.

    A search that runs on a worker would wait for itself.
    """
    client = None if is_worker() else current_client()
    return None if client is None else SearchWorkers(client, room_on(client).n_threads)
