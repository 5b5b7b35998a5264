"""The tails of a scale: cells of growing length beyond the lowest and highest value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.numeric_policy import (
    BEYOND_BOUND,
    LEAST_BEYOND,
    ON_GRID,
    REACH_OF_A_LONE_VALUE,
    ROUNDING,
)
from softlearn.table.distinct import Distinct
from softlearn.table.resolution import Grid

# A tail is divided into cells whose lengths grow by this factor, until it covers all numbers.
_TAIL_GROWTH = 32.0
_CELLS_OF_A_TAIL = 11
_CELLS_BEFORE_A_BOUND = 3
TAIL_CELLS: Final = _CELLS_OF_A_TAIL + _CELLS_BEFORE_A_BOUND  # at most
FURTHEST_STEP: Final = 2.0**50


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the values of a column end; None where they do not."""

    lower: float | None
    upper: float | None
    is_hard: tuple[bool, bool]  # given by the user: nothing is possible beyond them


@dataclass(frozen=True, slots=True)
class Cut:
    """Cells in ascending order; each array is (cells,)."""

    left: Floats
    right: Floats
    share: Floats
    atom: Bools


def with_ends(cells: Cut, column: Distinct, grid: Grid, bounds: Bounds) -> Cut:
    """Add the tails beyond the lowest and the highest value."""
    low = _end(column, grid, bounds.lower, bounds.is_hard[0], side=-1)
    high = _end(column, grid, bounds.upper, bounds.is_hard[1], side=1)
    return Cut(
        np.concatenate([low.left, cells.left, high.left]),
        np.concatenate([low.right, cells.right, high.right]),
        np.concatenate([low.share, cells.share, high.share]),
        np.concatenate([low.atom, cells.atom, high.atom]),
    )


def _end(column: Distinct, grid: Grid, bound: float | None, is_hard: bool, side: int) -> Cut:
    """Return the cells beyond the last value of one side, in ascending order."""
    last = float(column.value[-1 if side > 0 else 0])
    at_last = float(column.weight[-1 if side > 0 else 0])
    new = max(0.5 / ((column.mass + 1.0) * max(at_last, 1.0)), LEAST_BEYOND)
    lengths, shares = [], []
    if bound is not None:
        room = abs(bound - last)
        if grid.step:  # the last value on the grid that keeps the bound
            room = float(np.floor(room / grid.step * (1.0 + ROUNDING) + ON_GRID)) * grid.step
        if room >= max(grid.step, np.spacing(abs(last))):
            thins_out = not is_hard  # up to a bound given by the user, all values are as likely
            length = _tail_length(column, grid, side)
            lengths = _up_to(room, length, grid) if thins_out else [room]
            shares = (new * _falling(len(lengths))).tolist()
        new = 0.0 if is_hard else BEYOND_BOUND
    if new:
        growth = _TAIL_GROWTH ** np.arange(_CELLS_OF_A_TAIL)
        with np.errstate(over="ignore"):  # numbers beyond float64 are dropped below
            lengths += (_tail_length(column, grid, side) * growth).tolist()
        shares += (new * _falling(_CELLS_OF_A_TAIL)).tolist()
    cells = _laid_out(last, np.array(lengths), np.array(shares), grid, side)
    if is_hard and bound is not None:  # rounding must not exceed it either
        keep = np.minimum if side > 0 else np.maximum
        cells = replace(cells, left=keep(cells.left, bound), right=keep(cells.right, bound))
    return cells


def _up_to(room: float, length: float, grid: Grid) -> list[float]:
    """Return the lengths of cells that grow, and end at a bound."""
    lengths: list[float] = []
    while len(lengths) < _CELLS_BEFORE_A_BOUND - 1 and room > 2.0 * length:
        lengths.append(np.ceil(length / grid.step) * grid.step if grid.step else length)
        room -= lengths[-1]
        length *= _TAIL_GROWTH
    return [*lengths, room]


def _falling(n: int) -> Floats:
    """Return the shares of cells that grow: each holds far less than the one before."""
    power = _TAIL_GROWTH ** (-3.0 * np.arange(n))
    return np.asarray(power / power.sum())


def _laid_out(last: float, lengths: Floats, shares: Floats, grid: Grid, side: int) -> Cut:
    """Return cells of these lengths one after the other, away from the last value."""
    if grid.step:
        inner, outer = _steps_out(last, np.maximum(np.rint(lengths / grid.step), 1.0), grid, side)
    else:
        with np.errstate(over="ignore"):
            outer = last + side * np.cumsum(lengths)
        inner = np.concatenate([[last], outer[:-1]])
        inner = np.nextafter(inner, side * np.inf) if inner.size else inner
    # Beyond 10**15 steps float64 no longer distinguishes neighbours on a grid.
    fits = np.isfinite(outer) & (np.abs(outer) < FURTHEST_STEP * grid.step if grid.step else True)
    inner, outer, shares = inner[fits], outer[fits], shares[fits]
    left, right = (inner, outer) if side > 0 else (outer[::-1], inner[::-1])
    ordered = shares if side > 0 else shares[::-1]
    return Cut(left, right, ordered, np.zeros(left.size, dtype=bool))


def _steps_out(last: float, counts: Floats, grid: Grid, side: int) -> tuple[Floats, Floats]:
    """Return the ends of cells of so many values each, one after the other, inner ends first."""
    inner, outer = np.empty(counts.size), np.empty(counts.size)
    end = last
    for i, count in enumerate(counts.tolist()):  # from the end before: far out, sums would round
        inner[i] = Grid(end, grid.step).at(np.array(float(side)))
        outer[i] = end = float(Grid(end, grid.step).at(np.array(side * count)))
    return inner, outer


def _tail_length(column: Distinct, grid: Grid, side: int) -> float:
    """Return how far new values may lie beyond the last one: the spread of the last few."""
    few = 1.0 / np.sqrt(column.mass + 1.0)
    spread = float(column.value[-1] - column.value[0])
    end = float(column.value[-1 if side > 0 else 0])
    near = abs(end - float(column.quantile(1.0 - few if side > 0 else few)))
    return max(
        near,
        0.01 * spread,
        grid.step,
        (abs(end) or 1.0) * REACH_OF_A_LONE_VALUE if not spread else 0.0,
    )
