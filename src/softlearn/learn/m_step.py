"""The M-step of EM: new weights and leaf parameters from expected statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Bools, Floats, Ids
from softlearn.circuit import SUM, Circuit, with_parameters
from softlearn.leaf import (
    Family,
    Gaussian,
    GaussianStats,
    Histogram,
    LeafOptions,
    Scaled,
    ScaledStats,
    Stats,
)
from softlearn.learn.blocks import Block
from softlearn.numeric_policy import RELATIVE_DEVIATION_FLOOR, SCALE_SMOOTHING, SMALLEST_PROBABILITY
from softlearn.query.leaf_statistics import LeafStatistics
from softlearn.table.schema import Schema


@dataclass(frozen=True, eq=False)
class PseudoRows:
    """Pseudo-counts of sums and leaves, which regularise nodes that few rows reach.

    Attributes
    ----------
    of_sum
        Rows that every sum counts in addition, divided equally among its edges.
    of_levels
        For each column the rows that its leaves count for each level; empty for numbers.
    of_bin
        Rows that every bin of a histogram counts.
    of_number
        Rows that every Gaussian leaf counts, with the mean and deviation of its column.
    of_scale
        Weight of the column's own distribution, in rows, in a leaf over cells.
    centre, spread
        (columns,) mean and deviation of plain numbers; 0 and 1 for other columns.
    floor
        Smallest deviation of a leaf as a share of its column's, unless it was smaller already.
    """

    of_sum: float
    of_levels: tuple[Floats, ...]
    of_bin: float
    of_number: float
    of_scale: float
    centre: Floats
    spread: Floats
    floor: float = RELATIVE_DEVIATION_FLOOR

    @staticmethod
    def none(schema: Schema, floor: float = RELATIVE_DEVIATION_FLOOR) -> PseudoRows:
        """Return no pseudo-rows, for columns of plain numbers with a deviation of about 1."""
        levels = tuple(np.zeros(column.n_levels) for column in schema)
        n = len(schema)
        return PseudoRows(0.0, levels, 0.0, 0.0, 0.0, np.zeros(n), np.ones(n), floor)

    @staticmethod
    def like(
        block: Block,
        schema: Schema,
        of_levels: Sequence[Floats],
        *,
        of_sum: float,
        of_leaf: float,
        floor: float = RELATIVE_DEVIATION_FLOOR,
    ) -> PseudoRows:
        """Return pseudo-rows with the means and deviations of the block's columns."""
        centre, spread = np.zeros(len(schema)), np.ones(len(schema))
        for i, column in enumerate(schema):
            if not column.is_discrete and column.scale is None:
                centre[i], spread[i] = _moments(block.values[i], block.weights)
        of_scale = SCALE_SMOOTHING if of_leaf > 0.0 else 0.0
        return PseudoRows(
            of_sum, tuple(of_levels), of_leaf, of_leaf, of_scale, centre, spread, floor
        )


def _moments(cells: Floats, weights: Floats) -> tuple[float, float]:
    known = ~np.isnan(cells) & (weights > 0.0)
    if not known.any():
        return 0.0, 1.0
    mean = float(np.average(cells[known], weights=weights[known]))
    deviation = float(np.sqrt(np.average((cells[known] - mean) ** 2, weights=weights[known])))
    size = abs(mean)
    return mean, deviation if deviation > np.finfo(np.float64).eps * size else 1.0


def refitted(circuit: Circuit, edge: Floats, leaves: LeafStatistics, pseudo: PseudoRows) -> Circuit:
    """Return the circuit with the parameters that fit the statistics best.

    Nodes that no row reaches keep their parameters. Without pseudo-rows the likelihood never falls:
    leaves are fitted by maximum likelihood and, where that has no closed form, keep their
    parameters if the new ones are worse.

    Parameters
    ----------
    circuit
        The circuit that the statistics are of, or one with other numbers.
    edge
        (edges,) the flow through each edge.
    leaves
        The statistics of the leaves.
    pseudo
        The pseudo-counts.
    """
    params = circuit.params.copy()
    for family, mine, stats in leaves.groups():
        at = circuit.param_start[mine][:, None]
        at = at + np.arange(circuit.param_start[mine[0] + 1] - circuit.param_start[mine[0]])
        old = params[at]
        known = leaves.observed[mine] > SMALLEST_PROBABILITY
        if known.any():
            some = mine[known]
            group = _Group(circuit, family, some, old[known], leaves.counts(some), pseudo)
            params[at[known]] = group.fitted(_some(stats, known))
    return with_parameters(circuit, weight=_weights(circuit, edge, pseudo.of_sum), params=params)


def _weights(circuit: Circuit, edge: Floats, pseudo: float) -> Floats:
    """Return the share of each edge in the flow of its sum; sums without any keep theirs."""
    owner = circuit.structure.edge_owner
    n_children = np.diff(circuit.edge_start)
    counted = edge + (pseudo / np.maximum(n_children, 1))[owner]
    total = np.bincount(owner, counted, circuit.n_nodes)
    into = np.bincount(owner, edge, circuit.n_nodes)
    changes = (circuit.kind == SUM)[owner] & (into[owner] > SMALLEST_PROBABILITY)
    return np.where(changes, counted / np.where(changes, total[owner], 1.0), circuit.weight)


@dataclass(frozen=True, eq=False)
class _Group:
    """Leaves of one shape that some rows reach."""

    circuit: Circuit
    family: Family
    leaves: Ids  # (leaves,)
    old: Floats  # (leaves, n)
    counts: Floats  # (leaves, codes)
    pseudo: PseudoRows

    def fitted(self, stats: Stats) -> Floats:
        """Return their new parameters."""
        family, pseudo = self.family, self.pseudo
        if isinstance(family, Gaussian):
            return self._gaussian(stats)
        if isinstance(family, Scaled):
            return self._scaled(family, stats)
        if isinstance(family, Histogram):
            return family.finish(stats, LeafOptions(smoothing=pseudo.of_bin))
        column = self.circuit.leaf_column[self.leaves]
        columns, which = np.unique(column, return_inverse=True)
        counts = np.stack([pseudo.of_levels[i] for i in columns.tolist()])[which]
        return family.finish(stats, LeafOptions(smoothing=counts))

    def _gaussian(self, stats: GaussianStats) -> Floats:
        """Return weighted means and deviations, without Bessel's correction."""
        column = self.circuit.leaf_column[self.leaves]
        weight, centre = np.asarray(stats.weight), np.asarray(stats.centre)
        share = self.pseudo.of_number / (weight + self.pseudo.of_number)
        gap = self.pseudo.centre[column] - centre - stats.offset
        spread = self.pseudo.spread[column]
        within = (1.0 - share) * (stats.scatter / weight) + share * spread**2
        variance = within + share * (1.0 - share) * gap**2
        floor = np.minimum(self.pseudo.floor * spread, self.old[:, 1])
        deviation = np.maximum(np.sqrt(variance), floor)
        return np.stack([centre + stats.offset + share * gap, deviation], axis=-1)

    def _scaled(self, family: Scaled, stats: ScaledStats) -> Floats:
        """Return the parameters by moments of the scores, where they are no worse than before."""
        weight = np.asarray(stats.rest.weight)
        rest = stats.rest._replace(pairs=weight**2)  # no Bessel's correction
        smallest = float(min(self.pseudo.floor, self.old[:, -1].min()))
        options = LeafOptions(smoothing=self.pseudo.of_scale, deviation_floor=smallest)
        new = family.finish(stats._replace(rest=rest), options)
        if self.old.shape[1] < new.shape[1]:  # keep one probability for all bins
            ends = np.cumsum([0, stats.atoms.shape[-1], stats.bins.shape[-1]])
            together = new[:, ends[1] : ends[2]].sum(axis=1, keepdims=True)
            new = np.concatenate([new[:, : ends[1]], together, new[:, ends[2] :]], axis=1)
        new[:, -1] = np.maximum(new[:, -1], np.minimum(self.pseudo.floor, self.old[:, -1]))
        better = self._score(family, new) > self._score(family, self.old)
        return np.where(better[:, None], new, self.old)

    def _score(self, family: Scaled, params: Floats) -> Floats:
        """Return the log-likelihood of the leaves' counts, including pseudo-rows."""
        of_cells = _log_likelihood(self.counts, family.probabilities(params))
        return of_cells + _log_likelihood(np.array(self.pseudo.of_scale), params[:, -3:-2])


def _log_likelihood(counts: Floats, probabilities: Floats) -> Floats:
    """Return the sum of count times log-probability; 0 · log 0 is 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities, where=counts > 0.0, out=np.zeros(probabilities.shape))
    return np.asarray((counts * logs).sum(axis=-1))


def _some(stats: Stats, which: Bools) -> Stats:
    """Return the statistics of some of many leaves."""
    parts = [_some(part, which) if isinstance(part, tuple) else part[which] for part in stats]
    return type(stats)(*parts)
