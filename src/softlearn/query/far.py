"""Evidence in the far tails: leaf values relative to the leaves on the row's best path.

The log-density of a value a million deviations away is −5e11, so that differences between branches
are lost to rounding. A common factor of all leaves of a column cancels in every conditional
probability. So each column of a row has a reference leaf, and the values of the others are ratios
to it, which are computed without subtracting large numbers.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import Circuit, same_shape
from softlearn.leaf import GAUSSIAN, Known, LogRatio, log_ratio
from softlearn.query.best_path import best_leaves
from softlearn.query.evidence import Evidence
from softlearn.query.leaves import log_values
from softlearn.query.workspace import LeafValues

_FACTOR: Final = 20.0  # logarithms up to this are kept as factors; beyond, rounding does not matter
_ALL_FACTORS: Final = 500.0
# A log-density up to this size is precise enough as it is: 1e-10 or better.
LARGE_LOG: Final = 2.0**20
_NEAR: Final = (2.0 * LARGE_LOG) ** 0.5  # deviations


class _Gaussians(NamedTuple):
    """The Gaussian leaves of a circuit."""

    params: Floats  # (leaves, 2)  NaN for leaves of other families
    lo: Floats  # (columns,)  from lo to hi a value is near all leaves of its column
    hi: Floats  # (columns,)

    @property
    def mean(self) -> Floats:
        """(leaves,) NaN for leaves of other families."""
        return self.params[:, 0]


_GAUSSIANS: WeakKeyDictionary[Circuit, _Gaussians] = WeakKeyDictionary()


def far_rows(circuit: Circuit, evidence: Evidence) -> Bools:
    """Return the rows with a value or an interval far away from some leaf, (rows,)."""
    about = _gaussians(circuit)
    far = np.zeros(evidence.n_rows, dtype=bool)
    says_something = np.array(~np.isnan(evidence.values).all(axis=1))
    says_something[list(evidence.intervals)] = True
    for column in np.flatnonzero(np.isfinite(about.lo) & says_something).tolist():
        known = known_of(evidence, column)
        lo = np.where(np.isnan(known.value), known.lo, known.value)
        hi = np.where(np.isnan(known.value), known.hi, known.value)
        far |= (lo <= hi) & ((lo > about.hi[column]) | (hi < about.lo[column]))
    return far


def gaussian_span(circuit: Circuit, column: int) -> tuple[float, float] | None:
    """Return the lowest and highest mean of a column whose leaves are all Gaussian, else None."""
    means = _gaussians(circuit).mean[circuit.leaf_column == column]
    if means.size == 0 or np.isnan(means).any():
        return None
    return float(means.min()), float(means.max())


def known_of(evidence: Evidence, column: int) -> Known:
    """Return the value or interval of each row in a column of plain numbers."""
    bounds = evidence.intervals.get(column)
    end = np.full(evidence.n_rows, np.inf)
    lo, hi = (-end, end) if bounds is None else bounds
    return Known(evidence.values[column], lo, hi)


def leaf_values(circuit: Circuit, given: Evidence) -> LeafValues:
    """Return the function that evaluates leaves: families, or ratios for rows in the far tails."""
    far = np.flatnonzero(far_rows(circuit, given))
    return RelativeLeaves(circuit, given, far) if far.size else log_values


class RelativeLeaves:
    """Leaf values of one block of rows, relative to a reference leaf in rows in the far tails.

    Attributes
    ----------
    far
        The rows in the far tails.
    base
        (rows,) the logarithm of the number that all values were divided by.
    """

    def __init__(self, circuit: Circuit, given: Evidence, far: Offsets) -> None:
        self.far, self._given = far, given.rows(far)
        self._gaussians = _gaussians(circuit)
        every = np.arange(circuit.n_leaves, dtype=np.int32)
        self._logs = log_values(circuit, every, self._given)
        self._leaf = self._highest(circuit)
        self._leaf = np.where(self._leaf < 0, -1, best_leaves(circuit, self._all(circuit).value))
        used = np.where(self._leaf < 0, 0.0, self._logs[self._leaf, np.arange(far.size)])
        self.base = np.zeros(given.n_rows)
        self.base[far] = used.sum(axis=0)
        del self._logs

    def __call__(
        self, circuit: Circuit, leaves: Ids, rows: Evidence
    ) -> Floats | tuple[Floats, Floats]:
        """Return the logarithms, and factors if these rows know more than those given.

        The share of a narrower interval in a wider one is a separate factor: added to a large
        logarithm it would be rounded, and parts of an interval would not add up to the whole.
        """
        found, some = log_values(circuit, leaves, rows), rows.rows(self.far)
        own = found[:, self.far]
        logs = log_values(circuit, leaves, self._given)
        common = self._relative(circuit, leaves, logs).value
        share = self._shares(circuit, leaves, some, own, logs)
        referred = self._leaf[circuit.leaf_column[leaves]] >= 0
        # All factors of a row together stay inside float64.
        regions = max(len(rows.intervals), 1)
        small = np.abs(share) < min(_FACTOR, _ALL_FACTORS / regions)
        found[:, self.far] = np.where(referred, common + np.where(small, 0.0, share), own)
        if not share.any():
            return found
        factors = np.ones(found.shape)
        factors[:, self.far] = np.where(referred & small, np.exp(np.where(small, share, 0.0)), 1.0)
        return found, factors

    def errors(self, circuit: Circuit) -> Floats:
        """Return a bound of the rounding error of each leaf's logarithm, (leaves, far rows)."""
        every = np.arange(circuit.n_leaves, dtype=np.int32)
        return self._relative(circuit, every, log_values(circuit, every, self._given)).error

    def _shares(
        self, circuit: Circuit, leaves: Ids, rows: Evidence, own: Floats, logs: Floats
    ) -> Floats:
        """Return the log-ratio of these rows to those given, leaf by leaf."""
        share = np.zeros(own.shape)
        column_of = circuit.leaf_column[leaves]
        for column in np.unique(column_of).tolist():
            known, given = known_of(rows, column), known_of(self._given, column)
            if all(np.array_equal(a, b, equal_nan=True) for a, b in zip(known, given, strict=True)):
                continue
            where = np.flatnonzero(column_of == column)
            with np.errstate(invalid="ignore"):
                share[where] = np.where(np.isneginf(own[where]), -np.inf, own[where] - logs[where])
            mine = where[~np.isnan(self._gaussians.mean[leaves[where]])]
            params = self._gaussians.params[leaves[mine]][:, None]
            share[mine] = log_ratio(params, known, params, given).value
        return share

    def _highest(self, circuit: Circuit) -> Ids:
        """Return the reference leaf of each column, the highest; -1 where none is needed."""
        found = np.full((len(circuit.schema), self.far.size), -1, np.int32)
        for column in np.flatnonzero(np.isfinite(self._gaussians.lo)).tolist():
            own = np.flatnonzero(circuit.leaf_column == column)
            known = known_of(self._given, column)
            says = ~np.isnan(known.value) | np.isfinite(known.lo) | np.isfinite(known.hi)
            logs = self._logs[own]
            says &= (logs > -np.inf).any(axis=0)
            found[column] = np.where(says, own[np.argmax(logs, axis=0)], -1)
        return found

    def _all(self, circuit: Circuit) -> LogRatio:
        every = np.arange(circuit.n_leaves, dtype=np.int32)
        return self._relative(circuit, every, self._logs)

    def _relative(self, circuit: Circuit, leaves: Ids, logs: Floats) -> LogRatio:
        """Return logarithms of ratios instead of logarithms, (leaves, far rows)."""
        value, error = logs.copy(), np.zeros(logs.shape)
        column_of = circuit.leaf_column[leaves]
        for column in np.unique(column_of).tolist():
            cells = np.flatnonzero(self._leaf[column] >= 0)
            if cells.size:
                own = np.flatnonzero(column_of == column)
                place = np.ix_(own, cells)
                value[place], error[place] = self._ratios(circuit, leaves[own], cells, logs[place])
        return LogRatio(value, error)

    def _ratios(self, circuit: Circuit, leaves: Ids, cells: Offsets, logs: Floats) -> LogRatio:
        """Return the ratios of one column's leaves to the references of some rows."""
        column = int(circuit.leaf_column[leaves[0]])
        reference, given = self._leaf[column, cells], self._given.rows(cells)
        base = _one_by_one(circuit, reference, given)
        with np.errstate(invalid="ignore"):  # a mass of 0 stays 0, whatever the reference
            value = np.where(np.isneginf(logs), -np.inf, logs - base)
        error = 2.0**-50 * (np.abs(np.where(np.isfinite(value), value, 0.0)) + np.abs(base))
        about = self._gaussians
        mine = np.flatnonzero(~np.isnan(about.mean[leaves]))
        theirs = np.flatnonzero(~np.isnan(about.mean[reference]))
        if mine.size and theirs.size:
            known = Known(*(part[theirs] for part in known_of(given, column)))
            params, other = about.params[leaves[mine]][:, None], about.params[reference[theirs]]
            place = np.ix_(mine, theirs)
            value[place], error[place] = log_ratio(params, known, other, known)
        return LogRatio(value, error)


def _one_by_one(circuit: Circuit, leaves: Ids, rows: Evidence) -> Floats:
    """Return the log-value of one leaf for each row, (rows,)."""
    found = np.empty(leaves.size)
    for leaf in np.unique(leaves).tolist():
        where = np.flatnonzero(leaves == leaf)
        one = np.array([leaf], dtype=np.int32)
        found[where] = log_values(circuit, one, rows.rows(where))[0]
    return found


def _gaussians(circuit: Circuit) -> _Gaussians:
    if circuit not in _GAUSSIANS:
        params = np.full((circuit.n_leaves, 2), np.nan)
        leaves = np.arange(circuit.n_leaves, dtype=np.int32)
        for family, where, own in same_shape(circuit, leaves):
            if family is GAUSSIAN:
                params[where] = own
        lo, hi = np.full((2, len(circuit.schema)), np.nan)
        with np.errstate(over="ignore"):
            low, high = params[:, 0] - _NEAR * params[:, 1], params[:, 0] + _NEAR * params[:, 1]
        np.fmax.at(lo, circuit.leaf_column, low)
        np.fmin.at(hi, circuit.leaf_column, high)
        _GAUSSIANS[circuit] = _Gaussians(params, lo, hi)
    return _GAUSSIANS[circuit]
