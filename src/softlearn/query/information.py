"""Information in nats: between levels or cells exactly, of whole rows by Monte Carlo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit import Circuit, cells_of, over_cells
from softlearn.errors import EvidenceError, SchemaError, SoftlearnError
from softlearn.query.evidence import Evidence
from softlearn.query.likelihood import log_likelihood
from softlearn.query.posteriors import Posteriors, posteriors
from softlearn.query.sample import sample

_BATCH_NUMBERS = 1 << 21  # 16 MB of evidence, and of posteriors, at a time


class Estimate(NamedTuple):
    """A Monte-Carlo estimate; about two thirds of them lie within one standard error."""

    value: float
    standard_error: float


def mutual_information(
    circuit: Circuit,
    columns: Sequence[int] | None = None,
    *,
    evidence: Evidence | None = None,
    n_threads: int | None = None,
) -> Floats:
    """Return the mutual information of each pair of columns, (columns, columns).

    Columns are discrete, or have a scale. The information of scaled columns is that of their cells,
    because all leaves have the same distribution inside a cell. The diagonal has the entropies of
    levels or cells. Independent columns have 0 up to rounding, and no value is negative.

    Parameters
    ----------
    circuit
        The joint distribution.
    columns
        Positions of columns that are discrete or have a scale; all of them by default.
    evidence
        One row that everything is conditioned on; nothing by default.
    n_threads
        Threads; all cores by default.
    """
    from scipy.special import rel_entr  # noqa: PLC0415 - slow to load

    places = _countable(circuit) if columns is None else list(columns)
    _must_be_countable(circuit, places)
    given = Evidence.nothing(len(circuit.schema)) if evidence is None else evidence
    if given.n_rows != 1:
        raise EvidenceError(f"information is conditioned on one row, not {given.n_rows}")
    if not places:
        return np.empty((0, 0))
    circuit, given = _in_cells(circuit, given)
    levels = [circuit.schema.columns[place].n_levels for place in places]
    share = _levels_of(posteriors(circuit, given, columns=places), places)[0]
    start = np.cumsum([0, *levels[:-1]])
    # The posteriors given each level; the level's own column is then certain.
    gain = np.zeros((share.size, len(places)))
    column, code = np.repeat(places, levels), np.concatenate([np.arange(n) for n in levels])
    possible = np.flatnonzero(share > 0.0)
    batch = max(1, _BATCH_NUMBERS // max(share.size, len(circuit.schema)))
    for at in range(0, possible.size, batch):
        some = possible[at : at + batch]
        rows = _with_level(given, column[some], code[some])
        known = posteriors(circuit, rows, columns=places, impossible="nan", n_threads=n_threads)
        after = np.where(share > 0.0, np.nan_to_num(_levels_of(known, places)), 0.0)
        gain[some] = np.add.reduceat(rel_entr(after, share), start, axis=1)
    shared = np.add.reduceat(share[:, None] * gain, start, axis=0)
    return np.maximum(0.5 * (shared + shared.T), 0.0)


def entropy(
    circuit: Circuit, n: int, rng: np.random.Generator, *, n_threads: int | None = None
) -> Estimate:
    """Estimate the entropy of whole rows, −E[log p], from n samples.

    It is differential in the continuous columns, and may then be negative.
    """
    _must_be_enough(n)
    rows = Evidence(sample(circuit, n, rng, n_threads=n_threads))
    return _average(-log_likelihood(circuit, rows, n_threads=n_threads))


def kl_divergence(
    p: Circuit, q: Circuit, n: int, rng: np.random.Generator, *, n_threads: int | None = None
) -> Estimate:
    """Estimate the divergence of q from p, E_p[log p − log q], from n samples of p.

    It is infinite if a sample is impossible under q.
    """
    _must_be_enough(n)
    _must_agree(p, q)
    rows = Evidence(sample(p, n, rng, n_threads=n_threads))
    other = log_likelihood(q, rows, n_threads=n_threads)
    if np.isneginf(other).any():
        return Estimate(np.inf, 0.0)
    return _average(log_likelihood(p, rows, n_threads=n_threads) - other)


def _levels_of(found: Posteriors, places: Sequence[int]) -> Floats:
    """Return the probabilities of all levels of the columns side by side, (rows, levels)."""
    return np.concatenate([found.levels(place) for place in places], axis=1)


def _with_level(given: Evidence, column: Offsets, code: Offsets) -> Evidence:
    """Return the row once for each of the levels, with that level known as well."""
    rows = given.rows(np.zeros(column.size, dtype=np.intp))
    rows.values[column, np.arange(column.size)] = code
    return rows


def _average(draws: Floats) -> Estimate:
    error = draws.std(ddof=1) / np.sqrt(draws.size)
    return Estimate(float(draws.mean()), float(error))


def _in_cells(circuit: Circuit, given: Evidence) -> tuple[Circuit, Evidence]:
    """Return the circuit over cells, and the evidence of one row in terms of cells."""
    given.check_all_but_codes(circuit.schema)
    values, sets, intervals = given.values.copy(), dict(given.sets), dict(given.intervals)
    inside: dict[int, Floats] = {}
    for position, column in enumerate(circuit.schema.columns):
        cells = cells_of(column)
        if cells is None:
            continue
        code = cells.code(values[position])
        values[position] = np.where(code < 0, np.nan, code)
        region = given.numbers(position, np.zeros(1, dtype=np.intp))
        intervals.pop(position, None)
        if not np.isnan(given.values[position, 0]):
            region = None
        if code[0] < 0 and not np.isnan(given.values[position, 0]):
            inside[position] = np.zeros(cells.n)  # outside the bounds: nothing is possible
        elif region is not None:
            inside[position] = np.broadcast_to(cells.inside(region).share, (1, cells.n))[0]
        if position in inside:
            sets[position] = np.append(np.ones(cells.n, dtype=bool), False)[None]
    return over_cells(circuit, inside), Evidence(values, sets, intervals)


def _countable(circuit: Circuit) -> list[int]:
    columns = enumerate(circuit.schema.columns)
    return [i for i, column in columns if column.is_discrete or column.scale is not None]


def _must_be_countable(circuit: Circuit, places: Sequence[int]) -> None:
    if len(set(places)) != len(places):
        raise EvidenceError(f"each column can be named once, found {list(places)}")
    for place in places:
        if not 0 <= place < len(circuit.schema):
            raise EvidenceError(f"there is no column {place}, only {len(circuit.schema)} columns")
        column = circuit.schema.columns[place]
        if not column.is_discrete and column.scale is None:
            raise EvidenceError(
                f"column {column.name!r} is {column.kind} without a scale: mutual information is "
                "exact between columns of levels, or of numbers with a scale"
            )


def _must_be_enough(n: int) -> None:
    if n < 2:
        raise SoftlearnError(f"an estimate with a standard error needs 2 samples or more, not {n}")


def _must_agree(p: Circuit, q: Circuit) -> None:
    """Raise a ``SchemaError`` unless both circuits have the same columns."""
    if len(p.schema) != len(q.schema):
        raise SchemaError(
            f"circuits over {len(p.schema)} and {len(q.schema)} columns cannot be compared"
        )
    for one, other in zip(p.schema.columns, q.schema.columns, strict=True):
        if (one.name, one.kind, one.levels) != (other.name, other.kind, other.levels):
            raise SchemaError(
                f"circuits over different columns cannot be compared: {one.name!r} ({one.kind}, "
                f"levels {one.levels}) and {other.name!r} ({other.kind}, levels {other.levels})"
            )
