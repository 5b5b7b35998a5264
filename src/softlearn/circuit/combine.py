"""Several flat circuits as one: a mixture over the same columns, or a product of independent parts.

Nothing is rebuilt: the arrays are laid side by side below a new root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit.flat import PRODUCT, SUM, Circuit
from softlearn.circuit.layout import NodeList, lay_out, starts
from softlearn.circuit.properties import validate
from softlearn.errors import CircuitError
from softlearn.table.schema import Schema


def mixture(circuits: Sequence[Circuit], weights: Sequence[float] | None = None) -> Circuit:
    """Return the circuit whose density is the weighted mean of the circuits' densities.

    Parameters
    ----------
    circuits
        At least one, all with the same schema.
    weights
        How much each circuit counts; they are divided by their sum. By default all count alike.
    """
    if not circuits:
        raise CircuitError(["a mixture needs at least one circuit"])
    schema = circuits[0].schema
    if any(circuit.schema != schema for circuit in circuits):
        raise CircuitError(["the circuits of a mixture have different schemas; learn with one"])
    counted = np.ones(len(circuits)) if weights is None else np.array(weights, dtype=np.float64)
    if counted.shape != (len(circuits),):
        raise CircuitError([f"{len(circuits)} circuits need as many weights, not {counted.size}"])
    if not (np.isfinite(counted).all() and (counted >= 0.0).all() and counted.sum() > 0.0):
        raise CircuitError(["the weights of a mixture are finite, not negative and not all zero"])
    return _below_one_root(circuits, schema, [0] * len(circuits), SUM, counted / counted.sum())


def product(circuits: Sequence[Circuit]) -> Circuit:
    """Return the circuit of independent parts; its columns are theirs, one after the other.

    The kind of frame that it gives back is the first circuit's.
    """
    if not circuits:
        raise CircuitError(["a product needs at least one circuit"])
    columns = tuple(column for circuit in circuits for column in circuit.schema)
    schema = replace(circuits[0].schema, columns=columns)
    first_columns = starts([len(circuit.schema) for circuit in circuits])[:-1].tolist()
    return _below_one_root(circuits, schema, first_columns, PRODUCT, np.ones(len(circuits)))


def _below_one_root(
    circuits: Sequence[Circuit],
    schema: Schema,
    first_columns: list[int],
    kind: int,
    weights: Floats,
) -> Circuit:
    """Lay the circuits side by side, leaves sorted by family, below a new root."""
    if len(circuits) == 1:
        return replace(circuits[0], schema=schema)
    parts = [
        replace(nodes, column=nodes.column + first)
        for nodes, first in zip(map(NodeList.of, circuits), first_columns, strict=True)
    ]
    combined = lay_out(schema, NodeList.below_one_root(parts, kind, weights))
    validate(combined)
    return combined
