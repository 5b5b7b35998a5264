"""Summarise a table in several passes, until heavy values are counted exactly.

A bin of numbers whose leading bits agree may hold much of a column, because its values are close
together or one of them is very frequent. A further pass divides these bins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from softlearn.table.joining import Bins
from softlearn.table.summary import ColumnSummary, TableSummary

HEAVY: Final = 0.0005  # share of the rows: half of that of a value with a cell of its own
_MOST_PASSES: Final = 4


def in_passes(summary_of: Callable[[Mapping[str, Bins] | None], TableSummary]) -> TableSummary:
    """Return a summary of a table with one value for each bin.

    `summary_of` passes over all rows and summarises all columns, or only the values within some
    bins of some columns.
    """
    found = summary_of(None)
    for _ in range(_MOST_PASSES):
        heavy = {
            column.cells.name: bins for column in found.columns if (bins := _heavy(column)).low.size
        }
        if not heavy:
            break
        closer = dict(zip(heavy, summary_of(heavy).columns, strict=True))
        columns = [
            _refined(column, heavy[name], closer[name]) if name in heavy else column
            for name, column in zip(found.names, found.columns, strict=True)
        ]
        found = replace(found, columns=tuple(columns))
    return found.settled()


def _heavy(column: ColumnSummary) -> Bins:
    """Return the bins of several values that hold much of a column."""
    bins = column.bins
    is_heavy = (bins.high > bins.low) & (bins.weight > HEAVY * bins.weight.sum())
    return Bins(bins.low[is_heavy], bins.high[is_heavy], bins.weight[is_heavy])


def _refined(column: ColumnSummary, heavy: Bins, closer: ColumnSummary) -> ColumnSummary:
    """Return a column with its heavy bins replaced by their closer summary."""
    bins, finer = column.bins, closer.bins
    stays = ~np.isin(bins.low, heavy.low)
    low, high, weight = (
        np.concatenate([old[stays], new]) for old, new in zip(bins[:3], finer[:3], strict=True)
    )
    order = np.argsort(low, kind="stable")
    return column.with_bins(Bins(low[order], high[order], weight[order], bins.dropped))
