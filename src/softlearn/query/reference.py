"""A slow and simple evaluator: the specification of the fast ones."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import SUM, Circuit
from softlearn.query.coding import log_base
from softlearn.query.evidence import Evidence
from softlearn.query.leaves import log_values


def node_log_values(circuit: Circuit, evidence: Evidence) -> Floats:
    """Return the log-probability of the evidence at every node, (nodes, rows).

    A number of a column with a scale counts by its cell.
    """
    leaves: Ids = np.arange(circuit.n_leaves, dtype=np.int32)
    values = np.empty((circuit.n_nodes, evidence.n_rows))
    values[: circuit.n_leaves] = log_values(circuit, leaves, evidence)
    for node in range(circuit.n_leaves, circuit.n_nodes):
        edges = slice(circuit.edge_start[node], circuit.edge_start[node + 1])
        below = values[circuit.child[edges]]
        if circuit.kind[node] == SUM:
            with np.errstate(divide="ignore"):
                branches = below + np.log(circuit.weight[edges])[:, None]
            values[node] = np.logaddexp.reduce(branches, axis=0)
        else:
            values[node] = below.sum(axis=0)
    return values


def log_likelihood(circuit: Circuit, evidence: Evidence) -> Floats:
    """Return the log-probability of each row of evidence, (rows,)."""
    values: Floats = node_log_values(circuit, evidence)[-1]
    return values + log_base(circuit.schema, evidence)
