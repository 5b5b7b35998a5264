"""How informative each column is about another, given the evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import cells_of
from softlearn.leaf import Interval
from softlearn.model.posterior import of_column
from softlearn.query import Evidence, Posteriors, intersect, posteriors
from softlearn.show.views.conditions import described, read_conditions
from softlearn.show.views.one_row import divergence
from softlearn.show.views.posteriors import PosteriorView
from softlearn.show.views.values import Json
from softlearn.table import Column

_PARTS = 24  # of equal probability that plain numbers are cut into
_NUMBERS_AT_ONCE = 1 << 21


def informative_columns(posterior_view: PosteriorView, target: str, given: str) -> Json:
    """Return the mutual information of a column with each other one, most informative first.

    It is exact for columns of levels and of numbers with a scale; plain numbers count by the cells
    that are drawn, which can only make it smaller.
    """
    model = posterior_view.model
    known, position = read_conditions(given, model), model.schema.index(target)
    prior = posteriors(model.circuit, known.evidence, impossible="nan")
    known.refuse(np.isneginf(prior.log_likelihood), "error")
    before = [share[0] for share in _shares(posterior_view, prior, known.evidence)]
    is_open = np.isnan(known.evidence.values[:, 0])
    nats, entropy = np.zeros(len(model.schema)), 0.0
    for evidence in _answers(posterior_view, position, known.evidence):
        found = posteriors(model.circuit, evidence, impossible="nan")
        share = np.exp(found.log_likelihood - prior.log_likelihood[0])
        possible = share > 0.0
        entropy -= float((share[possible] * np.log(share[possible])).sum())
        for i, after in enumerate(_shares(posterior_view, found, known.evidence)):
            moved = divergence(after[possible], before[i], np.zeros(1, dtype=np.intp))[:, 0]
            nats[i] += share[possible] @ moved
    others = [i for i in range(len(model.schema)) if i != position and is_open[i]]
    order = sorted(others, key=lambda i: -nats[i])
    return {
        **described(known),
        "target": target,
        "entropy_bits": max(entropy, 0.0) / math.log(2.0),
        "columns": [
            {"name": model.schema.names[i], "bits": max(float(nats[i]), 0.0) / math.log(2.0)}
            for i in order
        ],
    }


def _shares(posterior_view: PosteriorView, found: Posteriors, known: Evidence) -> list[Floats]:
    """Return the probability of each column's levels or finest cells, each (rows, cells)."""
    return [
        found.levels(i) if column.is_discrete else _of_numbers(posterior_view, found, known, i)
        for i, column in enumerate(posterior_view.model.schema)
    ]


def _of_numbers(
    posterior_view: PosteriorView, found: Posteriors, known: Evidence, position: int
) -> Floats:
    region = known.numbers(position, np.zeros(1, dtype=np.int64))
    if isinstance(region, Interval):
        region = Interval(region.lo[0], region.hi[0])
    return np.asarray(
        found.leaves(position)[1] @ posterior_view.cuts.numbers[position].finest(region)
    )


def _answers(posterior_view: PosteriorView, position: int, known: Evidence) -> Iterator[Evidence]:
    """Yield the posteriors given each level or part of the column, as rows."""
    schema = posterior_view.model.schema
    column = schema.columns[position]
    parts = _level_rows(known, position, column)
    if parts is None:
        parts = _number_rows(posterior_view, position, known)
    step = max(1, _NUMBERS_AT_ONCE // posterior_view.model.circuit.n_leaves)
    for start in range(0, parts.n_rows, step):
        some = parts.rows(slice(start, start + step))
        yield intersect(schema, some, known.repeat(some.n_rows))


def _level_rows(known: Evidence, position: int, column: Column) -> Evidence | None:
    if not column.is_discrete:
        return None
    rows = Evidence.nothing(known.values.shape[0], column.n_levels)
    rows.values[position] = np.arange(column.n_levels)
    return rows


def _number_rows(posterior_view: PosteriorView, position: int, known: Evidence) -> Evidence:
    """Return the cells of a scale, or parts of equal probability of plain numbers."""
    column = posterior_view.model.schema.columns[position]
    cells = cells_of(column)
    if cells is not None:
        values = np.where(np.isposinf(cells.left), np.inf, np.nan)
        missing = np.isposinf(cells.left)
        bounds = Interval(
            np.where(missing, np.nan, cells.left), np.where(missing, np.nan, cells.right)
        )
    else:
        cuts = _cuts(posterior_view, position, known)
        values = np.full(cuts.size + 1, np.nan)
        after = np.nextafter(cuts, np.inf)
        bounds = Interval(np.append(-np.inf, after), np.append(cuts, np.inf))
    rows = Evidence.nothing(known.values.shape[0], values.size)
    rows.values[position] = values
    return Evidence(rows.values, {}, {position: bounds})


def _cuts(posterior_view: PosteriorView, position: int, known: Evidence) -> Floats:
    found = posteriors(posterior_view.model.circuit, known, columns=[position])
    density = of_column(found, known, position)
    levels = np.arange(1, _PARTS) / _PARTS
    edges = posterior_view.cuts.numbers[position].edges
    cuts = density.drawing(edges, levels).quantiles  # type: ignore[union-attr]
    is_whole = posterior_view.model.schema.columns[position].kind == "integer"
    return np.unique(np.floor(cuts) + 0.5 if is_whole else cuts)
