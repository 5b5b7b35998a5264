"""One row of a batch of posteriors: every column in a few numbers, some with all of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softlearn.arrays import Floats
from softlearn.model import DensityDistribution
from softlearn.model.given import Given
from softlearn.model.posterior import of_column
from softlearn.query import Evidence, Posteriors
from softlearn.show.views.cut import CutNumbers, Moments, even_edges
from softlearn.show.views.values import Json, cell, number

QUANTILES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
_OFF_AXIS = 0.02  # of the probability that may lie beyond an axis before it is widened
_WIDE_TAILS = np.array([0.005, 0.995])


@dataclass(frozen=True, eq=False)
class Batch:
    """Posteriors of several rows, and of a row about which nothing is known.

    Attributes
    ----------
    found
        The posteriors.
    numbers
        The columns of numbers or times, cut into cells.
    shares
        The probability of each column's levels or cells, each (rows, cells).
    prior
        The same if nothing is known, each (cells,).
    nothing
        The posteriors of a row about which nothing is known.
    """

    found: Posteriors
    numbers: Mapping[int, CutNumbers]
    shares: Sequence[Floats]
    prior: Sequence[Floats]
    nothing: Posteriors

    @cached_property
    def bits(self) -> Floats:
        """(columns, rows) how far each column has moved: its divergence from the prior, in bits."""
        pairs = zip(self.shares, self.prior, strict=True)
        nats = np.array([divergence(share, prior) for share, prior in pairs])
        return np.asarray(nats / np.log(2.0))

    @cached_property
    def moments(self) -> dict[int, Moments]:
        """The mean and deviation of columns of numbers or times in each row."""
        return {position: cut.moments(self.found) for position, cut in self.numbers.items()}


class OneRow:
    """The columns of one row.

    Columns of numbers with a condition of their own are asked by themselves: their leaves are cut
    off where the condition ends.
    """

    def __init__(self, batch: Batch, row: int, known: Given) -> None:
        self._batch, self._row, self._evidence = batch, row, known.evidence
        self._schema = known.schema
        self._known = {self._schema.index(name) for name in known.said or {}}
        self._found = batch.found.rows([row])
        self._own = {
            i: _density(self._found, self._evidence, i)
            for i in self._known & set(batch.numbers)
            if np.isnan(self._evidence.values[i, 0])
        }

    def summaries(self) -> list[Json]:
        """Return each column in a few numbers: how far it has moved, and where it is now."""
        bits = self._batch.bits[:, self._row].tolist()
        return [
            {"name": column.name, "bits": self._bits(i, bits[i]), "known": i in self._known}
            | (self._mode(i) if column.is_discrete else self._centre(i))
            for i, column in enumerate(self._schema)
        ]

    def distribution(self, position: int) -> Json:
        """Return the whole distribution of a column."""
        column = self._schema.columns[position]
        if column.is_discrete:
            share = self._batch.shares[position][self._row]
            return {"name": column.name, "probabilities": share.tolist()}
        value = float(self._evidence.values[position, 0])
        if not np.isnan(value):
            return {"name": column.name, "value": cell(column, value), "at": number(value)}
        cut, share = self._batch.numbers[position], self._batch.shares[position][self._row]
        if position not in self._own and share[0] + share[-1] <= _OFF_AXIS:
            weights = self._found.leaves(position)[1][0]
            quantiles = cut.quantiles(weights, QUANTILES)
            missing = float(weights @ cut.missing)
            drawn = _drawn(cut.edges, share, None, quantiles)
            return {"name": column.name, **drawn, "missing": missing, **self._centre(position)}
        return {"name": column.name, **self._asked_by_itself(position)}

    def _asked_by_itself(self, position: int) -> Json:
        """Return the distribution of a column whose axis may have to be widened."""
        column, cut = self._schema.columns[position], self._batch.numbers[position]
        density = self._own.get(position) or _density(self._found, self._evidence, position)
        found, edges, before = density.drawing(cut.edges, QUANTILES), cut.edges, None
        if found.shares[0] + found.shares[-1] > _OFF_AXIS:
            low, high = density.drawing(cut.edges, _WIDE_TAILS).quantiles.tolist()
            edges = even_edges(column, min(low, cut.edges[0]), max(high, cut.edges[-1]))
            found = density.drawing(edges, QUANTILES)
            nothing = Evidence.nothing(len(self._schema))
            before = _density(self._batch.nothing, nothing, position).drawing(edges, QUANTILES)
        drawn = _drawn(edges, found.shares, before.shares if before else None, found.quantiles)
        return {**drawn, "missing": density.missing, **_measures(found.mean, density.std)}

    def _bits(self, position: int, bits: float) -> float | None:
        """Return how far a column has moved; that of a number with a known value is unbounded."""
        if position in self._own:
            edges = self._batch.numbers[position].edges
            share = self._own[position].drawing(edges, QUANTILES).shares
            bits = float(divergence(share[None], self._batch.prior[position])[0] / np.log(2.0))
        elif position in self._known and not self._schema.columns[position].is_discrete:
            return None
        return number(max(bits, 0.0))

    def _mode(self, position: int) -> Json:
        share = self._batch.shares[position][self._row]
        code = int(np.argmax(share))
        level = self._schema.columns[position].levels[code]
        return {"mode": level, "probability": float(share[code])}

    def _centre(self, position: int) -> Json:
        if position in self._own:
            edges = self._batch.numbers[position].edges
            mean = self._own[position].drawing(edges, QUANTILES).mean
            return _measures(mean, self._own[position].std)
        value = float(self._evidence.values[position, 0])
        if not np.isnan(value):
            return _measures(value, 0.0)
        moments = self._batch.moments[position]
        return _measures(float(moments.mean[self._row]), float(moments.deviation[self._row]))


def divergence(share: Floats, prior: Floats) -> Floats:
    """Return Σ p log(p / q) of each row, (rows,), in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share > 0.0, share * np.log(share / prior), 0.0)
    return np.asarray(terms.sum(axis=1))


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


def _measures(mean: float, deviation: float) -> Json:
    return {"mean": number(mean), "deviation": number(deviation)}
