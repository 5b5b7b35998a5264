"""Some rows of a laid-out table as a table of their own, and such tables put together again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.arrays import AnyArray, Ids, Offsets
from softlearn.kernels.grow.work import GrowTable

_BY_ROW = ("dense", "levels", "numbers", "codes", "bins", "weights", "keys")  # on the last axis
_OF_COLUMNS = tuple(n for n in GrowTable._fields if n not in (*_BY_ROW, "start", "feature"))


def table_with(table: GrowTable, rows: Ids) -> GrowTable:
    """Return a table of some rows, in their order.

    It shares no array with the other one, all of which would stay in memory with it.
    """
    start, feature = _some_compressed(table.start, table.feature, rows)
    of_columns = {name: getattr(table, name).copy() for name in _OF_COLUMNS}
    by_row = {name: _some(getattr(table, name), rows) for name in _BY_ROW}
    return GrowTable(start=start, feature=feature, **by_row, **of_columns)


def joined_tables(tables: Sequence[GrowTable]) -> GrowTable:
    """Return the rows of several tables behind each other."""
    by_row = {
        name: np.concatenate([getattr(table, name) for table in tables], axis=-1)
        for name in _BY_ROW
    }
    n_features = np.cumsum([0, *(table.feature.size for table in tables[:-1])])
    starts = [table.start[1:] + n for table, n in zip(tables, n_features, strict=True)]
    return tables[0]._replace(
        start=np.concatenate([[0], *starts]),
        feature=np.concatenate([table.feature for table in tables]),
        **by_row,
    )


def _some(cells: AnyArray, rows: Ids) -> AnyArray:
    """Return some rows of an array; the form that a table does not have stays without any."""
    return cells.copy() if cells.shape == (0, 0) else np.take(cells, rows, axis=-1)


def _some_compressed(start: Offsets, feature: Ids, rows: Ids) -> tuple[Offsets, Ids]:
    if start.size == 1:
        return start.copy(), feature.copy()
    from softlearn.kernels.grow.slices import select  # noqa: PLC0415 - loads Numba

    same = np.arange(int(feature.max(initial=0)) + 1, dtype=np.int32)
    return select(start, feature, rows, same)
