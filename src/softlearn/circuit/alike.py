"""Replace similar leaves of a column by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit.columns import same_shape
from softlearn.circuit.flat import Circuit
from softlearn.leaf import Family, Histogram
from softlearn.leaf.pooling import entropy, group_means, pooled


def with_alike_leaves(circuit: Circuit, mass: Floats, most: float) -> Circuit:
    """Return the circuit in which groups of leaves have the parameters of the group as a whole.

    Parameters
    ----------
    circuit
        The circuit.
    mass
        (leaves,) how many rows use each leaf, above 0.
    most
        The nats that the rows of a group may lose together.
    """
    params = circuit.params.copy()
    for family, leaves, own in _of_one_column(circuit):
        group = alike(family, own, mass[leaves], most)
        whole = pooled(family, own, mass[leaves], group)[group]
        has_others = np.bincount(group)[group] > 1
        places = circuit.param_start[leaves][:, None] + np.arange(own.shape[1])
        params[places[has_others]] = whole[has_others]
    return replace(circuit, params=params)


def alike(family: Family, params: Floats, mass: Floats, most: float) -> Offsets:
    """Return the group of each leaf, (leaves,): split in two until no group loses too much.

    What a group loses is the mass-weighted divergence of its leaves from the one that stands for
    them, which is the difference of entropies. A group is split where its leaves differ most, by
    the spread that a parameter has among all of them.
    """
    own = mass * entropy(family, params)
    spread = np.sqrt(group_means((params - params.mean(axis=0)) ** 2, mass, _one_group(mass)))
    place = params / np.where(spread > 0.0, spread, 1.0)
    group, n_groups = _one_group(mass), 0
    while group.max() + 1 > n_groups:  # a split has done something
        n_groups = int(group.max()) + 1
        whole = pooled(family, params, mass, group)
        lost = np.bincount(group, mass) * entropy(family, whole) - np.bincount(group, own)
        loses = lost > most
        middle = group_means(place, mass, group)
        widest = group_means((place - middle[group]) ** 2, mass, group).argmax(axis=1)[group]
        is_above = place[np.arange(group.size), widest] > middle[group, widest]
        group = np.unique(2 * group + (is_above & loses[group]), return_inverse=True)[1]
    return group


def _one_group(mass: Floats) -> Offsets:
    return np.zeros(mass.size, np.int64)


def _of_one_column(circuit: Circuit) -> Iterator[tuple[Family, Offsets, Floats]]:
    """Yield (family, leaves, parameters) of leaves that one leaf can stand for."""
    for column in range(len(circuit.schema)):
        leaves = np.flatnonzero(circuit.leaf_column == column)
        for family, where, params in same_shape(circuit, leaves):
            if not isinstance(family, Histogram):
                yield family, leaves[where], params
                continue
            n_edges = (params.shape[1] + 1) // 2
            of_edges = np.unique(params[:, :n_edges], axis=0, return_inverse=True)[1]
            for own in range(of_edges.max() + 1):
                which = of_edges == own
                yield family, leaves[where][which], params[which]
