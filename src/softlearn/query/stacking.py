"""Stack batches of evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.arrays import Bools
from softlearn.errors import EvidenceError
from softlearn.leaf import Interval
from softlearn.query.evidence import Evidence
from softlearn.table.schema import Column, Schema


def stack(parts: Sequence[Evidence], schema: Schema) -> Evidence:
    """Return the rows of all parts as one batch.

    Lists of numbers hold for all rows of a batch, so parts with a list cannot be stacked.
    """
    if any(part.listed for part in parts):
        raise EvidenceError("evidence with a list of numbers cannot be stacked with other evidence")
    sets = sorted({position for part in parts for position in part.sets})
    bounded = sorted({position for part in parts for position in part.intervals})
    return Evidence(
        np.concatenate([part.values for part in parts], axis=1),
        {i: np.concatenate([_set(part, i, schema.columns[i]) for part in parts]) for i in sets},
        {i: _stacked_bounds(parts, i, schema.columns[i]) for i in bounded},
    )


def _set(part: Evidence, position: int, column: Column) -> Bools:
    everything = np.ones((part.n_rows, column.n_levels), dtype=bool)
    return part.sets.get(position, everything)


def _stacked_bounds(parts: Sequence[Evidence], position: int, column: Column) -> Interval:
    bounds = [_bounds(part, position, column) for part in parts]
    return Interval(
        np.concatenate([one.lo for one in bounds]), np.concatenate([one.hi for one in bounds])
    )


def _bounds(part: Evidence, position: int, column: Column) -> Interval:
    """Return a part's interval; where missing cells are modelled, NaN is no restriction."""
    end = np.full(part.n_rows, np.nan if column.missing == "modelled" else np.inf)
    return part.intervals.get(position, Interval(-end, end))
