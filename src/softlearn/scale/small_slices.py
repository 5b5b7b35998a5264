"""Limits on the slices that a single worker grows completely."""

from __future__ import annotations

from typing import NamedTuple

from softlearn.learn import GrowConfig
from softlearn.learn.slices import LargeSlice
from softlearn.scale.cluster import room_on
from softlearn.scale.storage import Storage

# Memory to grow a slice. Half a million rows of 30 columns of all kinds took 17 bytes per cell in
# all; while parts are joined, the table is there twice. Each open slice has its own list of rows.
_BYTES_OF_A_CELL = 20
_BYTES_OF_A_ROW = 300
_BYTES_OF_A_CODE = 1  # for each column of the table, in the slice or not
_SLICES_PER_THREAD = 4  # enough to keep all threads busy until the end


class Limits(NamedTuple):
    """The maximum size of a slice that a single worker grows completely.

    Attributes
    ----------
    rows
        Slices with at most this number of rows are always allowed.
    cells
        The maximum number of cells of larger ones, so that all workers are busy.
    size
        Their maximum memory in bytes; None if there is no limit.
    n_columns
        The number of columns of the table.
    """

    rows: int
    cells: int
    size: int | None
    n_columns: int

    def allow(self, task: LargeSlice) -> bool:
        """Return whether a slice is within the limits."""
        if task.n_rows <= self.rows:
            return True
        if task.n_rows * task.columns.size > self.cells:
            return False
        return self.size is None or self._bytes_of(task) <= self.size

    def _bytes_of(self, task: LargeSlice) -> int:
        per_row = _BYTES_OF_A_ROW + _BYTES_OF_A_CODE * self.n_columns
        return task.n_rows * (per_row + _BYTES_OF_A_CELL * int(task.columns.size))


def limits_of(storage: Storage, n_rows: int, n_columns: int, config: GrowConfig) -> Limits:
    """Return the limits for these workers.

    A slice must fit into the memory of a worker and leave work for the others; a single worker may
    take the whole table. Slices smaller than a bucket are always allowed. With a checkpoint no
    larger ones are, so that little work is lost in a crash.
    """
    if config.checkpoint is not None:
        return Limits(config.bucket_rows, 0, 0, n_columns)
    workers = room_on(storage.client)
    is_alone = workers.n_threads == 1
    n_slices = 1 if is_alone else _SLICES_PER_THREAD * workers.n_threads
    room = workers.bytes_per_thread
    size = None if room is None else int(room * storage.free_for_work)
    return Limits(config.bucket_rows, n_rows * n_columns // n_slices, size, n_columns)
