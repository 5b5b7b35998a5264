"""One row of a batch of posteriors: summaries of all columns, distributions of some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.model import DensityDistribution
from softlearn.model.given import Given
from softlearn.model.posterior import of_column
from softlearn.query import Evidence, Posteriors
from softlearn.show.views.cut import even_edges
from softlearn.show.views.cuts import Cuts, Modes, Moments
from softlearn.show.views.values import Json, cell, number

QUANTILES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
_DIGITS_OF_BITS = 6  # after the point; more take longer to write than to compute
_OFF_AXIS = 0.02  # of the probability that may lie beyond an axis before it is widened
_WIDE_TAILS = np.array([0.005, 0.995])


@dataclass(frozen=True, eq=False)
class Batch:
    """Posteriors of several rows, and of a row about which nothing is known.

    Attributes
    ----------
    found, nothing
        The posteriors, and those of a row about which nothing is known.
    cuts
        The columns, cut into cells.
    shares
        (rows, cells) the probability of each level and cell.
    prior
        (cells,) the same if nothing is known.
    bits
        (rows, columns) how far each column has moved: its divergence from the prior, in bits.
    moments
        Means and deviations.
    weights
        (rows, leaves) of the leaves of columns of numbers.
    modes
        The most probable level of each column of levels.
    """

    found: Posteriors
    nothing: Posteriors
    cuts: Cuts
    shares: Floats
    prior: Floats
    bits: Floats
    moments: Moments
    weights: Floats
    modes: Modes

    @staticmethod
    def of(found: Posteriors, cuts: Cuts, prior: Floats, nothing: Posteriors) -> Batch:
        """Compute the posteriors and summaries of all rows together."""
        shares = cuts.shares(found)
        bits = np.asarray(divergence(shares, prior, cuts.start[:-1]) / np.log(2.0))
        moments, weights = cuts.moments(found), cuts.weights(found)
        modes = cuts.modes(shares)
        return Batch(found, nothing, cuts, shares, prior, bits, moments, weights, modes)


class OneRow:
    """The columns of one row.

    Columns of numbers with a condition are computed separately, because their leaves are truncated
    by it.
    """

    def __init__(self, batch: Batch, row: int, known: Given) -> None:
        self._batch, self._row, self._evidence = batch, row, known.evidence
        self._schema, self._cuts, self._shares = known.schema, batch.cuts, batch.shares[row]
        self._known = {self._schema.index(name) for name in known.conditions or {}}
        self._found = batch.found.rows([row])
        self._own = {
            i: _density(self._found, self._evidence, i)
            for i in self._known & set(self._cuts.numbers)
            if np.isnan(self._evidence.values[i, 0])
        }

    def summaries(self) -> list[Json]:
        """Return each column in a few numbers: how far it has moved, and where it is now."""
        batch, row = self._batch, self._row
        numbers = (*batch.moments, batch.modes.code, batch.modes.probability)
        mean, deviation, code, probability = (each[row].tolist() for each in numbers)
        bits = np.round(np.maximum(batch.bits[row], 0.0), _DIGITS_OF_BITS).tolist()
        found: list[Json] = []
        for i, column in enumerate(self._schema):
            one = {"name": column.name, "bits": bits[i], "known": i in self._known}
            if code[i] >= 0:
                one["mode"] = column.levels[code[i]]
                one["probability"] = probability[i]
            elif i not in self._known:
                one["mean"], one["deviation"] = number(mean[i]), number(deviation[i])
            else:
                one |= self._conditioned(i)
            found.append(one)
        return found

    def distributions(self, positions: Sequence[int]) -> list[Json]:
        """Return the whole distributions of some columns."""
        usual = [i for i in positions if self._is_usual(i)]
        weights = self._batch.weights[self._row]
        quantiles = self._cuts.quantiles(weights, usual, QUANTILES)
        return [
            self._numbers(i, quantiles[i], weights) if i in quantiles else self._other(i)
            for i in positions
        ]

    def _is_usual(self, position: int) -> bool:
        """Return whether a column of numbers has no condition, and stays on its axis."""
        if position not in self._cuts.numbers or position in self._known:
            return False
        share = self._share(position)
        return bool(share[0] + share[-1] <= _OFF_AXIS)

    def _share(self, position: int) -> Floats:
        return np.asarray(self._shares[self._cuts.cells_of(position)])

    def _numbers(self, position: int, quantiles: Floats, weights: Floats) -> Json:
        moments = self._batch.moments
        return {
            "name": self._schema.names[position],
            **_drawn(self._edges(position), self._share(position), None, quantiles),
            "missing": self._cuts.missing(weights, position),
            "mean": number(float(moments.mean[self._row, position])),
            "deviation": number(float(moments.deviation[self._row, position])),
        }

    def _other(self, position: int) -> Json:
        """Return a column of levels, a known value, or numbers with a condition or off the axis."""
        column = self._schema.columns[position]
        if column.is_discrete:
            return {"name": column.name, "probabilities": self._share(position).tolist()}
        value = float(self._evidence.values[position, 0])
        if not np.isnan(value):
            return {"name": column.name, "value": cell(column, value), "at": number(value)}
        density = self._own.get(position) or _density(self._found, self._evidence, position)
        if density.missing == 1.0:  # known to be missing: there is no number to draw
            return {"name": column.name, "value": None, "at": None}
        edges, before = self._edges(position), None
        found = density.drawing(edges, np.append(QUANTILES, _WIDE_TAILS))
        quantiles, shares = found.quantiles[: QUANTILES.size], found.shares
        if shares[0] + shares[-1] > _OFF_AXIS:
            low, high = found.quantiles[QUANTILES.size :].tolist()
            edges = even_edges(column, min(low, edges[0]), max(high, edges[-1]))
            shares = density.drawing(edges, np.empty(0)).shares
            before = self._before(position, edges)
        return {
            "name": column.name,
            **_drawn(edges, shares, before, quantiles),
            "missing": density.missing,
            "mean": number(found.mean),
            "deviation": number(density.std),
        }

    def _edges(self, position: int) -> Floats:
        return self._cuts.numbers[position].edges

    def _before(self, position: int, edges: Floats) -> Floats:
        """Return the shares of a column about which nothing is known, on another axis."""
        nothing = Evidence.nothing(len(self._schema))
        density = _density(self._batch.nothing, nothing, position)
        return density.drawing(edges, np.empty(0)).shares

    def _conditioned(self, position: int) -> Json:
        """Return a number with a condition; one whose value is known has moved without bound."""
        if position not in self._own:
            value = float(self._evidence.values[position, 0])
            return {"bits": None, "mean": number(value), "deviation": 0.0}
        density = self._own[position]
        if density.missing == 1.0:
            return {"bits": None, "mean": None, "deviation": None}
        found = density.drawing(self._edges(position), np.empty(0))
        prior = self._batch.prior[self._cuts.cells_of(position)]
        nats = float(divergence(found.shares[None], prior, np.zeros(1, dtype=np.intp))[0, 0])
        return {
            "bits": number(max(nats, 0.0) / float(np.log(2.0))),
            "mean": number(found.mean),
            "deviation": number(density.std),
        }


def divergence(share: Floats, prior: Floats, start: AnyArray) -> Floats:
    """Return Σ p log(p / q) over the cells from each start to the next, (rows, starts), in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share > 0.0, share * np.log(share / prior), 0.0)
    return np.asarray(np.add.reduceat(terms, start, axis=1))


def _density(found: Posteriors, evidence: Evidence, position: int) -> DensityDistribution:
    density = of_column(found, evidence, position)
    assert isinstance(density, DensityDistribution)
    return density


def _drawn(edges: Floats, share: Floats, before: Floats | None, quantiles: Floats) -> Json:
    """Return what a curve is drawn from; ``before`` only if the axis is not the usual one."""
    return {
        "axis": {"start": float(edges[0]), "stop": float(edges[-1]), "cells": edges.size - 1},
        "shares": share[1:-1].tolist(),
        "below": float(share[0]),
        "above": float(share[-1]),
        "before": None if before is None else before[1:-1].tolist(),
        "quantiles": [number(value) for value in quantiles.tolist()],
    }
