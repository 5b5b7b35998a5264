"""Evaluate many leaves at once: leaves of the same shape form a matrix of parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import Circuit, Structure, same_shape
from softlearn.leaf import Interval, Scaled
from softlearn.numeric_policy import SHARPEST
from softlearn.query.coding import code_counts
from softlearn.query.evidence import Evidence


class LeafTables(NamedTuple):
    """The tables from which kernels evaluate leaves without calling their families."""

    entries: Floats  # probabilities and a 1.0 for "unobserved"; peak, centre and sharpness
    offset: Offsets  # (leaves,) where each leaf's entries begin
    parabolic: Bools  # (leaves,) whether they describe a parabola


def leaf_tables(circuit: Circuit) -> LeafTables:
    """Return the probabilities of all codes, and the parabolas of leaves that have one."""
    n_levels = code_counts(circuit.schema)[circuit.leaf_column]
    offset = _table_starts(n_levels)
    entries = np.ones(offset[-1])
    parabolic = np.zeros(circuit.n_leaves, dtype=bool)
    for family, where, params in same_shape(circuit, np.arange(circuit.n_leaves, dtype=np.int32)):
        for count in np.unique(n_levels[where]):  # a family may store fewer numbers than levels
            mine = n_levels[where] == count
            start = offset[where[mine]][:, None]
            if isinstance(family, Scaled):
                entries[start + np.arange(count)] = family.probabilities(params[mine])
                continue
            if family.discrete:
                codes = np.arange(count, dtype=np.float64)
                log_p = family.log_density(params[mine][:, None, :], codes[None, :])
                entries[start + np.arange(count)] = np.exp(log_p)
                continue
            shape = family.parabola(params[mine])
            if shape is not None:
                entries[start + np.arange(3)] = shape
                # Sharper or flatter ones would overflow where their logarithm does not.
                sound = (shape[:, 2] < SHARPEST) & (shape[:, 2] > 1.0 / SHARPEST)
                parabolic[where[mine]] = sound
    return LeafTables(entries, offset[:-1], parabolic)


def table_offsets(structure: Structure) -> Offsets:
    """Return where each leaf's entries begin, (leaves,); it does not depend on parameters."""
    return _table_starts(code_counts(structure.schema)[structure.leaf_column])[:-1]


def _table_starts(n_levels: Offsets) -> Offsets:
    size = np.where(n_levels > 0, n_levels + 1, 3)
    return np.concatenate([[0], np.cumsum(size)]).astype(np.int64)


def log_values(circuit: Circuit, leaves: Ids, evidence: Evidence) -> Floats:
    """Return the log-probability (or density) of the evidence at each leaf, (leaves, rows).

    A number of a column with a scale counts by its cell; ``log_base`` has the rest.
    """
    columns = circuit.leaf_column[leaves]
    out = np.zeros((leaves.size, evidence.n_rows))
    for family, where, params in same_shape(circuit, leaves):
        x = evidence.values[columns[where]]
        unobserved = np.isnan(x)
        if unobserved.all():
            continue
        known = np.where(unobserved, 0.0, x)
        with np.errstate(invalid="ignore"):
            if isinstance(family, Scaled):
                found = family.log_cell(params[:, None, :], known)
            else:
                found = family.log_density(params[:, None, :], known)
        out[where] = np.where(unobserved, 0.0, found)
    _regions(circuit, leaves, evidence, out)
    return out


def _regions(circuit: Circuit, leaves: Ids, evidence: Evidence, out: Floats) -> None:
    """Overwrite the entries whose evidence is a region."""
    columns = circuit.leaf_column[leaves]
    bounded = [i for i in evidence.intervals if circuit.schema.columns[i].scale is None]
    _intervals(circuit, leaves, evidence, bounded, out)
    others = set(evidence.partly_known) - set(bounded)
    for column in set(np.unique(columns).tolist()) & others:
        rows = np.flatnonzero(np.isnan(evidence.values[column]))
        where = np.flatnonzero(columns == column)
        region = evidence.region(column, rows)
        if region is None:
            continue
        for family, own, params in same_shape(circuit, leaves[where]):
            out[np.ix_(where[own], rows)] = family.log_mass(params[:, None, :], region)


def _intervals(
    circuit: Circuit, leaves: Ids, evidence: Evidence, bounded: list[int], out: Floats
) -> None:
    """Overwrite the entries of plain numbers whose evidence is an interval.

    Rows may bound different columns: families are only called for matching leaves and rows.
    """
    if not bounded:
        return
    bounds = [evidence.intervals[column] for column in bounded]
    lo, hi = np.array([one.lo for one in bounds]), np.array([one.hi for one in bounds])
    open_cells = np.isnan(evidence.values[bounded])
    applies = open_cells & ~(np.isneginf(lo) & np.isposinf(hi))  # (bounded columns, rows)
    place = np.full(len(circuit.schema), -1)
    place[bounded] = np.arange(len(bounded))
    own = place[circuit.leaf_column[leaves]]  # (leaves,) in ``bounded``, or -1
    cut = np.flatnonzero(own >= 0)
    for family, where, params in same_shape(circuit, leaves[cut]):
        column = own[cut[where]]
        leaf, row = np.nonzero(applies[column])
        region = Interval(lo[column[leaf], row], hi[column[leaf], row])
        out[cut[where[leaf]], row] = family.log_mass(params[leaf], region)
