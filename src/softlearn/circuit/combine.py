"""Several flat circuits as one: a mixture over the same columns, or a product of independent parts.

Nothing is rebuilt: the arrays are laid side by side below a new root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.circuit.flat import LEAF, PRODUCT, SUM, Circuit
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
    first_columns = _starts([len(circuit.schema) for circuit in circuits])[:-1].tolist()
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
    family = np.concatenate([circuit.leaf_family for circuit in circuits])
    order = np.argsort(family, kind="stable").astype(np.int64)
    ids = _new_ids(circuits, order)
    n_params = np.concatenate([np.diff(circuit.param_start) for circuit in circuits])
    column = np.concatenate(
        [one.leaf_column + first for one, first in zip(circuits, first_columns, strict=True)]
    )
    inner = [slice(circuit.n_leaves, None) for circuit in circuits]
    n_edges = [np.diff(one.edge_start)[mine] for one, mine in zip(circuits, inner, strict=True)]
    kinds = [one.kind[mine] for one, mine in zip(circuits, inner, strict=True)]
    children = [new[one.child] for one, new in zip(circuits, ids, strict=True)]
    combined = Circuit(
        schema=schema,
        kind=np.concatenate([np.full(family.size, LEAF), *kinds, [kind]]),
        edge_start=_starts(
            np.concatenate([np.zeros(family.size, np.int64), *n_edges, [len(circuits)]])
        ),
        child=np.concatenate([*children, [new[-1] for new in ids]]),
        weight=np.concatenate([*(circuit.weight for circuit in circuits), weights]),
        leaf_column=column[order],
        leaf_family=family[order],
        param_start=_starts(n_params[order]),
        params=_reordered(np.concatenate([one.params for one in circuits]), n_params, order),
    )
    validate(combined)
    return combined


def _new_ids(circuits: Sequence[Circuit], order: Offsets) -> list[Ids]:
    """Return for each circuit the new number of each of its nodes."""
    n_leaves = order.size
    rank = np.empty(n_leaves, np.int32)
    rank[order] = np.arange(n_leaves)
    ids, leaf, inner = [], 0, n_leaves
    for circuit in circuits:
        n_inner = circuit.n_nodes - circuit.n_leaves
        mine = np.arange(inner, inner + n_inner, dtype=np.int32)
        ids.append(np.concatenate([rank[leaf : leaf + circuit.n_leaves], mine]))
        leaf += circuit.n_leaves
        inner += n_inner
    return ids


def _reordered(params: Floats, lengths: Offsets, order: Offsets) -> Floats:
    """Return the leaves' parameters in the new order of the leaves."""
    start = _starts(lengths)
    moved = lengths[order]
    step_in_leaf = np.arange(params.size) - np.repeat(_starts(moved)[:-1], moved)
    return np.asarray(params[np.repeat(start[:-1][order], moved) + step_in_leaf])


def _starts(lengths: list[int] | Offsets) -> Offsets:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
