"""Recognise partitioned (Dask) tables without importing Dask."""

from __future__ import annotations


def is_partitioned(table: object) -> bool:
    """Return whether a table is a Dask collection, or rows in parts of ``softlearn.scale``."""
    of_dask = type(table).__module__.partition(".")[0] == "dask"
    return (of_dask and hasattr(table, "__dask_graph__")) or hasattr(table, "partition_places")
