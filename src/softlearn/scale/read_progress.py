"""Progress of a pass over the parts of a table: workers report each part that they have read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Watch: TypeAlias = Callable[[float | None, int], None]  # takes the share of parts read, and rows

_TOPIC = "softlearn-parts"


def report_read(place: str, n_rows: int) -> None:
    """Report to the watching client that a part was read; do nothing outside a worker."""
    try:
        from distributed import get_worker  # noqa: PLC0415 - slow to load, and only few need it

        worker = get_worker()
    except (ImportError, ValueError):
        return
    worker.log_event(_TOPIC, {"place": place, "rows": n_rows})


@contextmanager
def watch_reading(client: Any, n_parts: int, watch: Watch | None) -> Iterator[None]:  # noqa: ANN401
    """Call ``watch`` with the share of parts read so far, inside the ``with`` block.

    A part that is read again counts once.
    """
    if client is None or watch is None:
        yield
        return
    rows: dict[str, int] = {}

    def receive(event: tuple[float, dict[str, Any]]) -> None:
        _, report = event
        rows[report["place"]] = report["rows"]
        watch(len(rows) / n_parts, sum(rows.values()))

    client.subscribe_topic(_TOPIC, receive)
    try:
        yield
    finally:
        client.unsubscribe_topic(_TOPIC)
