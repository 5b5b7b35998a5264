"""The joint probabilities of pairs of columns of a circuit over cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.query.evidence import Evidence
from softlearn.query.posteriors import posteriors


def joint_tables(twin: Circuit, positions: Sequence[int]) -> dict[tuple[int, int], Floats]:
    """Return the probability of each pair of cells, (cells, cells), for each pair of columns.

    One batch of evidence is enough for all pairs: a row for each cell of all columns but the last.
    """
    known = [(i, cell) for i in positions[:-1] for cell in range(twin.schema.columns[i].n_levels)]
    rows = Evidence.nothing(len(twin.schema), len(known))
    for row, (position, cell) in enumerate(known):
        rows.values[position, row] = cell
    found = posteriors(twin, rows, columns=list(positions), impossible="nan")
    probability = np.exp(found.log_likelihood)[:, None]
    owner = np.array([position for position, _ in known])
    return {
        (i, j): (probability * np.nan_to_num(found.levels(j)))[owner == i]
        for i, j in combinations(positions, 2)
    }
