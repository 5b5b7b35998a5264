"""Estimate the leaves of a node: each of its columns by itself, from the weighted rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.leaf import CATEGORICAL, GAUSSIAN, HISTOGRAM, CategoricalStats, LeafOptions
from softlearn.learn.config import GrowConfig
from softlearn.learn.training import Training
from softlearn.stats.rows import WeightedRows

HISTOGRAM_BINS = 32  # bins of a histogram leaf, at quantiles of the whole column


class LeafParams(NamedTuple):
    """The leaves over some columns."""

    columns: Ids
    family: tuple[int, ...]
    params: tuple[Floats, ...]


class LeafEstimator:
    """Estimates leaves over the columns of one training table."""

    def __init__(self, training: Training, config: GrowConfig) -> None:
        self.training = training
        self.smoothing = config.smoothing
        self.floor = config.deviation_floor * training.spread  # (columns,)
        names = training.schema.names
        chosen = config.leaf
        self.histogram = np.array(
            [
                (chosen.get(name, "gaussian") if isinstance(chosen, Mapping) else chosen)
                == "histogram"
                for name in names
            ]
        )
        self.edges = {
            int(i): _edges(training.values[i], training.weights)
            for i in np.flatnonzero(self.histogram & (training.number_of >= 0))
        }

    def estimate(
        self,
        slice_rows: WeightedRows,
        rows: Ids,
        columns: Ids,
        inherited: Mapping[int, Floats],
    ) -> LeafParams:
        """Return the leaves of all columns; one without an observed cell takes the inherited."""
        params = self._discrete(slice_rows, columns)
        for column in columns[self.training.number_of[columns] >= 0].tolist():
            params[column] = self._numeric(column, rows, slice_rows.weights)
        family = []
        for column in columns.tolist():
            found = params[column]
            params[column] = inherited[column] if found is None else found
            family.append(self._family(column))
        own = tuple(params[column] for column in columns.tolist())
        return LeafParams(columns, tuple(family), own)  # type: ignore[arg-type]

    def _family(self, column: int) -> int:
        if self.training.number_of[column] < 0:
            return 0
        return 2 if self.histogram[column] else 1

    def _discrete(self, rows: WeightedRows, columns: Ids) -> dict[int, Floats | None]:
        """Estimate all discrete columns from one pass over the indicators."""
        discrete = columns[self.training.number_of[columns] < 0].tolist()
        if not discrete:
            return {}
        sums = rows.total()
        counts, mass = sums.indicators[0], float(sums.mass[0])
        options = LeafOptions(smoothing=self.smoothing)
        found: dict[int, Floats | None] = {}
        if rows.single.all():
            pairs = np.stack([np.maximum(mass - counts, 0.0), counts], axis=1)
            table = _smoothed(pairs, self.smoothing)
            return dict(zip(discrete, table, strict=True))
        for i, column in enumerate(discrete):
            own = counts[rows.groups[i] : rows.groups[i + 1]]
            if rows.single[i]:
                own = np.array([max(mass - own[0], 0.0), own[0]])
            seen = own.sum() > 0.0
            found[column] = CATEGORICAL.finish(CategoricalStats(own), options) if seen else None
        return found

    def _numeric(self, column: int, rows: Ids, weights: Floats) -> Floats | None:
        values = self.training.values[column, rows]
        if np.isnan(values).all():
            return None
        options = LeafOptions(smoothing=self.smoothing, deviation_floor=float(self.floor[column]))
        if self.histogram[column]:
            stats = HISTOGRAM.summarise(values, weights, edges=self.edges[column])
            return HISTOGRAM.finish(stats, options)
        return GAUSSIAN.finish(GAUSSIAN.summarise(values, weights), options)


def _smoothed(counts: Floats, smoothing: float) -> Floats:
    """Return the smoothed shares of each row of counts."""
    total = counts.sum(axis=1, keepdims=True) + counts.shape[1] * smoothing
    table: Floats = (counts + smoothing) / total
    return table


def _edges(values: Floats, weights: Floats) -> Floats:
    """Return the edges of a column's histogram: quantiles, the ends a little outside."""
    seen = ~np.isnan(values)
    if not seen.any():
        return np.array([0.0, 1.0])
    x, w = values[seen], weights[seen]
    order = np.argsort(x, kind="stable")
    share = (np.cumsum(w[order]) - w[order] / 2.0) / w.sum()
    inner = np.interp(np.linspace(0, 1, HISTOGRAM_BINS + 1)[1:-1], share, x[order])
    width = max(float(x.max() - x.min()), 1.0) / HISTOGRAM_BINS
    ends = (float(x.min()) - width / 2.0, float(x.max()) + width / 2.0)
    return np.unique(np.concatenate([[ends[0]], inner, [ends[1]]]))
