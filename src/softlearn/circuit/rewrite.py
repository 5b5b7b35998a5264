"""Derive circuits from circuits: over some of the columns, or with levels in place of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit.columns import cells_of, same_shape
from softlearn.circuit.flat import Circuit
from softlearn.circuit.flatten import build_form, flatten
from softlearn.circuit.layout import NodeList, lay_out, starts
from softlearn.circuit.nodes import Node, Product, Sum
from softlearn.errors import SchemaError
from softlearn.leaf import CATEGORICAL, FAMILIES, SCALED, Interval, Scaled
from softlearn.table.schema import Column, Schema


def over_cells(circuit: Circuit, inside: Mapping[int, Floats] | None = None) -> Circuit:
    """Return the circuit with a level for each cell of its columns with a scale.

    Inside a cell all leaves are alike, so that nothing is lost but where in a cell a value lies.

    Parameters
    ----------
    circuit
        The circuit; other columns stay as they are.
    inside
        For some columns with a scale, the share of each cell that lies in a region, (cells,).
        Levels then stand for what lies inside, and one more, the last, for all that does not.
    """
    inside = inside or {}
    columns = []
    for position, column in enumerate(circuit.schema.columns):
        cells = cells_of(column)
        if cells is None:
            columns.append(column)
            continue
        n = cells.n + (position in inside)
        columns.append(Column(column.name, "categorical", tuple(range(n)), reason="cells"))
    params = _in_cells(circuit, inside)
    nodes, leaves = NodeList.of(circuit), slice(0, circuit.n_leaves)
    family, n_params, first_param = nodes.family.copy(), nodes.n_params.copy(), nodes.n_params * 0
    family[nodes.family == FAMILIES.index(SCALED)] = FAMILIES.index(CATEGORICAL)
    n_params[leaves] = [own.size for own in params]
    first_param[leaves] = starts(n_params[leaves])[:-1]
    return lay_out(
        replace(circuit.schema, columns=tuple(columns)),
        replace(
            nodes,
            family=family,
            n_params=n_params,
            first_param=first_param,
            params=np.concatenate(params),
        ),
    )


def _in_cells(circuit: Circuit, inside: Mapping[int, Floats]) -> list[Floats]:
    """Return each leaf's parameters; of scaled leaves the probabilities of the cells."""
    found = np.split(circuit.params, circuit.param_start[1:-1])
    leaves = np.flatnonzero(circuit.leaf_family == FAMILIES.index(SCALED))
    for family, where, params in same_shape(circuit, leaves):
        assert isinstance(family, Scaled)
        probabilities = family.probabilities(params)
        share = inside.get(int(circuit.leaf_column[leaves[where[0]]]))
        if share is not None:
            probabilities = probabilities * share
            rest = np.maximum(1.0 - probabilities.sum(axis=1, keepdims=True), 0.0)
            probabilities = np.concatenate([probabilities, rest], axis=1)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        for leaf, own in zip(leaves[where].tolist(), probabilities, strict=True):
            found[leaf] = own
    return found


def over_parts(circuit: Circuit, cuts: Sequence[Floats]) -> Circuit:
    """Return the circuit whose leaves give the probability of each part of their columns.

    It has the same nodes, and all queries about discrete columns answer for it; nothing is
    approximated.

    Parameters
    ----------
    circuit
        The circuit.
    cuts
        For each column the inner bounds of its parts, ascending; n of them make n + 1 parts, and a
        value on a bound belongs to the lower one. Levels of a discrete column are its parts.
    """
    columns = [
        Column(
            column.name,
            "categorical",
            tuple(range(column.n_levels or own.size + 1)),
            reason="cut into parts",
        )
        for column, own in zip(circuit.schema, cuts, strict=True)
    ]
    schema = Schema(tuple(columns), "numpy")
    start = starts(np.array([column.n_levels for column in columns])[circuit.leaf_column])
    params = np.empty(start[-1])
    for position, own in enumerate(cuts):
        leaves = np.flatnonzero(circuit.leaf_column == position)
        found = _in_parts(circuit, leaves, own, columns[position].n_levels)
        params[start[leaves][:, None] + np.arange(columns[position].n_levels)] = found
    return replace(
        circuit,
        schema=schema,
        leaf_family=np.full(circuit.n_leaves, FAMILIES.index(CATEGORICAL), dtype=np.uint8),
        param_start=start,
        params=params,
    )


def _in_parts(circuit: Circuit, leaves: Offsets, cuts: Floats, n_parts: int) -> Floats:
    """Return the probability of each part at each leaf of its column, (leaves, parts)."""
    found = np.empty((leaves.size, n_parts))
    after = np.nextafter(cuts, np.inf)
    parts = Interval(np.append(-np.inf, after), np.append(cuts, np.inf))
    for family, where, params in same_shape(circuit, leaves):
        every = params[:, None, :]
        if family.discrete:
            found[where] = np.exp(family.log_density(every, np.arange(n_parts, dtype=np.float64)))
        else:
            found[where] = np.exp(family.log_mass(every, parts))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


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
