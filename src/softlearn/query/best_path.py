"""Max-product: the circuit with logarithms of weights, and the best path of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import SUM, Circuit

if TYPE_CHECKING:
    from softlearn.kernels.circuit.maximum import LogGraph

_GRAPHS: WeakKeyDictionary[Circuit, LogGraph] = WeakKeyDictionary()


def log_graph(circuit: Circuit) -> LogGraph:
    """Return the circuit's nodes, edges and logarithms of weights, made on first use."""
    from softlearn.kernels.circuit.maximum import LogGraph  # noqa: PLC0415 - loads Numba

    if circuit not in _GRAPHS:
        with np.errstate(divide="ignore"):
            log_weight = np.log(circuit.weight)
        is_sum = circuit.kind == SUM
        _GRAPHS[circuit] = LogGraph(
            circuit.edge_start, circuit.child, log_weight, is_sum, circuit.leaf_column
        )
    return _GRAPHS[circuit]


def best_leaves(circuit: Circuit, leaf_logs: Floats) -> Ids:
    """Return the leaf of each column on the best path of each row, (columns, rows).

    ``leaf_logs`` is (leaves, rows). Rows of probability zero get -1.
    """
    from softlearn.kernels.circuit.maximum import climb, trace_back  # noqa: PLC0415 - loads Numba

    graph, n_rows = log_graph(circuit), leaf_logs.shape[1]
    values = np.empty((circuit.n_nodes, n_rows))
    values[: circuit.n_leaves] = leaf_logs
    climb(graph, values)
    chosen = np.empty((len(circuit.schema), n_rows), np.int32)
    trace_back(graph, values, np.empty(len(circuit.schema), np.int32), chosen)
    return chosen
