"""Weighted moments of many numeric columns at once."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.kernels.compile import kernel


@kernel
def centred_moments(
    values: Floats, columns: Ids, rows: Ids, weights: Floats, own: Floats
) -> Floats:
    """Return the fields of ``GaussianStats`` for some columns of some rows, (columns, 5).

    c equal rows of the table were merged to one that weighs `own` = c, so of w in the node each
    has w / c, and they add w² / c to the sum of squares. Missing cells do not count.
    """
    found = np.zeros((columns.size, 5))
    for j in range(columns.size):
        cells = values[columns[j]]
        weight, squares, heaviest, centre = 0.0, 0.0, 0.0, 0.0
        for i in range(rows.size):
            x, w = cells[rows[i]], weights[i]
            if x == x:
                weight += w
                squares += w * w / own[rows[i]]
                if w > heaviest:
                    heaviest, centre = w, x
        offset = 0.0
        for i in range(rows.size):
            x = cells[rows[i]]
            offset += weights[i] * (x - centre) if x == x else 0.0
        offset = offset / weight if weight > 0.0 else 0.0
        scatter = 0.0
        for i in range(rows.size):
            x = cells[rows[i]]
            gap = x - centre - offset
            scatter += weights[i] * gap * gap if x == x else 0.0
        found[j, 0], found[j, 1] = weight, max(weight * weight - squares, 0.0)
        found[j, 2], found[j, 3], found[j, 4] = centre, offset, scatter
    return found


@kernel
def bin_weights(
    codes: Floats, bin_of: Ids, columns: Ids, rows: Ids, weights: Floats, n_bins: int
) -> Floats:
    """Return the weight of some rows in each coarse bin of some columns, (columns, n_bins).

    ``codes`` are cells, NaN where missing; ``bin_of`` (columns, cells) is -1 for atoms.
    """
    found = np.zeros((columns.size, n_bins))
    for j in range(columns.size):
        cells, bins = codes[columns[j]], bin_of[columns[j]]
        for i in range(rows.size):
            code = cells[rows[i]]
            if code == code:
                place = bins[int(code)]
                if place >= 0:
                    found[j, place] += weights[i]
    return found
