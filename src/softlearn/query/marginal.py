"""The circuit over some of the columns: the others are summed out for good."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.circuit import Circuit, Node, Product, Sum, build_form, flatten
from softlearn.errors import SchemaError
from softlearn.table.schema import Schema


def marginal(circuit: Circuit, columns: Sequence[int]) -> Circuit:
    """Return the circuit of the joint distribution of some columns.

    Parameters
    ----------
    circuit
        The circuit over all columns.
    columns
        Positions of the columns to keep, in the order that the new schema shall have.
    """
    schema = circuit.schema
    if len(columns) == 0 or len(set(columns)) != len(columns):
        raise SchemaError("a marginal needs at least one column, and each only once")
    if not all(0 <= column < len(schema) for column in columns):
        raise SchemaError(f"columns must lie between 0 and {len(schema) - 1}, found {columns}")
    kept = Schema(tuple(schema.columns[column] for column in columns), schema.frame)
    root = _without(circuit, set(columns))
    return flatten(root, kept)


def _without(circuit: Circuit, keep: set[int]) -> Node:
    """Return the build form with all leaves over other columns left out.

    What remains of a product with one part left is that part; a sum all of whose branches vanish
    vanishes too, because its weights add to one.
    """
    readable = build_form(circuit)
    new: list[Node | None] = []
    in_scope = np.isin(circuit.leaf_column, list(keep))
    for node in range(circuit.n_nodes):
        if node < circuit.n_leaves:
            new.append(readable[node] if in_scope[node] else None)
            continue
        edges = slice(circuit.edge_start[node], circuit.edge_start[node + 1])
        parts = [part for part in (new[c] for c in circuit.child[edges]) if part is not None]
        if not parts:
            new.append(None)
        elif isinstance(readable[node], Sum):
            new.append(Sum(tuple(circuit.weight[edges].tolist()), tuple(parts)))
        else:
            new.append(parts[0] if len(parts) == 1 else Product(tuple(parts)))
    root = new[-1]
    if root is None:
        raise SchemaError("none of the columns is in the circuit")
    return root
