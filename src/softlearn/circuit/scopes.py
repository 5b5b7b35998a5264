"""The scope of each node: the columns below it."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools
from softlearn.circuit.flat import SUM, Circuit


def scopes(circuit: Circuit) -> list[int]:
    """Return the columns below each node, as a whole number with one bit per column."""
    found = [1 << column for column in circuit.leaf_column.tolist()]
    starts, children = circuit.edge_start.tolist(), circuit.child.tolist()
    for node in range(circuit.n_leaves, circuit.n_nodes):
        below = children[starts[node] : starts[node + 1]]
        if circuit.kind[node] == SUM:
            found.append(found[below[0]])  # all branches speak of the same columns
        else:
            found.append(sum(found[child] for child in below))  # no two share one
    return found


def single_column(circuit: Circuit) -> Bools:
    """Return which nodes speak of one column only, (nodes,)."""
    return np.array([scope.bit_count() == 1 for scope in scopes(circuit)])
