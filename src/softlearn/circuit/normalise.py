"""Normalise probabilities that were written with few digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats
from softlearn.circuit.flat import SUM, Circuit
from softlearn.leaf import CATEGORICAL, FAMILIES, HISTOGRAM, SCALED
from softlearn.numeric_policy import SUM_ROUNDING


def normalised(circuit: Circuit) -> Circuit:
    """Return a sound circuit whose weights and leaves each add to 1 but for rounding.

    What is accepted as sound may be off by a little in every node, which adds up in a product of
    thousands of columns. Numbers that are right but for rounding stay as they are, bit for bit.
    """
    is_weight = (circuit.kind == SUM)[circuit.edge_owner]
    weight = _scaled(circuit.weight, circuit.edge_owner, is_weight)
    leaf = np.repeat(np.arange(circuit.n_leaves), np.diff(circuit.param_start))
    params = _scaled(circuit.params, leaf, _is_probability(circuit))
    if weight is circuit.weight and params is circuit.params:
        return circuit
    return replace(circuit, weight=weight, params=params)


def _scaled(numbers: Floats, owner: AnyArray, counted: Bools) -> Floats:
    """Return the counted numbers divided by the total of their owner, if that is not 1."""
    if not numbers.size:
        return numbers
    n_owners = int(owner[-1]) + 1
    total = np.bincount(owner[counted], numbers[counted], n_owners)
    rounding = np.bincount(owner[counted], minlength=n_owners) * np.finfo(np.float64).eps
    rounded = np.abs(total - 1.0) <= np.maximum(SUM_ROUNDING, rounding)
    total[rounded | (total == 0.0)] = 1.0
    if (total == 1.0).all():
        return numbers
    return np.where(counted, numbers / total[owner], numbers)


def _is_probability(circuit: Circuit) -> Bools:
    """Return which parameters of leaves are probabilities that add to 1 in each leaf."""
    length = np.diff(circuit.param_start)
    place = np.arange(circuit.params.size) - np.repeat(circuit.param_start[:-1], length)
    family, size = np.repeat(circuit.leaf_family, length), np.repeat(length, length)
    return np.asarray(
        (family == FAMILIES.index(CATEGORICAL))
        | ((family == FAMILIES.index(HISTOGRAM)) & (place > size // 2))  # behind the edges
        | ((family == FAMILIES.index(SCALED)) & (place < size - 2))  # before mean and deviation
    )
