"""Rows of a table: how likely each is, which cells are surprising, and which are missing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.model import DensityDistribution, LevelDistribution, Model
from softlearn.model.posterior import centres, of_column
from softlearn.query import Evidence, log_likelihood, posteriors
from softlearn.query.evidence import without_missing
from softlearn.show.views.kinds import Kinds
from softlearn.show.views.one_row import QUANTILES
from softlearn.show.views.values import Json, cell, condition_text, number
from softlearn.table import Column

_USUAL_ROWS = 400  # whose mean surprise is taken for usual: to about a tenth of a bit
_NUMBERS_AT_ONCE = 1 << 22


class Rows:
    """The rows of a table, from the least likely to the most likely.

    Parameters
    ----------
    model
        The model.
    kinds
        The kinds of rows that it tells apart.
    values
        (columns, rows) encoded cells.
    """

    def __init__(self, model: Model, kinds: Kinds, values: Floats) -> None:
        self._model, self._kinds, self.values = model, kinds, values
        self.scores = log_likelihood(model.circuit, Evidence(values))
        self._order = np.argsort(self.scores, kind="stable")

    @property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.values.shape[1])

    def page(self, start: int, n: int, order: Literal["odd", "usual", "table"]) -> Json:
        """Return some rows in an order: least likely first, most likely first, or as they come."""
        ranked = {"odd": self._order, "usual": self._order[::-1], "table": np.arange(self.n)}[order]
        return {
            "n_rows": self.n,
            "start": start,
            "order": order,
            "columns": list(self._model.schema.names),
            "rows": [self._row(int(row)) for row in ranked[start : start + n]],
        }

    def explain(self, row: int) -> Json:
        """Return how surprising each cell of a row is, given the others, and what was expected.

        Surprises are in bits: of the cell itself, and what is usual in its column.
        """
        self._must_be_here([row])
        schema, own = self._model.schema, self.values[:, row]
        filled = self._filled(row)
        columns = []
        for position, (expected, surprise) in enumerate(self._expected(row)):
            column, code = schema.columns[position], float(own[position])
            value = cell(column, code)
            columns.append(
                {
                    "name": column.name,
                    "value": value,
                    "condition": None if np.isnan(code) else condition_text(column, value),
                    "bits": number(surprise / np.log(2.0)),
                    "usual_bits": number(self._usual[position] / np.log(2.0)),
                    "filled": cell(column, filled[position]) if np.isnan(code) else None,
                    **expected,
                }
            )
        kinds = self.memberships([row])["rows"][0]["kinds"]
        return {**self._row(row), "rank": self._rank(row), "columns": columns, "kinds": kinds}

    def memberships(self, rows: Sequence[int]) -> Json:
        """Return how likely each row is of each kind of rows that the model tells apart."""
        self._must_be_here(rows)
        evidence = Evidence(np.ascontiguousarray(self.values[:, list(rows)]))
        found = self._kinds.memberships(evidence)
        return {
            "kinds": self._kinds.described,
            "rows": [
                {"row": int(row), "kinds": [number(share) for share in shares]}
                for row, shares in zip(rows, found.tolist(), strict=True)
            ],
        }

    def _row(self, row: int) -> Json:
        codes = zip(self._model.schema, self.values[:, row].tolist(), strict=True)
        return {
            "row": row,
            "log_density": number(float(self.scores[row])),
            "cells": [cell(column, code) for column, code in codes],
        }

    def _rank(self, row: int) -> int:
        return 1 + int((self.scores < self.scores[row]).sum())

    def _must_be_here(self, rows: Sequence[int]) -> None:
        strange = [row for row in rows if not 0 <= row < self.n]
        if strange:
            raise SoftlearnError(
                f"there is no row {strange[0]}; the table has rows 0 to {self.n - 1}"
            )

    def _expected(self, row: int) -> list[tuple[Json, float]]:
        """Return what is expected of each cell given the others, and its surprise in nats."""
        schema, found = self._model.schema, []
        step = max(1, _NUMBERS_AT_ONCE // self._model.circuit.n_leaves)
        for start in range(0, len(schema), step):
            block = list(range(start, min(start + step, len(schema))))
            values = np.repeat(self.values[:, [row]], len(block), axis=1)
            values[block, np.arange(len(block))] = np.nan
            found += self._without_each(Evidence(values), block, float(self.scores[row]))
        return found

    def _without_each(
        self, rest: Evidence, block: list[int], score: float
    ) -> list[tuple[Json, float]]:
        known = posteriors(self._model.circuit, rest, columns=block, impossible="nan")
        answers = []
        for place, position in enumerate(block):
            likelihood = float(known.log_likelihood[place])
            if likelihood == -np.inf:  # impossible even without the cell
                answers.append((_NOTHING, np.nan))
                continue
            one = known.rows([place])
            found = of_column(one, rest.rows(slice(place, place + 1)), position)
            expected = _summary(self._model.schema.columns[position], found)
            answers.append((expected, likelihood - score))
        return answers

    def _filled(self, row: int) -> list[float]:
        """Return a row with its missing cells filled, as ``model.impute`` does it."""
        schema = self._model.schema
        known = without_missing(schema, Evidence(self.values[:, [row]].copy()))
        values, _ = centres(self._model.circuit, known)
        return [float(value) for value in values[:, 0]]

    @cached_property
    def _usual(self) -> Floats:
        """(columns,) the mean surprise of the cells of some rows, in nats."""
        step = -(-self.n // _USUAL_ROWS)
        values, scores = self.values[:, ::step].copy(), self.scores[::step]
        usual = np.zeros(len(self._model.schema))
        for position, cells in enumerate(self.values[:, ::step]):
            values[position] = np.nan
            gap = log_likelihood(self._model.circuit, Evidence(values)) - scores
            values[position] = cells
            counts = np.isfinite(gap) & ~np.isnan(cells)
            usual[position] = gap[counts].mean() if counts.any() else 0.0
        return usual


_NOTHING: Json = {"expected": None, "probability": None, "low": None, "high": None}


def _summary(column: Column, found: LevelDistribution | DensityDistribution) -> Json:
    """Return what is expected: the most probable level, or the median within its 90 %."""
    if isinstance(found, LevelDistribution):
        mode = found.mode
        return {**_NOTHING, "expected": mode, "probability": found[mode]}
    low, _, middle, _, high = found.drawing(np.zeros(1), QUANTILES).quantiles.tolist()
    return {
        "expected": cell(column, middle),
        "probability": None,
        "low": cell(column, low),
        "high": cell(column, high),
    }
