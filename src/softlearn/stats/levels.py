"""The total weight of each level of a column."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.table.schema import Schema


def level_weights(values: Floats, weights: Floats, schema: Schema) -> tuple[Floats, ...]:
    """Return for each column the weight of each of its levels; nothing for numbers."""
    found = []
    for column, cells in zip(schema.columns, values, strict=True):
        seen = ~np.isnan(cells) & column.is_discrete
        counts = np.bincount(cells[seen].astype(np.intp), weights[seen], column.n_levels)
        found.append(counts.astype(np.float64))
    return tuple(found)
