"""Complete rows by max-product: exact where that can be shown, and an approximation elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import Circuit, same_shape
from softlearn.leaf import Interval
from softlearn.query.best_path import log_graph
from softlearn.query.coding import log_base
from softlearn.query.evidence import Evidence
from softlearn.query.far import RelativeLeaves, far_rows, gaussian_span, leaf_values
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.likelihood import log_likelihood
from softlearn.query.patterns import patterns_of
from softlearn.query.workspace import blocks, over_rows

_BLOCK_NUMBERS = 1 << 19  # 4 MB of node values, in rows
_MOST_ROWS, _FEWEST_ROWS = 256, 4


@dataclass(frozen=True, eq=False)
class Completion:
    """Rows completed by max-product.

    Attributes
    ----------
    values
        (columns, rows) the known values, and elsewhere the mode of the chosen leaf inside the
        evidence; NaN where the evidence is impossible.
    log_likelihood
        (rows,) the exact log-density of the completed row, -inf where the evidence is impossible.
    max_product
        (rows,) the log-density of the best single path through the circuit, which is at most the
        log-likelihood.
    exact
        (rows,) True if it is proven that no row that fits the evidence is more probable: at every
        sum at most one branch is possible, or all branches are highest at the completed row. Where
        it is False, the completion is an approximation of the most probable one.
    """

    values: Floats
    log_likelihood: Floats
    max_product: Floats
    exact: Bools


def most_probable(
    circuit: Circuit,
    evidence: Evidence,
    *,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Completion:
    """Complete each row by max-product, and check whether that is provably the most probable row.

    Of equally good branches the first is taken.
    """
    evidence.check(circuit.schema)
    hopeless = impossible_rows(log_likelihood(circuit, evidence, n_threads=n_threads), impossible)
    search = _Search(circuit, evidence)
    if evidence.n_rows:
        over_rows(search.work, evidence.n_rows, n_threads)
    search.values[:, hopeless] = np.nan
    score = log_likelihood(circuit, Evidence(search.values), n_threads=n_threads)
    search.best += log_base(circuit.schema, evidence)
    score[hopeless], search.best[hopeless] = -np.inf, -np.inf
    return Completion(search.values, score, search.best, search.exact & ~hopeless)


class _Search:
    """The passes over blocks of rows, and their results so far."""

    def __init__(self, circuit: Circuit, evidence: Evidence) -> None:
        self.circuit, self.evidence = circuit, evidence
        self.peaks = _Peaks.of(circuit)
        self.patterns = patterns_of(circuit, evidence)
        self.values = evidence.values.copy()
        self.best = np.empty(evidence.n_rows)
        self.exact = np.empty(evidence.n_rows, dtype=bool)

    def work(self, first: int, last: int) -> None:
        """Complete rows first:last."""
        from softlearn.kernels.circuit.maximum import climb, prove, trace_back  # noqa: PLC0415

        circuit, n_leaves = self.circuit, self.circuit.n_leaves
        most = min(_MOST_ROWS, max(_FEWEST_ROWS, _BLOCK_NUMBERS // circuit.n_nodes))
        size = min(most, last - first)
        graph, (values, slack) = log_graph(circuit), np.empty((2, circuit.n_nodes, size))
        proven, stack = np.empty(values.shape, dtype=bool), np.empty(len(circuit.schema), np.int32)
        chosen = np.empty((len(circuit.schema), size), np.int32)
        for start in blocks(first, last, size):
            block = slice(start, start + size)
            rows = self.evidence.rows(block)
            values[:n_leaves], base, slack[:n_leaves] = _highest(circuit, rows, self.peaks)
            climb(graph, values)
            self.best[block] = values[-1] + base
            trace_back(graph, values, stack, chosen)
            completed = _completed(circuit, rows, chosen, self.peaks)
            self.values[:, block] = completed
            proven[:n_leaves] = _at_peak(circuit, rows, completed, self.peaks)
            pattern = self.patterns.of_row[block]
            prove(graph, self.patterns.apart, pattern, values, slack, proven)
            self.exact[block] = proven[-1] & ~_undecided(circuit, rows)


class _Peaks(NamedTuple):
    """The mode and the highest log-density of each leaf without evidence."""

    mode: Floats  # (leaves,)
    log_density: Floats  # (leaves,)

    @staticmethod
    def of(circuit: Circuit) -> _Peaks:
        peaks = _Peaks(np.empty(circuit.n_leaves), np.empty(circuit.n_leaves))
        leaves = np.arange(circuit.n_leaves, dtype=np.int32)
        for family, where, params in same_shape(circuit, leaves):
            peaks.mode[where] = family.mode(params)
            peaks.log_density[where] = family.log_density(params, peaks.mode[where])
        return peaks


def _highest(circuit: Circuit, rows: Evidence, peaks: _Peaks) -> tuple[Floats, Floats, Floats]:
    """Return the log of the highest density of each leaf inside the evidence, (leaves, rows).

    Values in the far tails are relative to a reference, whose logarithm is the second result,
    (rows,). The third is a bound of the rounding errors of these ratios, (leaves, rows).
    """
    leaves = np.arange(circuit.n_leaves, dtype=np.int32)
    nearest = Evidence(_nearest_ends(circuit, rows))
    relative = leaf_values(circuit, nearest)
    base, slack = np.zeros(rows.n_rows), np.zeros((leaves.size, rows.n_rows))
    if isinstance(relative, RelativeLeaves):
        base, slack[:, relative.far] = relative.base, relative.errors(circuit)
    values = np.asarray(relative(circuit, leaves, nearest))
    unobserved = nearest.unobserved()
    values += np.where(unobserved[circuit.leaf_column], peaks.log_density[:, None], 0.0)
    for column, cells in _partly_known(rows):
        open_cells = cells[unobserved[column, cells]]
        own = np.flatnonzero(circuit.leaf_column == column).astype(np.int32)
        region = rows.region(column, open_cells)
        for family, where, params in same_shape(circuit, own):
            every = params[:, None, :]
            height = family.log_density(every, family.mode(every, region))
            values[np.ix_(own[where], open_cells)] = height
    return values, base, slack


def _nearest_ends(circuit: Circuit, rows: Evidence) -> Floats:
    """Return the values, and the end of an interval at which all Gaussian leaves are highest.

    In the far tails that replaces an interval by a value, which can be compared with a reference.
    """
    values = rows.values.copy()
    for column, bounds in rows.intervals.items():
        span = gaussian_span(circuit, column)
        if span is not None:
            lowest, highest = span
            below, above = bounds.lo >= highest, bounds.hi <= lowest
            end = np.where(below, bounds.lo, np.where(above, bounds.hi, np.nan))
            end = np.where(bounds.lo <= bounds.hi, end, np.nan)
            values[column] = np.where(np.isnan(values[column]), end, values[column])
    return values


def _undecided(circuit: Circuit, rows: Evidence) -> Bools:
    """Return the rows whose branches cannot be compared because of rounding."""
    settled = ~np.isnan(_nearest_ends(circuit, rows))
    intervals = {
        column: Interval(
            np.where(settled[column], -np.inf, bounds.lo),
            np.where(settled[column], np.inf, bounds.hi),
        )
        for column, bounds in rows.intervals.items()
    }
    return far_rows(circuit, Evidence(np.full(rows.values.shape, np.nan), {}, intervals))


def _at_peak(circuit: Circuit, rows: Evidence, completed: Floats, peaks: _Peaks) -> Bools:
    """Return which leaves are as high at the completed row as inside its evidence, (leaves, rows).

    Both heights are computed by the same function, so they are compared without a tolerance.
    """
    leaves = np.arange(circuit.n_leaves, dtype=np.int32)
    unobserved = rows.unobserved()[circuit.leaf_column]
    found = ~unobserved
    for family, where, params in same_shape(circuit, leaves):
        every, x = params[:, None, :], completed[circuit.leaf_column[where]]
        same = x == peaks.mode[where][:, None]
        height = family.log_density(every, np.where(np.isnan(x), peaks.mode[where][:, None], x))
        found[where] |= same | (height >= peaks.log_density[where][:, None])
    for column, cells in _partly_known(rows):
        own = np.flatnonzero(circuit.leaf_column == column).astype(np.int32)
        region, x = rows.region(column, cells), completed[column, cells]
        for family, where, params in same_shape(circuit, own):
            every = params[:, None, :]
            mode = family.mode(every, region)
            x = np.where(np.isnan(x), mode[0], x)
            peak = (mode == x) | (family.log_density(every, x) >= family.log_density(every, mode))
            found[np.ix_(own[where], cells)] = peak
    return found


def _completed(circuit: Circuit, rows: Evidence, chosen: Ids, peaks: _Peaks) -> Floats:
    """Return the rows with the mode of the chosen leaf in every cell that has no value."""
    found = np.where(rows.unobserved() & (chosen >= 0), peaks.mode[chosen], rows.values)
    for column, cells in _partly_known(rows):
        some = cells[chosen[column, cells] >= 0]
        for family, where, params in same_shape(circuit, chosen[column, some]):
            region = rows.region(column, some[where])
            found[column, some[where]] = family.mode(params, region)
    return found


def _partly_known(rows: Evidence) -> list[tuple[int, Offsets]]:
    """Return the columns with sets or intervals, and the rows in which these count."""
    columns = rows.partly_known
    cells = [np.flatnonzero(np.isnan(rows.values[column])) for column in columns]
    return [(c, some) for c, some in zip(columns, cells, strict=True) if some.size]
