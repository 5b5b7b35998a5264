"""Inner functions that Python calls as well: tests, benchmarks, and slices spread over blocks."""

from __future__ import annotations

from softlearn.arrays import Floats, Ids
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import kernel
from softlearn.kernels.grow.slices import take
from softlearn.kernels.grow.work import GrowTable


@kernel
def take_rows(table: GrowTable, rows: Ids, weights: Floats, columns: Ids) -> RowData:
    """Cut some rows, with their weights, and columns out of a table."""
    return take(table, rows, weights, columns)
