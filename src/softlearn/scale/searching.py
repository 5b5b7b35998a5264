"""Workers that learn for a search such as ``AutoCircuit``, a fit each at a time."""

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
        """Send something to all workers."""
        return self.client.scatter([value], broadcast=True, hash=False)[0]

    def submit(self, function: Callable[..., object], *given: object) -> Future:
        """Begin a call."""
        return self.client.submit(function, *given, pure=False)


def search_workers() -> SearchWorkers | None:
    """Return the workers of the current client; a worker itself has none, or it would wait."""
    client = None if is_worker() else current_client()
    return None if client is None else SearchWorkers(client, room_on(client).n_threads)
