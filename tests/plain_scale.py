"""Small columns with a scale, and what a scaled leaf says, in plain Python from its definition.

A column's line is cut into cells. Inside a cell all values are alike; a leaf says how likely each
cell is: atoms and coarse bins have a probability of their own, in a bin the column's own share is
bent to a normal distribution of the cells' scores, and a part goes as in the column as a whole.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from softlearn.table.scale import Scale
from softlearn.table.schema import Column

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
_AFTER_MINUS_1, _AFTER_HALF = np.nextafter([-1.0, 0.5], np.inf).tolist()


class Cell(NamedTuple):
    """The values from left to right; missing cells lie at infinity."""

    left: float
    right: float
    share: float
    is_atom: bool


def scale(
    cells: list[tuple[float, float]],
    share: list[float],
    atoms: set[float] = frozenset(),
    step: float = 0.0,
    missing_share: float = 0.125,
    bins: tuple[int, ...] = (),
    humps: tuple[int, ...] = (),
) -> Scale:
    """A scale from the ends of its cells, relative shares and the values that are atoms."""
    left, right = (tuple(map(float, side)) for side in zip(*cells, strict=True))
    is_atom = tuple(a == b and a in atoms for a, b in cells)
    shares = tuple((np.array(share) / sum(share)).tolist())
    rest = {"missing_share": missing_share, "bins": bins, "humps": humps}
    return Scale(left, right, shares, is_atom, step, **rest)


WHOLE = scale([(-5, -3), (-2, -2), (-1, 1), (2, 2), (3, 6)], [1, 2, 3, 1, 2], {2.0}, 1.0)
EVEN = scale([(-4, 0), (2, 2), (4, 4), (6, 8)], [3, 2, 2, 1], {2.0, 4.0}, 2.0)
ATOMS = scale([(0, 0), (1, 1), (3, 3)], [1, 2, 1], {0.0, 1.0, 3.0}, 1.0)
HALVES = scale([(-2, -1), (-0.5, -0.5), (0, 1.5), (2, 2)], [1, 2, 3, 1], {-0.5}, 0.5)
LINE = scale(
    [(-3, -1), (-1, -1), (_AFTER_MINUS_1, 0.5), (0.5, 0.5), (_AFTER_HALF, 2), (2.25, 4)],
    [3, 1, 4, 2, 3, 1],
    {0.5},
)
APART = scale(
    [(-3, -3), (-2, -1), (0, 0), (1, 19), (20, 20), (21, 21), (22, 25)],
    [2, 3, 2, 0.1, 3, 1, 2],
    {20.0},
    1.0,
    bins=(0, 2, 5),
    humps=(3,),
)
TWO_HUMPS = scale(
    [(-2.1, -1.1), (-0.9, 0.1), (0.25, 0.25), (0.4, 3.1), (3.6, 5.1)],
    [2, 3, 1, 0.1, 3],
    {0.25},
    bins=(0, 1, 4),
    humps=(3,),
)
# The kind and scale of columns whose values can all be listed, and of columns with a density.
COUNTABLE = (
    *(("integer", known) for known in (WHOLE, EVEN, ATOMS, APART)),
    ("numeric", ATOMS),
    ("numeric", HALVES),
)
NUMERIC = (("numeric", LINE), ("numeric", TWO_HUMPS))
DENSE = (*NUMERIC, ("datetime", LINE))
OUTSIDE = (-50.0, 100.0)


def cells_in(column: Column) -> list[Cell]:
    """The cells of a column, the one of missing cells last if these are modelled."""
    known = column.scale
    rows = list(map(Cell, known.left, known.right, known.share, known.atom))
    if column.missing == "unobserved":
        return rows
    present = 1.0 - known.missing_share
    rows = [cell._replace(share=cell.share * present) for cell in rows]
    return [*rows, Cell(math.inf, math.inf, known.missing_share, True)]


def probabilities(column: Column, params: tuple[float, ...]) -> list[float]:
    """The probability of each cell, by the definition of a scaled leaf."""
    cells = cells_in(column)
    n_atoms = sum(cell.is_atom for cell in cells)
    atoms, bins, (whole, mean, deviation) = params[:n_atoms], params[n_atoms:-3], params[-3:]
    scores, widths = _scores_and_widths(column)
    bent = [
        width * math.exp(-0.5 * ((score - mean) / deviation) ** 2)
        for score, width in zip(scores, widths, strict=True)
    ]
    starts = column.scale.bins if len(bins) > 1 else ()
    bin_of = [max(sum(first <= i for first in starts) - 1, 0) for i in range(len(cells))]
    mass = [math.fsum(p for p, b in zip(bent, bin_of, strict=True) if b == i) for i in bin_of]
    own = iter(atoms)
    return [
        whole * cell.share + (next(own) if cell.is_atom else bins[bin_of[i]] * bent[i] / mass[i])
        for i, cell in enumerate(cells)
    ]


def _scores_and_widths(column: Column) -> tuple[list[float], list[float]]:
    """The score of each cell, and how wide it is in normal scores; atoms have no width.

    Humps lie three apart; then scores are standardised again.
    """
    cells, humps = cells_in(column), column.scale.humps
    shares = [0.0 if cell.is_atom else cell.share for cell in cells]
    total, below, scores, widths = math.fsum(shares), 0.0, [], []
    for i, share in enumerate(shares):
        normal = NormalDist().inv_cdf((below + 0.5 * share) / total) if share else 0.0
        below += share
        widths.append(share * math.exp(0.5 * normal**2))
        scores.append(normal + 3.0 * sum(first <= i for first in humps))
    if not humps:
        return scores, widths
    mean = math.fsum(p * x for p, x in zip(shares, scores, strict=True)) / total
    square = math.fsum(p * (x - mean) ** 2 for p, x in zip(shares, scores, strict=True)) / total
    return [(x - mean) / math.sqrt(square) for x in scores], widths


def density(column: Column, params: tuple[float, ...], x: float) -> float:
    """The probability of x, or its density inside a stretch of a column without a step."""
    for cell, p in zip(cells_in(column), probabilities(column, params), strict=True):
        if cell.left == cell.right == x:
            return p
    for cell, p in zip(cells_in(column), probabilities(column, params), strict=True):
        if cell.left <= x <= cell.right and cell.left < cell.right:
            return p / _size(column, cell)
    return 0.0


def points_and_weights(
    column: Column, lo: float = -math.inf, hi: float = math.inf
) -> tuple[list[float], list[float]]:
    """Values from lo to hi, and weights by which their densities add to probabilities."""
    points: list[float] = []
    weights: list[float] = []
    for left, right, _, _ in cells_in(column):
        if left == right:
            found, weight = [left] if lo <= left <= hi and left < math.inf else [], [1.0]
        elif column.scale.step:
            found = [x for x in _grid(column, left, right) if lo <= x <= hi]
            weight = [1.0]
        else:
            a, b = max(left, lo), max(min(right, hi), left, lo)
            found = (0.5 * (a + b) + 0.5 * (b - a) * _NODES).tolist()
            weight = (0.5 * (b - a) * _WEIGHTS).tolist()
        points += found
        weights += weight if len(weight) == len(found) else weight * len(found)
    return points, weights


def listed_weights(column: Column, values: list[float]) -> tuple[list[float], list[float]]:
    """Those of the listed numbers that have a probability, and their weights."""
    every, weight = points_and_weights(column)
    singles = {cell.left for cell in cells_in(column) if cell.left == cell.right}
    countable = dict(zip(every, weight, strict=True)) if column.scale.step else {}
    mass = {**countable, **dict.fromkeys(singles, 1.0)}
    known = sorted(set(values) & mass.keys())
    return known, [mass[x] for x in known]


def every_value(column: Column) -> list[float]:
    """All values of a column that has finitely many, a missing cell (infinity) the last one."""
    missing = [math.inf] if column.missing == "modelled" else []
    return points_and_weights(column)[0] + missing


def telling_values(column: Column) -> list[float]:
    """Values in and between all cells, outside of them, and the missing one."""
    found: set[float] = set(OUTSIDE)
    for left, right, _, _ in cells_in(column):
        inner = _grid(column, left, right) if column.scale.step else [left, right]
        found |= (
            {*inner, left}
            if left == right or column.scale.step
            else {*inner, 0.3 * left + 0.7 * right}
        )
    return sorted(found)


def _grid(column: Column, left: float, right: float) -> list[float]:
    if left == right:
        return [left]
    count = round((right - left) / column.scale.step) + 1
    return [left + i * column.scale.step for i in range(count)]


def _size(column: Column, cell: Cell) -> float:
    if not column.scale.step:
        return cell.right - cell.left
    return round((cell.right - cell.left) / column.scale.step) + 1
