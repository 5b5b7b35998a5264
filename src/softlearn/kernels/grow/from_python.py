"""Wrappers of inner functions for calls from Python; compiled only when they are used."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import allocating_kernel
from softlearn.kernels.grow.leaves import centred_moments
from softlearn.kernels.grow.slices import heavy, keep_heavy, take
from softlearn.kernels.grow.work import GrowTable, OpenSlice


@allocating_kernel
def take_rows(table: GrowTable, rows: Ids, weights: Floats, columns: Ids) -> RowData:
    """Cut some rows, with their weights, and columns out of a table."""
    return take(table, rows, weights, columns)


@allocating_kernel
def moments_of(cells: Floats, rows: Ids, weights: Floats, own: Floats) -> Floats:
    """Return the centred moments of some rows' cells."""
    found = np.empty(5)
    centred_moments(cells, rows, weights, own, found)
    return found


@allocating_kernel
def kept_rows(
    rows: Ids, weights: Floats, membership: Floats, own: Floats, least: float
) -> tuple[Ids, Floats, float]:
    """Return the rows that a cluster keeps, their weights, and the weight of all in it."""
    n, mass = heavy(rows, weights, membership, own, least)
    nothing: Offsets = np.zeros(0, np.int64)
    task = OpenSlice(rows, weights, rows[:0], nothing, 0, 0.0, np.uint64(0), 0, False, 0.0)
    kept, part = keep_heavy(task, membership, own, least, n)
    return kept, part, mass
