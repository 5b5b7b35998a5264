"""Compare a table with the model: single columns, and the likelihood of rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from softlearn.arrays import Floats
from softlearn.query import Evidence, log_likelihood, sample
from softlearn.show.views.posteriors import PosteriorView
from softlearn.show.views.rows import Rows
from softlearn.show.views.values import Json, number

_DRAWN = 2000  # rows that the model draws to be compared with
_ALONE = 2000  # rows that are scored column by column
_BINS = 48
_SEED = 0


class Fit:
    """How well a model fits the rows of a table; computed when it is first asked for."""

    def __init__(self, posterior_view: PosteriorView, rows: Rows) -> None:
        self._believer, self._rows = posterior_view, rows

    @cached_property
    def likelihoods(self) -> Json:
        """The log-densities of the table's rows beside those of rows that the model draws."""
        circuit, rng = self._believer.model.circuit, np.random.default_rng(_SEED)
        drawn = sample(circuit, _DRAWN, rng)
        gaps = np.isnan(self._rows.values[:, rng.integers(self._rows.n, size=_DRAWN)])
        drawn[gaps] = np.nan  # rows with the table's gaps, or their densities would not compare
        own, scores = log_likelihood(circuit, Evidence(drawn)), self._rows.scores
        possible = scores[np.isfinite(scores)]
        low, high = np.quantile(np.concatenate([possible, own]), [0.002, 1.0])
        edges = np.linspace(low, high if high > low else low + 1.0, _BINS + 1)
        return {
            "n_rows": self._rows.n,
            "impossible_rows": int(scores.size - possible.size),
            "mean_log_density": number(float(scores.mean())),
            "drawn_mean_log_density": float(own.mean()),
            "columns_alone_mean_log_density": number(self._alone()),
            "axis": {"start": float(edges[0]), "stop": float(edges[-1]), "cells": _BINS},
            "table": _shares(possible, edges),
            "model": _shares(own, edges),
        }

    @cached_property
    def columns(self) -> list[Json]:
        """Each column of the table beside the model's, the most different first."""
        found = [self._column(position) for position in range(len(self._believer.model.schema))]
        return sorted(found, key=lambda one: -one["distance"])

    def _alone(self) -> float:
        """Return the mean log-density if every column were independent of the others."""
        step = -(-self._rows.n // _ALONE)
        values = self._rows.values[:, ::step]
        total = 0.0
        for position, cells in enumerate(values):
            alone = np.full(values.shape, np.nan)
            alone[position] = cells
            total += float(log_likelihood(self._believer.model.circuit, Evidence(alone)).mean())
        return total

    def _column(self, position: int) -> Json:
        column = self._believer.model.schema.columns[position]
        cells = self._rows.values[position]
        cells = cells[~np.isnan(cells)]
        believed = self._believer.prior[self._believer.cuts.cells_of(position)]
        if column.is_discrete:
            seen = np.bincount(cells.astype(np.intp), minlength=column.n_levels)
            drawn: Json = {"axis": None}
        else:
            edges = self._believer.cuts.numbers[position].edges
            ends = np.concatenate([[-np.inf], edges, [np.inf]])
            seen = np.histogram(cells[np.isfinite(cells)], ends)[0]
            axis = {"start": float(edges[0]), "stop": float(edges[-1]), "cells": edges.size - 1}
            drawn = {"axis": axis}
        share = seen / max(int(seen.sum()), 1)
        inner = slice(None) if column.is_discrete else slice(1, -1)
        missing = 1.0 - cells.size / max(self._rows.n, 1)
        return {
            "name": column.name,
            **drawn,
            "table": share[inner].tolist(),
            "model": believed[inner].tolist(),
            "distance": 0.5 * float(np.abs(share - believed).sum()),
            "missing": missing,
        }


def _shares(values: Floats, edges: Floats) -> list[float]:
    counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
    return [float(count) / max(values.size, 1) for count in counts]
