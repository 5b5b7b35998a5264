"""Sufficient statistics of rows whose evidence is an interval of a plain number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.circuit import Circuit, same_shape
from softlearn.kernels.circuit.program import LeafReach, LeafTotals
from softlearn.leaf import Gaussian, Histogram, Interval
from softlearn.query.evidence import Evidence
from softlearn.query.leaf_layout import LeafLayout
from softlearn.query.leaf_statistics import merged


class BlockFlow(NamedTuple):
    """A block of rows, and how much of each of them flows through the slots of a trace."""

    rows: Evidence
    flow: Floats  # (slots, rows)
    reach: LeafReach


class _Inside(NamedTuple):
    """Leaves of one shape, rows with an interval, and the flow between them."""

    leaves: Ids  # (leaves,)
    params: Floats  # (leaves, n)
    weight: Floats  # (leaves, rows)
    region: Interval  # (rows,)


def add_intervals(
    circuit: Circuit, layout: LeafLayout, found: BlockFlow, totals: LeafTotals
) -> LeafTotals:
    """Return the totals with what leaves expect inside the intervals of a block of rows."""
    rows = found.rows
    for column, (lo, hi) in rows.intervals.items():
        if circuit.schema.columns[column].scale is not None:
            continue  # the kernels know its cells
        knows = np.isnan(rows.values[column]) & (np.isfinite(lo) | np.isfinite(hi))
        which = np.flatnonzero(knows)
        if which.size == 0:
            continue
        leaves = np.flatnonzero(circuit.leaf_column == column).astype(np.int32)
        weight = _leaf_flow(found.reach, leaves, found.flow[:, which])
        region = Interval(lo[which], hi[which])
        more = layout.no_rows()
        for family, where, params in same_shape(circuit, leaves):
            inside = _Inside(leaves[where], params, weight[where], region)
            if isinstance(family, Gaussian):
                _add_moments(family, inside, more)
            elif isinstance(family, Histogram):
                _add_bins(family, inside, layout.code_start[leaves[where]], more)
        totals = merged(totals, more)
    return totals


def _leaf_flow(reach: LeafReach, leaves: Ids, flow: Floats) -> Floats:
    """Return the flow of some leaves from all their places, (leaves, rows)."""
    found = np.empty((leaves.size, flow.shape[1]))
    for i, leaf in enumerate(leaves.tolist()):
        found[i] = flow[reach.slot[reach.start[leaf] : reach.start[leaf + 1]]].sum(axis=0)
    return found


def _add_moments(family: Gaussian, inside: _Inside, totals: LeafTotals) -> None:
    """Add the moments of truncated Gaussians, measured from their own means."""
    leaves, params, weight, region = inside
    every, mean = params[:, None, :], params[:, None, 0]
    first = np.where(weight > 0.0, family.moment_given(every, 1, mean, region), 0.0)
    second = np.where(weight > 0.0, family.moment_given(every, 2, mean, region), 0.0)
    total = weight.sum(axis=1)
    offset = (weight * first).sum(axis=1) / np.where(total > 0.0, total, 1.0)
    variance = np.maximum(second - first**2, 0.0)  # rounding may leave less
    totals.weight[leaves] = total
    totals.offset[leaves] = offset
    totals.scatter[leaves] = (weight * (variance + (first - offset[:, None]) ** 2)).sum(axis=1)
    before = np.cumsum(weight, axis=1) - weight
    totals.pairs[leaves] = 2.0 * (before * weight).sum(axis=1)


def _add_bins(family: Histogram, inside: _Inside, start: Offsets, totals: LeafTotals) -> None:
    """Share the weight of each row among the bins that its interval touches."""
    _, params, weight, region = inside
    n_bins = params.shape[1] // 2
    mass = family.log_mass(params[:, None, :], region)
    possible = (weight > 0.0) & (mass > -np.inf)
    for k in range(n_bins):
        lo = np.maximum(region.lo, params[:, k, None])
        hi = np.minimum(region.hi, params[:, k + 1, None])
        part = family.log_mass(params[:, None, :], Interval(lo, hi))
        with np.errstate(invalid="ignore"):
            share = np.where(possible & (lo <= hi), np.exp(part - mass), 0.0)
        totals.codes[start + k] += (weight * share).sum(axis=1)
