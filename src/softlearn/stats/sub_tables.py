"""Extract some rows and columns of a laid-out table, and concatenate such tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.arrays import AnyArray, Ids, Offsets
from softlearn.kernels.grow.work import GrowTable

_BY_ROW = ("dense", "levels", "numbers", "codes", "bins", "weights", "keys")  # rows: last axis
_OF_COLUMNS = ("n_levels", "n_codes", "numeric", "has_gaps", "n_bins", "n_statistics")


def table_with(table: GrowTable, rows: Ids, columns: Ids) -> GrowTable:
    """Return a table of the given rows, in that order, with all data of the given columns.

    Columns keep their numbers; for the other columns there are only codes. No array is shared with
    the original table, so that its memory can be freed.
    """
    start, feature = _some_compressed(table.start, table.feature, rows)
    single_of, dense = table.single_of.copy(), table.dense.copy()
    if table.dense.shape != (0, 0):  # otherwise the ones are compressed, with unchanged numbers
        single_of, dense = _some(table.single_of, table.dense, rows, columns)
    levels_of, levels = _some(table.levels_of, table.levels, rows, columns)
    number_of, numbers = _some(table.number_of, table.numbers, rows, columns)
    bins_of, bins = _some(table.bins_of, table.bins, rows, columns)
    has_codes = table.codes.shape != (0, 0)
    return GrowTable(
        dense=dense,
        start=start,
        feature=feature,
        single_of=single_of,
        levels=levels,
        levels_of=levels_of,
        number_of=number_of,
        numbers=numbers,
        codes=np.take(table.codes, rows, axis=1) if has_codes else table.codes.copy(),
        bins=bins,
        bins_of=bins_of,
        weights=table.weights[rows],
        keys=table.keys[rows],
        **{name: getattr(table, name).copy() for name in _OF_COLUMNS},
    )


def joined_tables(tables: Sequence[GrowTable]) -> GrowTable:
    """Concatenate the rows of several tables."""
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


def _some(place_of: Offsets, cells: AnyArray, rows: Ids, columns: Ids) -> tuple[Offsets, AnyArray]:
    """Return the new position of each column, or -1, and the cells of some rows and columns."""
    kept = columns[place_of[columns] >= 0]
    places = np.full(place_of.size, -1)
    places[kept] = np.arange(kept.size)
    found = np.empty((kept.size, rows.size), cells.dtype)
    for own, place in zip(found, place_of[kept].tolist(), strict=True):
        np.take(cells[place], rows, out=own)
    return places, found


def _some_compressed(start: Offsets, feature: Ids, rows: Ids) -> tuple[Offsets, Ids]:
    if start.size == 1:
        return start.copy(), feature.copy()
    from softlearn.kernels.grow.slices import select  # noqa: PLC0415 - loads Numba

    same = np.arange(int(feature.max(initial=0)) + 1, dtype=np.int32)
    return select(start, feature, rows, same)
