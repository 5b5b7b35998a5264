"""Exact means, variances, covariances and higher moments, also given evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.circuit import Circuit, same_shape
from softlearn.errors import EvidenceError
from softlearn.leaf import Family, Interval, Listed, Scaled
from softlearn.numeric_policy import SMALLEST_PROBABILITY
from softlearn.query.covariation import covariances_between
from softlearn.query.evidence import Evidence, without_missing
from softlearn.query.expectation import Power, WideNumbers, expectation, moment_inside, numbers
from softlearn.query.far import far_rows
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.leaves import leaf_tables
from softlearn.query.posteriors import Posteriors, posteriors
from softlearn.query.rounding import check_rounding
from softlearn.query.workspace import BLOCK_ROWS

_FEW_PAIRS = BLOCK_ROWS  # as many fill one block; for more, the flows of each row are faster
_POSTERIOR_NUMBERS = 1 << 22  # 32 MB of posteriors at a time, whatever the circuit


def moment(
    circuit: Circuit,
    evidence: Evidence,
    orders: Mapping[int, int],
    shift: Mapping[int, Floats | float] | None = None,
    *,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Floats:
    """Return E[Π (x_c − shift_c) ** order_c | evidence] of each row, (rows,).

    Parameters
    ----------
    circuit
        The joint distribution.
    evidence
        What is known of each row.
    orders
        The power of each column in the product, by position. Levels of discrete columns count as
        their numbers, false and true as 0 and 1; text has no moments.
    shift
        The number to subtract from a column, one or one per row; 0 by default.
    impossible
        Whether evidence of probability zero raises an error or marks its row with NaN.
    n_threads
        Threads; all cores by default.
    """
    evidence.check(circuit.schema)
    given = shift or {}
    powers = {
        column: Power(
            np.full(evidence.n_rows, order, np.int64),
            np.broadcast_to(np.asarray(given.get(column, 0.0), np.float64), evidence.n_rows),
        )
        for column, order in orders.items()
    }
    _must_have_numbers(circuit, list(orders))
    check_rounding(circuit, evidence, far_rows(circuit, evidence))
    total = expectation(circuit, evidence, {}, n_threads)
    impossible_rows(np.where(total.mantissa == 0.0, -np.inf, 0.0), impossible)
    return expectation(circuit, evidence, powers, n_threads).over(total)


def mean(
    circuit: Circuit,
    evidence: Evidence,
    columns: Sequence[int],
    *,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Floats:
    """Return E[x | evidence] of each column, (rows, columns); a known value is its own mean.

    Modelled missing cells do not count; a cell that is certainly missing has NaN.
    """
    return _mean_and_variance(circuit, evidence, columns, impossible, n_threads)[0]


def variance(
    circuit: Circuit,
    evidence: Evidence,
    columns: Sequence[int],
    *,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Floats:
    """Return the variance of each column given the evidence, (rows, columns); 0 if known."""
    return _mean_and_variance(circuit, evidence, columns, impossible, n_threads)[1]


def covariance(
    circuit: Circuit,
    evidence: Evidence,
    columns: Sequence[int],
    *,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Floats:
    """Return the covariances given the evidence, (rows, columns, columns).

    Where missing cells are modelled, the covariance of two columns is over rows that have both, as
    in pandas, which takes a pass through the circuit per pair. All other covariances of many
    columns take one pass per row.
    """
    centre, spread = _mean_and_variance(circuit, evidence, columns, impossible, n_threads)
    # NaN marks impossible rows, whose total is zero; the passes below get numbers only.
    centres = dict(zip(columns, np.nan_to_num(centre.T), strict=True))
    total = expectation(circuit, evidence, {}, n_threads)
    n_rows, k = centre.shape
    found = np.zeros((n_rows, k, k))
    found[:, np.arange(k), np.arange(k)] = spread
    pairs = np.array(list(combinations(range(k), 2)), dtype=np.int64).reshape(-1, 2)
    gaps = np.array([circuit.schema.columns[i].missing == "modelled" for i in columns], dtype=bool)
    for i, j in pairs[gaps[pairs].any(axis=1)].tolist():
        pair = (columns[i], columns[j])
        found[:, i, j] = found[:, j, i] = _of_complete_rows(circuit, evidence, pair, n_threads)
    pairs = pairs[~gaps[pairs].any(axis=1)]
    if len(pairs) > _FEW_PAIRS:
        whole = np.flatnonzero(~gaps)
        for row in range(n_rows):
            about = dict(zip(np.asarray(columns)[whole].tolist(), centre[row, whole], strict=True))
            value = _of_row(circuit, evidence.rows(np.array([row])), about, n_threads)
            value[np.diag_indices(whole.size)] = spread[row, whole]
            found[row][np.ix_(whole, whole)] = value
        return found
    together = max(1, BLOCK_ROWS // max(n_rows, 1))  # pairs that fill a block
    for at in range(0, len(pairs), together):
        some = pairs[at : at + together]
        joint = _products(circuit, evidence, np.asarray(columns)[some], centres, n_threads)
        value = joint.over(total.tile(len(some))).reshape(len(some), n_rows).T
        value[np.isnan(centre[:, some]).any(axis=2)] = np.nan
        found[:, some[:, 0], some[:, 1]] = found[:, some[:, 1], some[:, 0]] = value
    return found


def _of_row(
    circuit: Circuit, row: Evidence, centres: Mapping[int, float], n_threads: int | None
) -> Floats:
    """Return the covariances of columns about their means, (columns, columns); NaN if impossible.

    The diagonal lacks the variances inside leaves.
    """
    columns = np.array(list(centres), dtype=np.int64)
    if np.isnan(list(centres.values())).any():
        return np.full((columns.size, columns.size), np.nan)
    means = _leaf_means(circuit, row, centres)
    return covariances_between(circuit, row, columns, means, n_threads)


def _of_complete_rows(
    circuit: Circuit, evidence: Evidence, pair: tuple[int, int], n_threads: int | None
) -> Floats:
    """Return the covariance of two columns where neither is missing, (rows,); NaN if one is."""
    known = without_missing(circuit.schema, evidence, pair)
    centre = _mean_and_variance(circuit, known, pair, "nan", n_threads)[0]
    centres = dict(zip(pair, np.nan_to_num(centre.T), strict=True))
    joint = _products(circuit, known, np.array([pair]), centres, n_threads)
    value = joint.over(expectation(circuit, known, {}, n_threads))
    return np.where(np.isnan(centre).any(axis=1), np.nan, value)


def _products(
    circuit: Circuit,
    evidence: Evidence,
    pairs: Offsets,
    centres: Mapping[int, Floats],
    n_threads: int | None,
) -> WideNumbers:
    """Return E[(x − centre)(y − centre) · 1(evidence)] for each pair and row, pair after pair."""
    powers = {}
    for column in np.unique(pairs).tolist():
        order = (pairs == column).sum(axis=1)
        shift = np.tile(centres[column], len(pairs))
        powers[column] = Power(np.repeat(order, evidence.n_rows), shift)
    every_pair = evidence.rows(np.tile(np.arange(evidence.n_rows), len(pairs)))
    return expectation(circuit, every_pair, powers, n_threads)


def _mean_and_variance(
    circuit: Circuit,
    evidence: Evidence,
    columns: Sequence[int],
    impossible: Impossible,
    n_threads: int | None,
) -> tuple[Floats, Floats]:
    """Return both, (rows, columns), from the posteriors of all columns at once."""
    evidence.check(circuit.schema)
    _must_have_numbers(circuit, columns)
    centre = np.empty((evidence.n_rows, len(columns)))
    spread = np.empty(centre.shape)
    log_likelihood = np.empty(evidence.n_rows)
    width = sum(column.n_levels for column in circuit.schema.columns) + circuit.n_leaves
    size = max(1, _POSTERIOR_NUMBERS // width)
    for start in range(0, evidence.n_rows, size):
        block = slice(start, start + size)
        rows = evidence.rows(block)
        found = posteriors(
            circuit, rows, columns=list(columns), impossible="nan", n_threads=n_threads
        )
        log_likelihood[block] = found.log_likelihood
        for i, column in enumerate(columns):
            centre[block, i], spread[block, i] = _of_column(found, rows, column)
    unlikely = impossible_rows(log_likelihood, impossible)
    centre[unlikely], spread[unlikely] = np.nan, np.nan
    return centre, spread


def _of_column(found: Posteriors, rows: Evidence, column: int) -> tuple[Floats, Floats]:
    """Return one column's mean and variance, each (rows,).

    Both are computed about a centre near the mean: E[x²] − E[x]² would lose its digits.
    """
    about = found.circuit.schema.columns[column]
    values = rows.values[column]
    is_missing = (values == about.missing_code) & (about.missing == "modelled")
    if about.is_discrete:
        known = np.where(np.isnan(values), 0.0, values).astype(np.intp)
        values = np.where(np.isnan(values), np.nan, numbers(about)[known])
        posterior_moment = _level_moment
    else:
        posterior_moment = _leaf_moment
    start = np.full(rows.n_rows, _location(found.circuit, column))
    bounds = rows.intervals.get(column)
    if bounds is not None:  # a centre inside keeps the digits of a narrow interval far out
        start = np.where(bounds.lo <= bounds.hi, np.clip(start, bounds.lo, bounds.hi), start)
    centre = start + posterior_moment(found, rows, column, 1, start)
    if bounds is not None:
        centre = np.clip(centre, bounds.lo, bounds.hi)
    centre = np.where(np.isnan(values) | is_missing, centre, values)
    about_centre = np.nan_to_num(centre)
    spread = posterior_moment(found, rows, column, 2, about_centre)
    # Far out the mean is rounded to the nearest float, which may be deviations away.
    off = posterior_moment(found, rows, column, 1, about_centre)
    spread = np.where(np.isnan(values), np.maximum(spread - off * off, 0.0), 0.0)
    return np.where(is_missing, np.nan, centre), np.where(is_missing, np.nan, spread)


def _location(circuit: Circuit, column: int) -> float:
    """Return a number amid a column's values."""
    about = circuit.schema.columns[column]
    if about.is_discrete:
        return float(numbers(about).mean())
    leaves = np.flatnonzero(circuit.leaf_column == column).astype(np.int32)
    means = [
        family.moment(params, 1) / np.maximum(family.moment(params, 0), SMALLEST_PROBABILITY)
        for family, _, params in same_shape(circuit, leaves)
    ]
    return float(np.concatenate(means).mean())


def _level_moment(
    found: Posteriors, rows: Evidence, column: int, order: int, shift: Floats
) -> Floats:
    """E[(x − shift) ** order] of a discrete column, (rows,)."""
    about, probability = found.circuit.schema.columns[column], found.levels(column)
    raised = (numbers(about) - shift[:, None]) ** order
    if about.missing == "modelled":  # missing cells do not count
        probability = np.where(np.arange(about.n_levels) < about.missing_code, probability, 0.0)
        total = probability.sum(axis=1, keepdims=True)
        probability = probability / np.where(total > 0.0, total, np.nan)
    return np.asarray((probability * raised).sum(axis=1))


def _leaf_moment(
    found: Posteriors, rows: Evidence, column: int, order: int, shift: Floats
) -> Floats:
    """E[(x − shift) ** order] of a continuous column: the mixture of its leaves' moments.

    Missing cells, where they are modelled, do not count.
    """
    leaves, weights = found.leaves(column)  # (rows, leaves)
    total, present = np.zeros(rows.n_rows), np.zeros(rows.n_rows)
    for where, value, mass in _of_leaves(found.circuit, leaves, rows, column, (order, shift)):
        own = weights[:, where].T
        total += (own * value).sum(axis=0)
        present += (own * mass).sum(axis=0)
    return total / np.where(present > 0.0, present, np.nan)


def _of_leaves(
    circuit: Circuit, leaves: Ids, rows: Evidence, column: int, about: tuple[int, Floats]
) -> Iterator[tuple[Offsets, Floats, Floats]]:
    """Yield groups of leaves with E[(x − shift) ** order · 1(x not missing)] and P(x not missing).

    Both are (leaves, rows), the second may be (1,); ``about`` is the order and the shift.
    """
    order, shift = about
    region = rows.numbers(column, np.arange(rows.n_rows))
    for family, where, params in same_shape(circuit, leaves):
        if isinstance(family, Scaled):
            yield where, *_on_cells(family, params, order, shift, region)
        elif isinstance(region, Interval):
            yield where, moment_inside(family, params, order, shift, region), np.ones(1)
        else:
            yield where, _about(family, params, order, shift), np.ones(1)


def _leaf_means(circuit: Circuit, row: Evidence, centres: Mapping[int, float]) -> Floats:
    """Return E[x | one row] − centre of each leaf over some columns, (leaves,); 0 elsewhere.

    A leaf that is impossible for the row has 0: its flow is 0.
    """
    means = np.zeros(circuit.n_leaves)
    by_column = np.argsort(circuit.leaf_column, kind="stable").astype(np.int32)
    start = np.searchsorted(circuit.leaf_column[by_column], np.arange(len(circuit.schema) + 1))
    tables = leaf_tables(circuit)
    for column, centre in centres.items():
        about, leaves = (
            circuit.schema.columns[column],
            by_column[slice(*start[column : column + 2])],
        )
        if not np.isnan(row.values[column, 0]):
            continue
        if about.is_discrete:
            codes = tables.offset[leaves][:, None] + np.arange(about.n_levels)
            p = tables.entries[codes] * row.allowed_levels(column, about.n_levels)
            with np.errstate(invalid="ignore"):
                means[leaves] = (p @ (numbers(about) - centre)) / p.sum(axis=1)
            continue
        for where, value, _ in _of_leaves(circuit, leaves, row, column, (1, np.array([centre]))):
            means[leaves[where]] = value[:, 0]
    return np.nan_to_num(means)


def _on_cells(
    family: Scaled, params: Floats, order: int, shift: Floats, region: Interval | Listed | None
) -> tuple[Floats, Floats]:
    """Return E[(x − shift) ** order · 1(x not missing) | region] and P(x not missing | region).

    Both are (leaves, rows), the second may be (leaves, 1).
    """
    if region is None:  # one sum over cells per leaf, instead of one per leaf and row
        there = family.moment(params, 0)
        centre = family.moment(params, 1) / np.maximum(there, SMALLEST_PROBABILITY)
        gap = centre[:, None] - shift
        spread = family.moment(params, 2, centre)[:, None]
        value = gap * there[:, None] if order == 1 else gap**2 * there[:, None] + spread
        return value, there[:, None]
    every = params[:, None, :]
    inside = np.exp(family.log_mass(every, region))
    inside = np.where(inside > 0.0, inside, 1.0)
    there = family.moment(every, 0, region=region) / inside
    return family.moment(every, order, shift, region) / inside, there


def _about(family: Family, params: Floats, order: int, shift: Floats) -> Floats:
    """Return E[(x − shift) ** order] of leaves, for order 1 or 2, (leaves, rows)."""
    centre = family.moment(params, 1)
    gap = centre[:, None] - shift
    if order == 1:
        return gap
    spread = family.moment(params, 2, centre)
    return np.asarray(gap**2 + spread[:, None])


def _must_have_numbers(circuit: Circuit, columns: Sequence[int]) -> None:
    """Raise an ``EvidenceError`` if a column is unknown, named twice, or holds text."""
    if len(set(columns)) != len(columns):
        raise EvidenceError(f"each column can be named once, found {list(columns)}")
    for column in columns:
        if not 0 <= column < len(circuit.schema):
            raise EvidenceError(f"there is no column {column}, only {len(circuit.schema)} columns")
        if circuit.schema.columns[column].is_discrete:
            numbers(circuit.schema.columns[column])
