"""Initial circuits over region graphs: leaves, products of all pairs, sums of all products."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit import Circuit
from softlearn.circuit.draft import Draft
from softlearn.learn.em_config import random_weights
from softlearn.learn.first_leaves import FirstLeaves
from softlearn.learn.region_graph import Region, RegionGraph

# How much of a sum's weight is on products of nodes that began with the same row as it. Of 0, 0.5
# and 0.9 on nltcs, after 50 passes of one seed: 0 is far behind, the others are alike.
_SAME_ROW: Final = 0.8


class Widths(NamedTuple):
    """How many nodes a region has.

    Attributes
    ----------
    sums
        Sums of each region that is split; the whole table has one.
    inputs
        Products of leaves of each region that is not split.
    mixes
        Whether the products of each split have sums of their own, which the region's sums mix, or
        the region's sums are over the products of all its splits.
    """

    sums: int
    inputs: int
    mixes: bool


class _Nodes(NamedTuple):
    """Nodes that sums can mix, and the row that each was initialised with, or -1."""

    ids: Offsets
    row: Offsets


def first_circuit(
    leaves: FirstLeaves, graph: RegionGraph, widths: Widths, rng: np.random.Generator
) -> Circuit:
    """Return a circuit over a region graph, with leaves and weights to start EM from.

    Node k of every region is initialised near the same random row k, so that nodes of different
    regions that describe the same rows start with large common weights.
    """
    draft = Draft(leaves.schema)
    rows = leaves.rows(max(widths.sums, widths.inputs), rng)
    nodes: list[_Nodes] = []
    for region, splits in zip(graph.regions, graph.partitions, strict=True):
        is_whole = len(nodes) == len(graph.regions) - 1
        n_sums = 1 if is_whole else widths.sums
        if splits:
            products = [_pairs(draft, nodes[one], nodes[other]) for one, other in splits]
            made = _sums(draft, products, n_sums, widths.mixes, rng)
        else:
            made = _inputs(draft, leaves, region, rows[: widths.inputs])
            made = _sums(draft, [made], 1, False, rng) if is_whole else made
        nodes.append(made)
    return draft.circuit(int(nodes[-1].ids[0]))


def _inputs(draft: Draft, leaves: FirstLeaves, region: Region, rows: Offsets) -> _Nodes:
    """Add a product of leaves over all columns of a region for each row."""
    own = [leaves.add(draft, column, rows) for column in region]
    ids = own[0] if len(own) == 1 else draft.add_products(np.stack(own, axis=1))
    return _Nodes(ids, np.arange(rows.size))


def _pairs(draft: Draft, one: _Nodes, other: _Nodes) -> _Nodes:
    """Add the products of all pairs."""
    first, second = np.repeat(np.arange(one.ids.size), other.ids.size), np.arange(other.ids.size)
    second = np.tile(second, one.ids.size)
    ids = draft.add_products(np.stack([one.ids[first], other.ids[second]], axis=1))
    return _Nodes(ids, np.where(one.row[first] == other.row[second], one.row[first], -1))


def _sums(
    draft: Draft, parts: list[_Nodes], n_sums: int, mixes: bool, rng: np.random.Generator
) -> _Nodes:
    """Add sums of all parts together, or of each part by itself and sums that mix these."""
    row = np.arange(n_sums) if n_sums > 1 else np.full(1, -1)
    if not mixes or len(parts) == 1:
        ids, began = (np.concatenate(each) for each in zip(*parts, strict=True))
        return _Nodes(draft.add_sums(ids, _weights(row, began, rng)), row)
    each = [draft.add_sums(part.ids, _weights(row, part.row, rng)) for part in parts]
    mixed = draft.add_sums(np.stack(each, axis=1), random_weights(n_sums, len(parts), rng))
    return _Nodes(mixed, row)


def _weights(row: Offsets, began: Offsets, rng: np.random.Generator) -> Floats:
    """Return random weights, larger on nodes that began with the same row, (sums, nodes)."""
    weights = random_weights(row.size, began.size, rng)
    same = (row[:, None] == began) & (row[:, None] >= 0)
    n_same = same.sum(axis=1, keepdims=True)
    preferred = np.where(n_same > 0, _SAME_ROW, 0.0)
    return np.asarray((1.0 - preferred) * weights + preferred * same / np.maximum(n_same, 1))
