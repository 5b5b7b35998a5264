"""The sufficient statistics of each leaf for weighted rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids
from softlearn.circuit import Circuit, same_shape
from softlearn.kernels.circuit.program import LeafTotals
from softlearn.leaf import (
    Categorical,
    CategoricalStats,
    Family,
    Gaussian,
    GaussianStats,
    Histogram,
    HistogramStats,
    Scaled,
    ScaledStats,
    Stats,
)
from softlearn.query.leaf_layout import LeafLayout


@dataclass(frozen=True, eq=False)
class LeafStatistics:
    """The sufficient statistics of every leaf, as defined by its family.

    The weight of a row in a leaf is its own weight times the probability that it reaches the leaf.
    Rows without evidence about the leaf's column add nothing: fitting a leaf to the other rows is a
    step of expectation-maximisation, and a leaf that no such row reaches (``observed`` is 0) keeps
    its parameters. A row with a set or an interval adds the leaf's expectation inside it.
    """

    circuit: Circuit
    layout: LeafLayout
    totals: LeafTotals

    @cached_property
    def observed(self) -> Floats:
        """(leaves,) the weight of the rows with evidence about the leaf's column."""
        weight = self.totals.weight.copy()
        counted = np.flatnonzero(self.layout.coding >= 0)
        if counted.size:
            starts = self.layout.code_start[counted]
            weight[counted] = np.add.reduceat(self.totals.codes, starts)
        return weight

    def codes(self, leaf: int) -> Floats:
        """Return the weight of each level, cell or bin of a leaf, (codes,); Gaussians have none."""
        start = self.layout.code_start[leaf]
        return self.totals.codes[start : start + self.layout.n_codes[leaf]]

    def counts(self, leaves: Ids) -> Floats:
        """Return the weight of each code of leaves with equally many codes, (leaves, codes)."""
        n_codes = int(self.layout.n_codes[leaves[0]])
        places = self.layout.code_start[leaves][:, None] + np.arange(n_codes)
        return np.asarray(self.totals.codes[places])

    def of(self, leaf: int) -> Stats:
        """Return the statistics of one leaf, which its family can ``merge`` and ``finish``."""
        (_, _, stats), *_ = self._groups(np.array([leaf]))
        return _one(stats, 0)

    def groups(self) -> Iterator[tuple[Family, Ids, Stats]]:
        """Yield (family, leaves, statistics) of leaves that have one shape.

        The fields of the statistics are those of one leaf with an axis over the leaves in front.
        """
        yield from self._groups(np.arange(self.circuit.n_leaves))

    def _groups(self, leaves: AnyArray) -> Iterator[tuple[Family, Ids, Stats]]:
        for family, where, params in same_shape(self.circuit, leaves):
            sizes = self.layout.n_codes[leaves[where]]
            for n_codes in np.unique(sizes).tolist():
                some = np.flatnonzero(sizes == n_codes)
                mine = leaves[where[some]].astype(np.int32)
                yield family, mine, self._stats(family, mine, params[some], n_codes)

    def _stats(self, family: Family, leaves: Ids, params: Floats, n_codes: int) -> Stats:
        totals = self.totals
        if isinstance(family, Gaussian):
            return _of_many(
                weight=totals.weight[leaves],
                pairs=totals.pairs[leaves],
                centre=self.layout.centre[leaves],
                offset=totals.offset[leaves],
                scatter=totals.scatter[leaves],
            )
        counts = self.counts(leaves)
        if isinstance(family, Categorical):
            return CategoricalStats(counts)
        if isinstance(family, Histogram):
            return HistogramStats(params[:, : n_codes + 1], counts)
        assert isinstance(family, Scaled)
        assert family.cells is not None
        rest = ~family.cells.atom
        moments = _moments(counts[:, rest], family.cells.score[rest], totals.pairs[leaves])
        bins = np.zeros((family.cells.n_bins, leaves.size))
        np.add.at(bins, family.cells.bin_of[rest], counts[:, rest].T)
        return ScaledStats(counts[:, ~rest], bins.T, moments)

    def merge(self, other: LeafStatistics) -> LeafStatistics:
        """Return the statistics of both blocks of rows, for the same circuit."""
        return LeafStatistics(self.circuit, self.layout, merged(self.totals, other.totals))


def merged(a: LeafTotals, b: LeafTotals) -> LeafTotals:
    """Return the totals of two blocks of rows."""
    weight = a.weight + b.weight
    apart = b.offset - a.offset
    share = b.weight / np.where(weight > 0.0, weight, 1.0)
    return LeafTotals(
        codes=a.codes + b.codes,
        weight=weight,
        pairs=a.pairs + b.pairs + 2.0 * a.weight * b.weight,
        offset=a.offset + apart * share,
        scatter=a.scatter + b.scatter + apart * apart * (a.weight * share),
    )


# The same statistics with an array in each field, (leaves,).
_of_many: Callable[..., GaussianStats] = GaussianStats


def _moments(counts: Floats, score: Floats, pairs: Floats) -> GaussianStats:
    """Return centred moments of scores that occur by these weights, (leaves, scores)."""
    weight = counts.sum(axis=1)
    if score.size == 0:
        nothing = np.zeros(weight.size)
        return _of_many(weight, pairs, nothing, nothing, nothing)
    centre = score[np.argmax(counts, axis=1)]
    gap = score - centre[:, None]
    total = np.where(weight > 0.0, weight, 1.0)
    offset = (counts * gap).sum(axis=1) / total
    scatter = (counts * (gap - offset[:, None]) ** 2).sum(axis=1)
    return _of_many(weight, pairs, centre, offset, scatter)


def _one(stats: Stats, position: int) -> Stats:
    """Return the statistics of one leaf out of those of many."""
    parts = [_one(part, position) if isinstance(part, tuple) else part[position] for part in stats]
    return type(stats)(*parts)
