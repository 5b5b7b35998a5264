"""Which slices are small enough for one worker to grow as a whole."""

from __future__ import annotations

from typing import NamedTuple

from softlearn.learn import GrowConfig
from softlearn.learn.slices import LargeSlice
from softlearn.scale.cluster import room_on
from softlearn.scale.storage import Storage

# Of a slice that is grown. Half a million rows of 30 columns of all kinds took 17 bytes a cell in
# all; while parts are joined there are two tables. Rows are listed anew in each open slice.
_BYTES_OF_A_CELL = 20
_BYTES_OF_A_ROW = 300
_BYTES_OF_A_CODE = 1  # of each column of the table, in the slice or not
_SLICES_PER_THREAD = 4  # so that all have something to do until the end


class Limits(NamedTuple):
    """How large a slice may be that one worker grows as a whole.

    Attributes
    ----------
    rows
        So many rows are few, whatever else is said.
    cells
        More than that is not for one worker, or others would have nothing to do.
    size
        Bytes that it may take; None if nobody has said.
    n_columns
        Columns of the table.
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
    """Return what the workers allow.

    A slice should fit well into the memory of a worker, and leave something to do for the others: a
    worker that is alone takes all. Smaller slices than a bucket are never measured in parts; and
    with a checkpoint none larger is grown in one go, so that little is lost.
    """
    if config.checkpoint is not None:
        return Limits(config.bucket_rows, 0, 0, n_columns)
    workers = room_on(storage.client)
    is_alone = workers.n_threads == 1
    n_slices = 1 if is_alone else _SLICES_PER_THREAD * workers.n_threads
    room = workers.bytes_per_thread
    size = None if room is None else int(room * storage.free_for_work)
    return Limits(config.bucket_rows, n_rows * n_columns // n_slices, size, n_columns)
