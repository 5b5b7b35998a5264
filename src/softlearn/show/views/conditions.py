"""Evidence for the explorer: one condition per column, its text, and the values it allows."""

from __future__ import annotations

import math

import numpy as np

from softlearn.conditions import format_conditions, parse_conditions
from softlearn.errors import EvidenceError
from softlearn.model import Model
from softlearn.model.asking import Conditions
from softlearn.model.given import Given, read_mapping
from softlearn.show.views.values import Json, cell, number


def read_conditions(text: str, model: Model) -> Given:
    """Return what a text says as evidence; a column name alone is no condition."""
    conditions = parse_conditions(text, model.schema)
    return read_mapping(
        {name: what for name, what in conditions.items() if what is not None}, model.schema
    )


def described(known: Given) -> Json:
    """Return the conditions in order, and all of them as one text that can be parsed again."""
    conditions = known.conditions or {}
    return {
        "given": format_conditions(conditions),
        "conditions": [_condition(known, name) for name in conditions],
    }


def _condition(known: Given, name: str) -> Json:
    evidence, position = known.evidence, known.schema.index(name)
    column, what = known.schema.columns[position], (known.conditions or {})[name]
    value = float(evidence.values[position, 0])
    found: dict[str, Json] = {"column": name, "text": format_conditions({name: what})}
    if column.is_discrete:
        allowed = np.flatnonzero(evidence.allowed_levels(position, column.n_levels)[0]).tolist()
        return found | {"levels": allowed, "low": None, "high": None}
    if position in evidence.listed:
        codes = evidence.listed[position].values.tolist()
        return found | {"levels": [cell(column, code) for code in codes], "low": None, "high": None}
    if not math.isnan(value):
        return found | {"levels": None, "low": number(value), "high": number(value)}
    bounds = evidence.intervals[position]
    ends = {"low": number(float(bounds.lo[0])), "high": number(float(bounds.hi[0]))}
    return found | {"levels": None, **ends}


def likelihood(model: Model, known: Given, log_density: float) -> Json:
    """Return how likely the conditions are; ``log_density`` is what conditioning on them gave.

    A value of a column of decimal numbers or times has a density, and no probability.
    """
    log_p, is_density = _log_probability(model, known, log_density)
    return {
        "log": number(log_p),
        "probability": None if is_density else math.exp(log_p),
        "density": math.exp(log_p) if is_density and log_p < _LARGEST_LOG else None,
        "bits": -log_p / math.log(2.0) + 0.0,
    }


_LARGEST_LOG = math.log(np.finfo(np.float64).max)


def _log_probability(model: Model, known: Given, log_density: float) -> tuple[float, bool]:
    conditions: Conditions = known.conditions or {}
    numbers = [i for i, column in enumerate(known.schema) if not column.is_discrete]
    if np.isnan(known.evidence.values[numbers]).all():
        return min(log_density, 0.0), False
    try:
        return min(float(model.probability(conditions, log=True)), 0.0), False
    except EvidenceError:
        return log_density, True
