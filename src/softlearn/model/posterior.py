"""Posteriors of columns by name, and of missing cells as values."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import Circuit, cells_of, same_shape
from softlearn.leaf import Interval, Listed, Scaled
from softlearn.model.density import CellMixture, DensityDistribution, LeafMixture, Part
from softlearn.model.given import Given
from softlearn.model.levels import LevelDistribution
from softlearn.query import Evidence, Posteriors, posteriors

_NUMBERS_AT_ONCE = 1 << 22  # 32 MB of posteriors


def of_columns(
    circuit: Circuit, known: Given, columns: list[int]
) -> dict[str, LevelDistribution | DensityDistribution]:
    """Return the distribution of each column, by name, given one row of evidence."""
    found = posteriors(circuit, known.evidence, columns=columns, impossible="nan")
    known.refuse(np.isneginf(found.log_likelihood), "error")
    return {circuit.schema.names[i]: of_column(found, known.evidence, i) for i in columns}


def centres(circuit: Circuit, evidence: Evidence) -> tuple[Floats, Floats]:
    """Return each cell's posterior mean or most probable level, and the rows' log-likelihoods.

    Columns without a gap, and impossible rows, are NaN. One pass up and down answers for all
    columns of a block of rows.
    """
    values = np.full(evidence.values.shape, np.nan)
    log_likelihood = np.empty(evidence.n_rows)
    gaps = np.flatnonzero(evidence.unobserved().any(axis=1)).tolist()
    width = circuit.n_leaves + sum(column.n_levels for column in circuit.schema)
    step = max(1, _NUMBERS_AT_ONCE // width)
    for start in range(0, evidence.n_rows, step):
        block = slice(start, start + step)
        found = posteriors(circuit, evidence.rows(block), columns=gaps, impossible="nan")
        log_likelihood[block] = found.log_likelihood
        for column in gaps:
            values[column, block] = _centre(found, column)
    values[:, np.isneginf(log_likelihood)] = np.nan
    return values, log_likelihood


def _centre(found: Posteriors, column: int) -> Floats:
    """Return the most probable code, or the mean of the mixture, of each row."""
    if found.circuit.schema.columns[column].is_discrete:
        return np.asarray(np.argmax(found.levels(column), axis=1), dtype=np.float64)
    leaves, weights = found.leaves(column)  # (rows, leaves)
    total, present = np.empty(leaves.size), np.empty(leaves.size)
    for family, where, params in same_shape(found.circuit, leaves):
        total[where], present[where] = family.moment(params, 1), family.moment(params, 0)
    return np.asarray((weights @ total) / (weights @ present))


def of_column(
    found: Posteriors, evidence: Evidence, column: int
) -> LevelDistribution | DensityDistribution:
    """Return the distribution of one column of the only row."""
    about = found.circuit.schema.columns[column]
    if about.is_discrete:
        return LevelDistribution(about, found.levels(column)[0])
    leaves, weights = found.leaves(column)
    possible = weights[0] > 0.0
    leaves, weight = leaves[possible], weights[0, possible]
    cells = cells_of(about)
    if cells is not None:
        region = evidence.numbers(column, np.zeros(1, np.int64))
        return _over_cells(found.circuit, column, (leaves, weight), region)
    parts = [
        Part(family, params, weight[where] / weight.sum())
        for family, where, params in same_shape(found.circuit, leaves)
    ]
    bounds = evidence.intervals.get(column)
    ends = (-math.inf, math.inf) if bounds is None else (bounds.lo[0], bounds.hi[0])
    return LeafMixture(about, parts, *ends)


def _over_cells(
    circuit: Circuit, column: int, mixture: tuple[Ids, Floats], region: Interval | Listed | None
) -> CellMixture:
    """Return the mixture of leaves over cells, each of them inside the region."""
    (leaves, weight), about = mixture, circuit.schema.columns[column]
    cells = cells_of(about)
    assert cells is not None
    if isinstance(region, Interval):
        region = Interval(region.lo[0], region.hi[0])
    probability = np.zeros(cells.n)
    share = cells.inside(region).share
    for family, where, params in same_shape(circuit, leaves):
        assert isinstance(family, Scaled)
        own = family.probabilities(params)
        probability += (weight[where] / (own @ share)) @ own
    return CellMixture(about, cells, probability, region)
