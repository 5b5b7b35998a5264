"""How surprising each cell of a row is, given the others."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.query.evidence import Evidence
from softlearn.query.likelihood import log_likelihood


def surprises(circuit: Circuit, values: Floats) -> Floats:
    """Return −log P(cell | the row's other cells), (columns, rows), one pass per column.

    It is NaN where the cell is missing, or where the others are impossible without it, and
    infinite where the cell alone makes the row impossible.
    """
    whole = log_likelihood(circuit, Evidence(values))
    found = np.full(values.shape, np.nan)
    rest = values.copy()
    for position, cells in enumerate(values):
        rest[position] = np.nan
        others = log_likelihood(circuit, Evidence(rest))
        rest[position] = cells
        finite = ~np.isnan(cells) & ~np.isneginf(others)
        found[position, finite] = others[finite] - whole[finite]
    return found
