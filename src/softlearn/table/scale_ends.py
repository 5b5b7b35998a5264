"""The cells of a scale that lie beyond the lowest and the highest value."""

from __future__ import annotations

from typing import Final

import numpy as np

from softlearn.arrays import Floats
from softlearn.numeric_policy import BEYOND_BOUND, SHARE_OF_A_LONE_VALUE
from softlearn.table.resolution import Grid
from softlearn.table.scale_parts import Bounds, Distinct, LineCells

# A tail is cut into cells whose lengths grow by this factor, until no number is left out.
_TAIL_GROWTH = 32.0
TAIL_CELLS: Final = 11
_FURTHEST_STEP = 2.0**50


def with_ends(cells: LineCells, column: Distinct, grid: Grid, bounds: Bounds) -> LineCells:
    """Add what lies beyond the lowest and the highest value."""
    with np.errstate(over="ignore", invalid="ignore"):  # cells beyond all numbers are left out
        low = _end(column, grid, bounds.lower, bounds.is_hard[0], side=-1)
        high = _end(column, grid, bounds.upper, bounds.is_hard[1], side=1)
    return LineCells(
        np.concatenate([low.left, cells.left, high.left]),
        np.concatenate([low.right, cells.right, high.right]),
        np.concatenate([low.share, cells.share, high.share]),
        np.concatenate([low.atom, cells.atom, high.atom]),
    )


def _end(column: Distinct, grid: Grid, bound: float | None, is_hard: bool, side: int) -> LineCells:
    """Return the cells beyond the last value of one side, in ascending order."""
    last = float(column.value[-1 if side > 0 else 0])
    at_last = float(column.weight[-1 if side > 0 else 0])
    new = 0.5 / ((column.mass + 1.0) * max(at_last, 1.0))
    lengths, shares = [], []
    if bound is not None:
        room = abs(bound - last)
        if room >= max(grid.step, np.spacing(abs(last))):
            lengths.append(room)
            shares.append(new)
        new = 0.0 if is_hard else BEYOND_BOUND
    if new:
        growth = _TAIL_GROWTH ** np.arange(TAIL_CELLS)
        lengths += (_tail_length(column, grid, side) * growth).tolist()
        power = growth**-3.0
        shares += (new * power / power.sum()).tolist()
    return _laid_out(last, np.array(lengths), np.array(shares), grid, side)


def _laid_out(last: float, lengths: Floats, shares: Floats, grid: Grid, side: int) -> LineCells:
    """Return cells of these lengths one after the other, away from the last value."""
    if grid.step:
        counts = np.maximum(np.rint(lengths / grid.step), 1.0)
        outer = last + side * np.cumsum(counts) * grid.step
        inner = outer - side * (counts - 1.0) * grid.step
    else:
        outer = last + side * np.cumsum(lengths)
        inner = np.concatenate([[last], outer[:-1]])
        inner = np.nextafter(inner, side * np.inf) if inner.size else inner
    # Beyond a million thousand million steps float64 no longer tells neighbours on a grid apart.
    fits = np.isfinite(outer) & (np.abs(outer) < _FURTHEST_STEP * grid.step if grid.step else True)
    inner, outer, shares = inner[fits], outer[fits], shares[fits]
    left, right = (inner, outer) if side > 0 else (outer[::-1], inner[::-1])
    ordered = shares if side > 0 else shares[::-1]
    return LineCells(left, right, ordered, np.zeros(left.size, dtype=bool))


def _tail_length(column: Distinct, grid: Grid, side: int) -> float:
    """Return how far new values may lie beyond the last one: as far as the last few spread."""
    few = 1.0 / np.sqrt(column.mass + 1.0)
    spread = float(column.value[-1] - column.value[0])
    end = float(column.value[-1 if side > 0 else 0])
    near = abs(end - float(column.quantile(1.0 - few if side > 0 else few)))
    return max(
        near,
        0.01 * spread,
        grid.step,
        (abs(end) or 1.0) * SHARE_OF_A_LONE_VALUE if not spread else 0.0,
    )
