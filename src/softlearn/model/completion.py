"""Rows with missing cells, completed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.model.given import Frame, Given, Impossible
from softlearn.model.posterior import centres
from softlearn.model.randomness import RandomState, generator
from softlearn.query import Evidence, log_likelihood, most_probable, sample_given
from softlearn.query.evidence import without_missing
from softlearn.table import Schema, decode, fill

Method: TypeAlias = Literal["most_probable", "mean", "draw"]
# Evidence to a value for each cell (columns, rows), and whether each row is impossible.
Filling: TypeAlias = Callable[[Circuit, Evidence], tuple[Floats, Bools]]


@dataclass(frozen=True, eq=False)
class Completed:
    """Rows completed by max-product.

    Attributes
    ----------
    rows
        The completed rows: a frame like the given one, or the schema's kind of frame for a dict.
    log_likelihood
        (rows,) the log-density of each completed row, exactly.
    exact
        (rows,) whether no row that fits what is given is more probable. Where it is False,
        max-product has found a good completion, and a better one may exist.
    """

    rows: Frame
    log_likelihood: Floats
    exact: Bools


def completed(circuit: Circuit, frame: Frame, known: Given, impossible: Impossible) -> Completed:
    """Return the most probable completion of what is known; ``frame`` is what the caller gave."""
    evidence = without_missing(circuit.schema, known.evidence)
    found = most_probable(circuit, evidence, impossible="nan")
    known.refuse(np.isneginf(found.log_likelihood), impossible)
    values = rounded(circuit.schema, evidence, found.values)
    score = np.where(
        np.isneginf(found.log_likelihood), -np.inf, log_likelihood(circuit, Evidence(values))
    )
    exact = found.exact & (score >= found.log_likelihood)  # rounding may lose what was proven
    if known.conditions is None:
        return Completed(fill(frame, circuit.schema, values), score, exact)
    return Completed(decode(values, circuit.schema), score, exact)


def rounded(schema: Schema, evidence: Evidence, values: Floats) -> Floats:
    """Return the values with those of plain integer columns rounded, never out of the evidence.

    A leaf's mode may be the very end of an interval: 40.5 for whole numbers up to 40. The rows of
    evidence may each stand for several columns of values, side by side.
    """
    n_each = values.shape[1] // max(evidence.n_rows, 1)
    whole = values.copy()
    for position, column in enumerate(schema):
        if column.kind != "integer" or column.scale is not None:
            continue
        unknown = np.repeat(np.isnan(evidence.values[position]), n_each)
        nearest = np.floor(values[position] + 0.5)
        bounds = evidence.intervals.get(position)
        if bounds is not None:
            lo, hi = np.repeat(bounds.lo, n_each), np.repeat(bounds.hi, n_each)
            nearest = np.clip(nearest, lo + 0.5, hi - 0.5)
        whole[position] = np.where(unknown, nearest, values[position])
    return whole


def imputed(
    circuit: Circuit, frame: Frame, known: Given, filling: Filling, impossible: Impossible
) -> Frame:
    """Return the frame with the cells that are not known filled; none stays missing by chance."""
    values, is_impossible = filling(circuit, without_missing(circuit.schema, known.evidence))
    known.refuse(is_impossible, impossible)
    return fill(frame, circuit.schema, values)


def filling(method: Method, random_state: RandomState) -> Filling:
    """Return the way to fill cells that the caller names."""
    if method == "most_probable":
        return _by_max_product
    if method == "mean":
        return _by_centres
    if method == "draw":
        return partial(_by_drawing, rng=generator(random_state))
    raise SoftlearnError(f"method must be most_probable, mean or draw, not {method!r}")


def _by_max_product(circuit: Circuit, evidence: Evidence) -> tuple[Floats, Bools]:
    found = most_probable(circuit, evidence, impossible="nan")
    values = rounded(circuit.schema, evidence, found.values)
    return values, np.isneginf(found.log_likelihood)


def _by_centres(circuit: Circuit, evidence: Evidence) -> tuple[Floats, Bools]:
    values, log_likelihood = centres(circuit, evidence)
    return values, np.isneginf(log_likelihood)


def _by_drawing(
    circuit: Circuit, evidence: Evidence, rng: np.random.Generator
) -> tuple[Floats, Bools]:
    values = sample_given(circuit, evidence, rng, impossible="nan")
    return values, np.isnan(values[0])
