"""Encode numbers as cells of their columns' scales, as kernels read them."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit import cells_of
from softlearn.leaf import Cells, Interval, Listed
from softlearn.query.evidence import Evidence
from softlearn.table.schema import Column, Schema


def code_counts(schema: Schema) -> Offsets:
    """Return how many codes each column has, (columns,): levels, cells, or 0 for plain numbers."""
    return np.array([_n_codes(column) for column in schema.columns], dtype=np.int64)


def coded(schema: Schema, evidence: Evidence) -> tuple[Floats, dict[int, Floats]]:
    """Return the evidence in codes, (columns, rows), and a factor per code where regions are known.

    Plain numbers and intervals of them stay unchanged.
    """
    factors = {column: mask.astype(np.float64) for column, mask in evidence.sets.items()}
    values = evidence.values
    for position, column in enumerate(schema.columns):
        cells = cells_of(column)
        if cells is None:
            continue
        if values is evidence.values:
            values = values.copy()
        code = cells.code(evidence.values[position])
        nowhere = (code < 0) & ~np.isnan(evidence.values[position])
        values[position] = np.where(code < 0, np.nan, code)
        region = evidence.intervals.get(position, evidence.listed.get(position))
        if region is not None or nowhere.any():
            factors[position] = _shares(cells, region, evidence.n_rows)
            factors[position][nowhere] = 0.0
    return values, factors


def log_base(schema: Schema, evidence: Evidence) -> Floats:
    """Return what the known numbers of each row add to the log-probability of their cells, (rows,).

    It is the same for all circuits over these columns: densities inside cells do not depend on
    leaves.
    """
    total = np.zeros(evidence.n_rows)
    for position, column in enumerate(schema.columns):
        cells = cells_of(column)
        if cells is not None:
            known = evidence.values[position]
            code = cells.code(known)
            total += np.where(code < 0, 0.0, cells.log_base_at(known, code))
    return total


def needs_families(schema: Schema, evidence: Evidence) -> bool:
    """Return whether any row knows an interval of plain numbers, which only families evaluate."""
    return any(schema.columns[position].scale is None for position in evidence.intervals)


def _n_codes(column: Column) -> int:
    if column.scale is None:
        return column.n_levels
    return len(column.scale.left) + (column.missing == "modelled")


def _shares(cells: Cells, region: Interval | Listed | None, n_rows: int) -> Floats:
    """Return the share of each cell that lies in the region of each row, (rows, cells)."""
    if region is None:
        return np.ones((n_rows, cells.n))
    return np.broadcast_to(cells.inside(region).share, (n_rows, cells.n)).copy()
