"""What leaves need to know of their columns: the cells of those that have a scale."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.circuit.flat import Circuit
from softlearn.leaf import FAMILIES, Cells, Family
from softlearn.table.schema import Column


def cells_of(column: Column) -> Cells | None:
    """Return the cells of a column with a scale; None for others."""
    return None if column.scale is None else _cells(column)


@lru_cache(maxsize=4096)
def _cells(column: Column) -> Cells:
    scale = column.scale
    assert scale is not None
    left, right, share = np.array([scale.left, scale.right, scale.share], dtype=np.float64)
    atom = np.array(scale.atom, dtype=bool)
    if column.missing == "modelled":
        left, right = np.append(left, np.inf), np.append(right, np.inf)
        share = np.append(share * (1.0 - scale.missing_share), scale.missing_share)
        atom = np.append(atom, True)
    values = np.array(scale.values, dtype=np.float64)
    bins, humps = (np.array(first, dtype=np.int64) for first in (scale.bins, scale.humps))
    further = (scale.decimals, values, scale.stray, bins, humps)
    return Cells(left, right, share, atom, scale.step, *further)


def same_shape(circuit: Circuit, leaves: AnyArray) -> Iterator[tuple[Family, Offsets, Floats]]:
    """Yield (family, positions in ``leaves``, their parameters as a matrix).

    A group has one family, one number of parameters and, if its column has cells, one column.
    """
    length = circuit.param_start[leaves + 1] - circuit.param_start[leaves]
    family = circuit.leaf_family[leaves].astype(np.int64)
    column = circuit.leaf_column[leaves].astype(np.int64)
    has_cells = np.array([about.scale is not None for about in circuit.schema.columns])
    of_column = np.where(has_cells[column], column + 1, 0)
    key = (family * (len(circuit.schema) + 1) + of_column) * (1 + int(length.max(initial=0)))
    key += length
    alike = key.size > 0 and bool((key == key[0]).all())  # as most are: no need to sort
    for value in key[:1] if alike else np.unique(key):
        where = np.flatnonzero(key == value)
        first = where[0]
        params = circuit.params[
            circuit.param_start[leaves[where]][:, None] + np.arange(length[first])
        ]
        about = circuit.schema.columns[int(column[first])]
        yield FAMILIES[int(family[first])].on(cells_of(about)), where, params
