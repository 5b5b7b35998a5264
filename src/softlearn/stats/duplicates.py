"""Merge equal rows."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Offsets, States


def merge_duplicates(values: Floats, weights: Floats) -> tuple[Floats, Floats, States]:
    """Return the different rows, in the order of their hashes, their weights, and the hashes.

    Parameters
    ----------
    values
        (columns, rows); NaN equals NaN, and 0.0 equals −0.0.
    weights
        (rows,).
    """
    from softlearn.kernels.grow.duplicates import are_like  # noqa: PLC0415 - loads Numba

    values = np.ascontiguousarray(values)
    bits, hashes = values.view(np.uint64), hashes_of(values)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    if not are_like(values, bits, first[group]):  # a collision of hashes
        first, group = _by_contents(values, hashes)
    merged = np.take(values, first, axis=1)
    order = np.lexsort((weights, group))  # so that the sums do not depend on the rows' order
    total = np.bincount(group[order], weights=weights[order])
    return merged, total.astype(np.float64), hashes[first]


def hashes_of(values: Floats) -> States:
    """Return a hash of the cells of each row, (rows,); `values` are (columns, rows)."""
    from softlearn.kernels.grow.duplicates import row_hashes  # noqa: PLC0415 - loads Numba

    values = np.ascontiguousarray(values)
    return row_hashes(values, values.view(np.uint64))


def _by_contents(values: Floats, hashes: States) -> tuple[Offsets, Offsets]:
    """Return one row of each group of equal rows, and each row's group.

    Groups are in the order of their hashes, and of their contents where these are the same.
    """
    numbers = np.where(np.isnan(values), np.inf, values + 0.0)  # −0.0 is 0.0
    contents = np.ascontiguousarray(numbers.T).view(np.dtype((np.void, 8 * len(numbers))))
    _, first, group = np.unique(contents.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(hashes[first], kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return first[order], place[group]
