"""A 0/1 matrix of rows and features, whole or by its ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Ids, Kinds, Offsets

# With fewer ones than this share the indicators are compressed; benchmarks/learning: the dense pass
# costs about as much as a compressed one at this density.
_COMPRESSED_BELOW = 0.12


@dataclass(frozen=True, eq=False)
class Csr:
    """Compressed rows: row i has the features ``feature[start[i]:start[i + 1]]``, in order."""

    start: Offsets  # (rows + 1,)
    feature: Ids


def indicator_matrix(row: AnyArray, feature: AnyArray, n_rows: int, n_features: int) -> Kinds | Csr:
    """Return the matrix (features, rows) with these ones, in the form that is faster to walk.

    Parameters
    ----------
    row, feature
        Where the ones are; the features of a row come in order.
    n_rows, n_features
        The shape.
    """
    if row.size >= _COMPRESSED_BELOW * n_rows * n_features:
        dense = np.zeros((n_features, n_rows), np.uint8)
        dense[feature, row] = 1
        return dense
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))])
    by_row = np.argsort(row, kind="stable")
    return Csr(start.astype(np.int64), feature[by_row].astype(np.int32))
