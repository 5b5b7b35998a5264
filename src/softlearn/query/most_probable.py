"""Complete rows by max-product: exact where that can be shown, and an approximation elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import SUM, Circuit, same_shape
from softlearn.circuit.determinism import is_deterministic
from softlearn.numeric_policy import REACHED_BOUND
from softlearn.query.coding import log_base
from softlearn.query.evidence import Evidence
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.leaves import log_values
from softlearn.query.likelihood import log_likelihood
from softlearn.query.workspace import blocks, over_rows

if TYPE_CHECKING:
    from softlearn.kernels.maximum import LogGraph

_BLOCK_NUMBERS = 1 << 19  # 4 MB of node values, in rows
_MOST_ROWS, _FEWEST_ROWS = 256, 4


@dataclass(frozen=True, eq=False)
class Completion:
    """Rows completed by max-product.

    Attributes
    ----------
    values
        (columns, rows) what was known, and for the rest the mode of the chosen leaf inside the
        evidence; NaN where the evidence is impossible.
    log_likelihood
        (rows,) the exact log-density of the completed row, -inf where the evidence is impossible.
    max_product
        (rows,) the log-density of the best single path through the circuit, which is at most the
        log-likelihood.
    exact
        (rows,) True if no row that fits the evidence is more probable: the circuit is
        deterministic, nothing was left to complete, or an upper bound is reached. Where it is
        False, the completion is an approximation of the most probable one.
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
    """Return each row completed by max-product, and whether that is the most probable completion.

    On a deterministic circuit it is, up to the single points in which intervals of different
    leaves touch. Of equally good branches the first is taken.
    """
    evidence.must_fit(circuit.schema)
    hopeless = impossible_rows(log_likelihood(circuit, evidence, n_threads=n_threads), impossible)
    search = _Search(circuit, evidence)
    if evidence.n_rows:
        over_rows(search.work, evidence.n_rows, n_threads)
    search.values[:, hopeless] = np.nan
    score = log_likelihood(circuit, Evidence(search.values), n_threads=n_threads)
    known_base = log_base(circuit.schema, evidence)
    search.best += known_base
    search.bound += known_base
    score[hopeless], search.best[hopeless], search.bound[hopeless] = -np.inf, -np.inf, np.inf
    known = ~np.isnan(evidence.values).any(axis=0)
    reached = search.bound - score <= REACHED_BOUND * (1.0 + np.abs(score))
    exact = (known | reached | search.deterministic) & ~hopeless
    return Completion(search.values, score, search.best, exact)


_DETERMINISTIC: WeakKeyDictionary[Circuit, bool] = WeakKeyDictionary()


class _Search:
    """The passes over blocks of rows, and what they have found so far."""

    def __init__(self, circuit: Circuit, evidence: Evidence) -> None:
        if circuit not in _DETERMINISTIC:
            _DETERMINISTIC[circuit] = is_deterministic(circuit)
        self.deterministic = _DETERMINISTIC[circuit]
        self.circuit, self.evidence = circuit, evidence
        self.peaks = _Peaks.of(circuit)
        self.values = evidence.values.copy()
        self.best = np.empty(evidence.n_rows)
        self.bound = np.full(evidence.n_rows, np.inf)

    def work(self, first: int, last: int) -> None:
        """Complete rows first:last."""
        from softlearn.kernels.maximum import climb, trace_back  # noqa: PLC0415 - loads Numba

        n_nodes, n_columns = self.circuit.n_nodes, len(self.circuit.schema)
        most = min(_MOST_ROWS, max(_FEWEST_ROWS, _BLOCK_NUMBERS // n_nodes))
        size = min(most, last - first)
        graph, values = _log_graph(self.circuit), np.empty((n_nodes, size))
        total, stack = np.empty(size), np.empty(n_columns, np.int32)
        chosen = np.empty((n_columns, size), np.int32)
        for start in blocks(first, last, size):
            block = slice(start, start + size)
            rows = self.evidence.rows(block)
            values[: self.circuit.n_leaves] = _highest(self.circuit, rows, self.peaks)
            climb(graph, values, total, False)
            self.best[block] = values[-1]
            trace_back(graph, values, stack, chosen)
            self.values[:, block] = _completed(self.circuit, rows, chosen, self.peaks)
            if not self.deterministic:
                # Sums of the branches' maxima are at least the maximum of their sum.
                climb(graph, values, total, True)
                self.bound[block] = values[-1]


class _Peaks(NamedTuple):
    """Where each leaf is highest when nothing is known of its column, and how high."""

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


def _log_graph(circuit: Circuit) -> LogGraph:
    from softlearn.kernels.maximum import LogGraph  # noqa: PLC0415 - loads Numba

    with np.errstate(divide="ignore"):
        log_weight = np.log(circuit.weight)
    is_sum = circuit.kind == SUM
    return LogGraph(circuit.edge_start, circuit.child, log_weight, is_sum, circuit.leaf_column)


def _highest(circuit: Circuit, rows: Evidence, peaks: _Peaks) -> Floats:
    """Return the log of the highest density of each leaf inside the evidence, (leaves, rows)."""
    leaves = np.arange(circuit.n_leaves, dtype=np.int32)
    unobserved = rows.unobserved()
    values = log_values(circuit, leaves, Evidence(rows.values))
    values += np.where(unobserved[circuit.leaf_column], peaks.log_density[:, None], 0.0)
    for column, cells in _partly_known(rows):
        own = np.flatnonzero(circuit.leaf_column == column).astype(np.int32)
        region = rows.region(column, cells)
        for family, where, params in same_shape(circuit, own):
            every = params[:, None, :]
            height = family.log_density(every, family.mode(every, region))
            values[np.ix_(own[where], cells)] = height
    return values


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
