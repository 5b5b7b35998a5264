"""Merge rows that are alike."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, States


def merge_duplicates(values: Floats, weights: Floats) -> tuple[Floats, Floats, States]:
    """Return the different rows, ordered by their contents alone, their weights, and hashes.

    Parameters
    ----------
    values
        (columns, rows); cells that are NaN are alike, and so are 0.0 and −0.0.
    weights
        (rows,).
    """
    from softlearn.kernels.grow.duplicates import are_like, row_hashes  # noqa: PLC0415 - loads Numba

    values = np.ascontiguousarray(values)
    bits = values.view(np.uint64)
    hashes = row_hashes(values, bits)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    if not are_like(values, bits, first[group]):  # two contents, one hash
        numbers = np.where(np.isnan(values), np.inf, values + 0.0)  # −0.0 is 0.0
        contents = np.ascontiguousarray(numbers.T).view(np.dtype((np.void, 8 * len(numbers))))
        _, first, group = np.unique(contents.ravel(), return_index=True, return_inverse=True)
    merged = np.take(values, first, axis=1)
    order = np.lexsort((weights, group))  # so that the sums do not depend on the rows' order
    total = np.bincount(group[order], weights=weights[order])
    return merged, total.astype(np.float64), hashes[first]
