"""Ask many leaves at once: leaves of one shape form a matrix that their family answers for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.circuit import Circuit
from softlearn.leaf import FAMILIES, Family, Interval, Members
from softlearn.query.evidence import Evidence


def same_shape(circuit: Circuit, leaves: Ids) -> Iterator[tuple[Family, Ids, Floats]]:
    """Yield (family, positions in ``leaves``, their parameters as a matrix)."""
    length = np.diff(circuit.param_start)[leaves]
    family = circuit.leaf_family[leaves]
    key = family.astype(np.int64) * (1 + int(length.max(initial=0))) + length
    for value in np.unique(key):
        where = np.flatnonzero(key == value).astype(np.int32)
        first = where[0]
        columns = np.arange(length[first])
        params = circuit.params[circuit.param_start[leaves[where]][:, None] + columns]
        yield FAMILIES[int(family[first])], where, params


def discrete_tables(circuit: Circuit) -> tuple[Floats, Offsets]:
    """Return the probabilities of all discrete leaves, each followed by 1.0 for "unobserved".

    The second array says where the entries of each leaf start.
    """
    discrete = np.array([family.discrete for family in FAMILIES])[circuit.leaf_family]
    n_levels = np.array([column.n_levels for column in circuit.schema.columns])
    size = np.where(discrete, n_levels[circuit.leaf_column] + 1, 0)
    offset = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    table = np.ones(offset[-1])
    leaves = np.flatnonzero(discrete).astype(np.int32)
    for family, where, params in same_shape(circuit, leaves):
        levels = n_levels[circuit.leaf_column[leaves[where]]]
        for count in np.unique(levels):  # a family may store fewer numbers than levels
            mine = levels == count
            codes = np.arange(count, dtype=np.float64)
            log_p = family.log_density(params[mine][:, None, :], codes[None, :])
            table[offset[leaves[where[mine]]][:, None] + np.arange(count)] = np.exp(log_p)
    return table, offset[:-1]


def log_values(circuit: Circuit, leaves: Ids, evidence: Evidence) -> Floats:
    """Return the log-probability (or density) of the evidence at each leaf, (leaves, rows)."""
    columns = circuit.leaf_column[leaves]
    out = np.zeros((leaves.size, evidence.n_rows))
    for family, where, params in same_shape(circuit, leaves):
        x = evidence.values[columns[where]]
        unobserved = np.isnan(x)
        if unobserved.all():
            continue
        with np.errstate(invalid="ignore"):
            found = family.log_density(params[:, None, :], np.where(unobserved, 0.0, x))
        out[where] = np.where(unobserved, 0.0, found)
    _regions(circuit, leaves, evidence, out)
    return out


def _regions(circuit: Circuit, leaves: Ids, evidence: Evidence, out: Floats) -> None:
    """Overwrite the cells whose evidence is a set or an interval."""
    columns = circuit.leaf_column[leaves]
    for column in np.unique(columns).tolist():
        region = evidence.sets.get(column, evidence.intervals.get(column))
        if region is None:
            continue
        rows = np.flatnonzero(np.isnan(evidence.values[column]))
        where = np.flatnonzero(columns == column)
        if isinstance(region, Interval):
            inside: Interval | Members = Interval(region.lo[rows], region.hi[rows])
        else:
            inside = Members(region[rows])
        for family, own, params in same_shape(circuit, leaves[where]):
            out[np.ix_(where[own], rows)] = family.log_mass(params[:, None, :], inside)
