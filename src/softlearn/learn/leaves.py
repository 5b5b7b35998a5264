"""Estimate the leaves of a node: each of its columns by itself, from the weighted rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids
from softlearn.circuit import cells_of
from softlearn.leaf import (
    CATEGORICAL,
    FAMILIES,
    GAUSSIAN,
    HISTOGRAM,
    SCALED,
    GaussianStats,
    LeafOptions,
    ScaledStats,
)
from softlearn.learn.config import GrowConfig
from softlearn.learn.training import Training, is_spread
from softlearn.numeric_policy import SCALE_SMOOTHING
from softlearn.stats.rows import WeightedRows

HISTOGRAM_BINS = 32  # bins of a histogram leaf, at quantiles of the whole column

CATEGORICAL_FAMILY: Final = FAMILIES.index(CATEGORICAL)
_GAUSSIAN = FAMILIES.index(GAUSSIAN)
_HISTOGRAM = FAMILIES.index(HISTOGRAM)
_SCALED = FAMILIES.index(SCALED)


class LeafParams(NamedTuple):
    """The leaves over some columns."""

    columns: Ids
    family: AnyArray  # (columns,) position in FAMILIES
    params: list[Floats]


class Heir(Protocol):
    """The part of a slice that its leaves need."""

    @property
    def rows(self) -> Ids:
        """Positions of the rows in the training table."""

    @property
    def columns(self) -> Ids:
        """Positions of the columns in the schema."""

    @property
    def inherited(self) -> Mapping[int, Floats]:
        """The parent's leaves."""


class LeafEstimator:
    """Estimates leaves over the columns of one training table."""

    def __init__(self, training: Training, config: GrowConfig) -> None:
        self.training = training
        self.smoothing = config.smoothing
        self.pseudo_counts = pseudo_counts(training, config)
        self.floor = config.deviation_floor * training.spread  # (columns,)
        self.family = _families(training, config)
        self.scaled = {
            column: SCALED.on(cells_of(training.schema.columns[column]))
            for column in np.flatnonzero(self.family == _SCALED).tolist()
        }
        self.bin_of = _bin_of(training)
        self.n_bins = np.maximum(self.bin_of.max(axis=1, initial=0) + 1, 1)  # (columns,)
        self.edges = {
            int(column): _edges(training.values[column], training.weights)
            for column in np.flatnonzero(self.family == _HISTOGRAM)
        }

    def estimate(self, data: WeightedRows, task: Heir, which: AnyArray) -> LeafParams:
        """Return the leaves of some of the slice's columns, ``which`` being their positions in it.

        A column without an observed cell takes the parent's leaf, or knows nothing at the root.
        """
        columns = task.columns[which]
        family = self.family[columns]
        found = {
            **self._with_levels(data, task),
            **self._gaussian(columns[family == _GAUSSIAN], task, data.weights),
            **self._histogram(columns[family == _HISTOGRAM], task, data.weights),
        }
        params = []
        for column in columns.tolist():
            known = found.get(column, task.inherited.get(column))
            params.append(self._know_nothing(column) if known is None else known)
        return LeafParams(columns, family, params)

    def _with_levels(self, data: WeightedRows, task: Heir) -> dict[int, Floats]:
        """Estimate columns of levels, and those with a scale; those never observed are left out."""
        counts = self._level_weights(data, task.columns)
        scaled = task.columns[self.family[task.columns] == _SCALED]
        return {**self._discrete(counts), **self._scaled(scaled, counts, task, data.weights)}

    def _level_weights(self, data: WeightedRows, columns: Ids) -> dict[int, Floats]:
        """Return the weight of each level of the columns that have some, from one pass."""
        own = columns[np.diff(self.training.features)[columns] > 0].tolist()
        if not own:
            return {}
        sums, mass = data.feature_weights(), float(data.weights.sum())
        found = {}
        for i, column in enumerate(own):
            weights = sums[data.groups[i] : data.groups[i + 1]]
            if data.single[i]:
                weights = np.array([max(mass - weights[0], 0.0), weights[0]])
            found[column] = weights
        return found

    def _scaled(
        self, columns: Ids, counts: dict[int, Floats], task: Heir, weights: Floats
    ) -> dict[int, Floats]:
        """Estimate leaves over cells: masses of atoms and bins, and moments of scores."""
        from softlearn.kernels.grow.moments import bin_weights, centred_moments  # noqa: PLC0415 - loads Numba

        table, found = self.training, {}
        number = table.number_of[columns]
        have = number[number >= 0].astype(np.int32)
        moments = centred_moments(table.numbers, have, task.rows, weights, table.weights)
        of_number = dict(zip(have.tolist(), moments.tolist(), strict=True))
        most = int(self.n_bins.max(initial=1))
        in_bins = bin_weights(table.values, self.bin_of, columns, task.rows, weights, most)
        for column, position, bins in zip(columns.tolist(), number.tolist(), in_bins, strict=True):
            atoms = counts[column][:-1] if column in counts else np.zeros(0)
            rest = GaussianStats(*of_number.get(position, (0.0,) * 5))
            if rest.weight + atoms.sum() > 0.0:
                stats = ScaledStats(atoms, bins[: self.n_bins[column]], rest)
                options = replace(self._options(column), smoothing=SCALE_SMOOTHING)
                found[column] = self.scaled[column].finish(stats, options)
        return found

    def _discrete(self, counts: dict[int, Floats]) -> dict[int, Floats]:
        """Estimate all discrete columns; those never observed are left out."""
        found = {}
        for column, own in counts.items():
            if self.family[column] == CATEGORICAL_FAMILY and own.sum() > 0.0:
                raised = own + self.pseudo_counts[column]
                found[column] = raised / raised.sum()
        return found

    def _gaussian(self, columns: Ids, task: Heir, weights: Floats) -> dict[int, Floats]:
        """Estimate Gaussians from one pass over all columns; those never observed are left out."""
        from softlearn.kernels.grow.moments import centred_moments  # noqa: PLC0415 - loads Numba

        if not columns.size:
            return {}
        table = self.training
        moments = centred_moments(table.values, columns, task.rows, weights, table.weights)
        return {
            column: GAUSSIAN.finish(GaussianStats(*own), self._options(column))
            for column, own in zip(columns.tolist(), moments.tolist(), strict=True)
            if own[0] > 0.0
        }

    def _histogram(self, columns: Ids, task: Heir, weights: Floats) -> dict[int, Floats]:
        """Estimate histograms; columns never observed are left out."""
        found = {}
        for column in columns.tolist():
            values = self.training.values[column, task.rows]
            if not np.isnan(values).all():
                binned = HISTOGRAM.summarise(values, weights, edges=self.edges[column])
                found[column] = HISTOGRAM.finish(binned, self._options(column))
        return found

    def _options(self, column: int) -> LeafOptions:
        floor = float(self.floor[column])
        return LeafOptions(smoothing=self.smoothing, deviation_floor=floor)

    def _know_nothing(self, column: int) -> Floats:
        """Return the leaf of a column that no row of the whole table observes."""
        if self.family[column] == CATEGORICAL_FAMILY:
            n_levels = self.training.schema.columns[column].n_levels
            return np.full(n_levels, 1.0 / n_levels)
        if self.family[column] == _HISTOGRAM:
            return np.append(self.edges[column], np.ones(1))
        if self.family[column] == _SCALED:
            cells = cells_of(self.training.schema.columns[column])
            return SCALED.column_itself(0 if cells is None else int(cells.atom.sum()))
        return np.array([0.0, 1.0])


def pseudo_counts(training: Training, config: GrowConfig) -> list[Floats]:
    """Return what is added to the weight of each level of each column; nothing for numbers.

    Per level, every level gets the same; per column, all levels together get it, by their share
    of the column, so that a column of forty levels is not forty times as noisy as a flag.
    """
    found = []
    for cells, column in zip(training.values, training.schema, strict=True):
        n = column.n_levels
        shares = np.ones(n)
        if n and config.smoothing_per == "column":
            seen = ~np.isnan(cells)
            counts = np.bincount(cells[seen].astype(np.intp), training.weights[seen], n)
            shares = (counts + 0.5 / n) / (counts.sum() + 0.5)  # levels never seen stay possible
        found.append(config.smoothing * shares)
    return found


def _families(training: Training, config: GrowConfig) -> AnyArray:
    """Return the family of each column's leaves, (columns,)."""
    chosen = config.leaf
    family = np.full(len(training.schema), CATEGORICAL_FAMILY)
    for i, column in enumerate(training.schema):
        if column.is_discrete:
            continue
        if column.scale is not None:
            family[i] = _SCALED
            continue
        name = column.name
        choice = chosen.get(name, "gaussian") if isinstance(chosen, Mapping) else chosen
        family[i] = _HISTOGRAM if choice == "histogram" else _GAUSSIAN
    return family


def _bin_of(training: Training) -> Ids:
    """Return the coarse bin of each cell of each column, (columns, cells); -1 if it has none."""
    cells = [cells_of(column) for column in training.schema.columns]
    found = np.full((len(cells), max((own.n for own in cells if own), default=0)), -1, np.int32)
    for row, own in zip(found, cells, strict=True):
        if own is not None:
            row[: own.n] = own.bin_of
    return found


def _edges(values: Floats, weights: Floats) -> Floats:
    """Return the edges of a column's histogram: quantiles, the ends a little outside."""
    seen = ~np.isnan(values)
    if not seen.any():
        return np.array([0.0, 1.0])
    x, w = values[seen], weights[seen]
    order = np.argsort(x, kind="stable")
    share = (np.cumsum(w[order]) - w[order] / 2.0) / w.sum()
    inner = np.interp(np.linspace(0, 1, HISTOGRAM_BINS + 1)[1:-1], share, x[order])
    lowest, highest = float(x.min()), float(x.max())
    size = max(abs(lowest), abs(highest))
    width = highest - lowest if is_spread(highest - lowest, size) else size or 1.0
    margin = width / HISTOGRAM_BINS / 2.0
    return np.unique([lowest - margin, *inner, highest + margin])
