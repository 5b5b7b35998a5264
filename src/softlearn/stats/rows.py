"""A binary matrix of rows and features, dense or sparse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Bools, Ids, Kinds, Offsets

# With fewer ones than this share the indicators are compressed; benchmarks/learning: the dense pass
# costs about as much as a compressed one at this density.
_COMPRESSED_BELOW = 0.12


@dataclass(frozen=True, eq=False)
class Csr:
    """Compressed rows: row i has the features ``feature[start[i]:start[i + 1]]``, in order."""

    start: Offsets  # (rows + 1,)
    feature: Ids


def is_dense(n_ones: int, n_cells: int) -> bool:
    """Return whether a matrix with so many ones is faster dense than sparse."""
    return n_ones >= _COMPRESSED_BELOW * n_cells


def indicator_matrix(cells: Bools, *, dense: bool) -> Kinds | Csr:
    """Return a matrix (features, rows) of zeros and ones, or its compressed rows."""
    if dense:
        return cells.astype(np.uint8)
    row, feature = np.nonzero(cells.T)
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=cells.shape[1]))])
    return Csr(start.astype(np.int64), feature.astype(np.int32))
