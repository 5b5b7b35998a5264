"""Upper bounds of the dependence between columns, for circuits over levels."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit, single_column
from softlearn.numeric_policy import NORMALISATION_TOLERANCE
from softlearn.query.below import reach


def dependence_bound(twin: Circuit) -> Floats:
    """Return an upper bound of the mutual information of each column with all others, in nats.

    It is the mutual information of a column and the path through the circuit that leads to it.
    Where it is zero, the column is independent of all others; elsewhere it need not be dependent.
    """
    single, flow = single_column(twin), reach(twin, [[twin.root]])[:, 0]
    owner = twin.edge_owner
    enters = single[twin.child] & ~single[owner]
    entry = np.bincount(
        twin.child[enters], (flow[owner] * twin.weight)[enters], minlength=twin.n_nodes
    )
    if single[twin.root]:
        entry[twin.root] = 1.0
    inside, column_of = _single_shares(twin)
    bound = np.zeros(len(twin.schema))
    whole: dict[int, Floats] = {}
    for node in np.flatnonzero(entry > 0.0).tolist():
        column, share = column_of[node], inside[node]
        whole[column] = whole.get(column, np.zeros(share.size)) + entry[node] * share
        bound[column] -= entry[node] * _entropy(share)
    for column, share in whole.items():
        bound[column] += _entropy(share)
    return np.maximum(bound, 0.0)


def independent_columns(bound: Floats) -> list[int]:
    """Return the columns that are independent of all others."""
    return np.flatnonzero(bound <= NORMALISATION_TOLERANCE).tolist()


def _single_shares(twin: Circuit) -> tuple[dict[int, Floats], dict[int, int]]:
    """Return the probability of each cell at nodes over one column, and which column it is."""
    shares, column_of = {}, {}
    single = single_column(twin)
    for node in np.flatnonzero(single).tolist():
        if node < twin.n_leaves:
            shares[node] = twin.params[twin.param_start[node] : twin.param_start[node + 1]]
            column_of[node] = int(twin.leaf_column[node])
            continue
        edges = slice(twin.edge_start[node], twin.edge_start[node + 1])
        below = twin.child[edges].tolist()
        shares[node] = twin.weight[edges] @ np.array([shares[child] for child in below])
        column_of[node] = column_of[below[0]]
    return shares, column_of


def _entropy(share: Floats) -> float:
    there = share[share > 0.0]
    return -float((there * np.log(there)).sum())
