"""Remove cells that are impossible under the circuit from evidence."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.circuit import Circuit
from softlearn.query.evidence import Evidence
from softlearn.query.likelihood import log_likelihood


def without_impossible_cells(circuit: Circuit, values: Floats) -> Floats:
    """Return the rows with impossible cells treated as missing, like unknown levels.

    A cell is impossible if its value alone has probability zero, such as a number outside the bins
    of a histogram. If the cells of a row are possible one by one but not together, all are treated
    as missing.

    Parameters
    ----------
    circuit
        The circuit.
    values
        (columns, rows) encoded cells, NaN where missing.
    """
    suspects = np.flatnonzero(_impossible(circuit, values))
    if not suspects.size:
        return values
    rows = np.ascontiguousarray(values[:, suspects])
    for position in range(rows.shape[0]):
        alone = np.full_like(rows, np.nan)
        alone[position] = rows[position]
        rows[position, _impossible(circuit, alone)] = np.nan
    rows[:, _impossible(circuit, rows)] = np.nan
    kept = values.copy()
    kept[:, suspects] = rows
    return kept


def _impossible(circuit: Circuit, values: Floats) -> Bools:
    return np.isneginf(log_likelihood(circuit, Evidence(values)))
