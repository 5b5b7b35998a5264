"""The cells of columns with a scale, as leaves read them."""

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


_FEW = 4


def _numbers_from(params: Floats, start: Offsets, length: int) -> Floats:
    """Return as many numbers from each place on, (places, length)."""
    if 0 < length <= _FEW:  # one after the other takes half the time
        return np.array([params[start + i] for i in range(length)]).T
    return np.asarray(params[start[:, None] + np.arange(length)])


def same_shape(circuit: Circuit, leaves: AnyArray) -> Iterator[tuple[Family, Offsets, Floats]]:
    """Yield (family, positions in ``leaves``, their parameters as a matrix).

    A group has one family, one number of parameters and, if its column has cells, one column.
    """
    key = circuit.leaf_shape[leaves]
    alike = key.size > 0 and bool((key == key[0]).all())  # as most are: no need to sort
    for value in key[:1] if alike else np.unique(key):
        where = np.arange(key.size) if alike else np.flatnonzero(key == value)
        own = leaves if alike else leaves[where]
        first = int(own[0])
        start = circuit.param_start[own]
        length = int(circuit.param_start[first + 1] - circuit.param_start[first])
        params = _numbers_from(circuit.params, start, length)
        about = circuit.schema.columns[int(circuit.leaf_column[first])]
        yield FAMILIES[int(circuit.leaf_family[first])].on(cells_of(about)), where, params
