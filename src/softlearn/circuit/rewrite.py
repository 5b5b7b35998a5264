"""A circuit over cells: columns with a scale become columns of levels, one for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit.columns import cells_of, same_shape
from softlearn.circuit.flat import Circuit
from softlearn.circuit.layout import NodeList, lay_out, starts
from softlearn.leaf import CATEGORICAL, FAMILIES, SCALED, Scaled
from softlearn.table.schema import Column


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
