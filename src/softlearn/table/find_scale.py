"""Find a column's scale: its grid, its bounds, the values that stand out, and its cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.errors import SchemaError
from softlearn.numeric_policy import STEP_TOLERANCE
from softlearn.table.bins import find_bins
from softlearn.table.counts import WeightTotals
from softlearn.table.distinct import Distinct
from softlearn.table.listed_values import listed_values
from softlearn.table.resolution import EVERY_NUMBER, Grid, find_grid
from softlearn.table.scale import MOST_CELLS, Scale
from softlearn.table.scale_words import scale_words
from softlearn.table.tails import FURTHEST_STEP, TAIL_CELLS, Bounds, Cut, with_ends

MOST_POINTS: Final = 100  # values that can each have a cell of their own
MOST_ATOMS: Final = 12
_ROWS_PER_POINT = 2.0  # rows per value, on average, for each value to have a cell
_ROWS_PER_ATOM = 5.0  # rows per value, on average, for all values of a column to be atoms
_ATOM_SHARE = 0.01  # smallest share of the rows of a value that stands out
_POINT_SHARE = 0.001  # smallest share of the rows of a value with a cell of its own
_FEWEST_ROWS = 8.0  # of a value that stands out
_MORE_THAN_NEIGHBOURS = 5.0  # times the weight of the values around it
_NEIGHBOURS = 5  # on each side
_AS_MANY = 0.5  # times the weight of the next values, where a column ends at a limit
_MOST_HEAPS = 80  # single values with a cell of their own among very many other values
_MOST_STRETCHES = 210  # cells that are not single values
_PIECES = 4.0  # times the cube root of the rows: stretches of the column's quantiles
_FAR_FROM_EVEN = 4.0  # deviations of the chi-squared statistic
_WIDEST_STRETCH = 2.0**48  # of steps: float64 must tell halves of them apart
_FURTHEST_HALF = 2.0**52  # numbers that float64 tells from their neighbour by half
_LARGEST = 1e307  # of numbers whose differences and sums stay within float64


@dataclass(frozen=True, slots=True)
class Choices:
    """Overrides of a scale by the user; None is inferred from the cells."""

    step: float | None = None
    lower: float | None = None
    upper: float | None = None
    atoms: tuple[float, ...] | None = None


def can_have_scale(column: Distinct, *, whole: bool) -> bool:
    """Return whether a scale can be found: there are values that float64 can divide into cells."""
    if not column.value.size or np.abs(column.value).max() > _LARGEST:
        return False
    return not whole or bool(column.value[-1] - column.value[0] < 2.0 * _FURTHEST_HALF)


def find_scale(
    values: Sequence[float] | Floats,
    weights: Floats | None = None,
    *,
    whole: bool = False,
    signed: bool = False,
    choices: Choices | None = None,
) -> Scale:
    """Return the scale of a column, from its values.

    Parameters
    ----------
    values
        The cells; NaN is missing. At least one is not.
    weights
        The weight of each; 2 counts the value twice.
    whole
        Whether the values are whole numbers.
    signed
        Whether the values are times, in seconds since 1970: negative ones are possible even if
        there are none.
    choices
        Overrides by the user.
    """
    cells = np.asarray(values, np.float64)
    counts = None
    if weights is not None:
        counts = WeightTotals.of(weights := np.asarray(weights, np.float64)).as_counts(weights)
    column = Distinct.of(cells, counts)
    missing = float(np.average(np.isnan(cells), weights=counts)) if column.value.size else 1.0
    return scale_of(column, missing, whole=whole, signed=signed, choices=choices)


def scale_of(
    column: Distinct,
    missing: float,
    *,
    whole: bool = False,
    signed: bool = False,
    choices: Choices | None = None,
) -> Scale:
    """Return the scale of a column, from its distinct values and the share of missing cells."""
    if not column.value.size:
        raise SchemaError("no scale can be found: all values are missing")
    if np.abs(column.value).max() > _LARGEST:
        raise SchemaError(f"numbers beyond {_LARGEST:g} have no scale; choose {{'scale': 'plain'}}")
    known = choices or Choices()
    grid = _grid(column, whole, known)
    found = _bounds(column, grid, known, signed=signed)
    atom, point = _standing_out(column, grid, known)
    listed, stray = listed_values(column, grid, point)
    cells = _inner_cells(column, grid, atom, point, is_listed=listed.size > 0)
    cells = with_ends(cells, column, grid, found)
    scale = Scale(
        tuple(cells.left.tolist()),
        tuple(cells.right.tolist()),
        tuple((cells.share / cells.share.sum()).tolist()),
        tuple(cells.atom.tolist()),
        grid.step,
        found.lower,
        found.upper,
        missing,
        tuple(listed.tolist()),
        stray,
        *_bins(cells, grid, column.mass),
    )
    words = scale_words(column.value, column.weight, atom, scale, unit=grid.unit, is_time=signed)
    return replace(scale, reason=words)


def _bins(cells: Cut, grid: Grid, n_rows: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the first cells of bins and humps; among all numbers a single value has no length."""
    length = cells.right - cells.left
    size = np.rint(length / grid.step) + 1.0 if grid.step else length
    bins, humps = find_bins(cells.share, size, cells.atom, n_rows)
    return tuple(bins.tolist()), tuple(humps.tolist())


def _grid(column: Distinct, whole: bool, known: Choices) -> Grid:
    if known.step is None:
        return _centred(find_grid(column.value, column.written, whole=whole), column, whole=whole)
    if known.step == 0.0:
        return EVERY_NUMBER
    grid = Grid(float(column.value[0]), float(known.step), float(known.step))
    off = np.abs(grid.origin + grid.number(column.value) * grid.step - column.value)
    if (off > STEP_TOLERANCE * grid.step).any():
        worst = float(column.value[np.argmax(off)])
        raise SchemaError(f"the value {worst:g} does not lie on a grid of step {grid.step:g}")
    return grid


def _centred(grid: Grid, column: Distinct, *, whole: bool) -> Grid:
    """Return the grid with its origin amid its steps, if float64 cannot halve very many of them."""
    lowest, highest = float(column.value[0]), float(column.value[-1])
    if not grid.step or (highest - lowest) / grid.step < FURTHEST_STEP:
        return grid
    number = float(grid.number(np.array(0.5 * lowest + 0.5 * highest)))
    middle = grid._replace(origin=grid.origin + number * grid.step)
    if float(np.abs(middle.number(column.value[[0, -1]])).max()) <= _FURTHEST_HALF:
        return middle
    if whole:
        raise SchemaError(
            f"values from {lowest:g} to {highest:g} are too far apart for steps of {grid.step:g}; "
            "choose {'scale': 'plain'}, or make them text"
        )
    return EVERY_NUMBER


def _bounds(column: Distinct, grid: Grid, known: Choices, *, signed: bool) -> Bounds:
    """Return the bounds that the user gives, or those inferred from the values."""
    lowest, highest = float(column.value[0]), float(column.value[-1])
    if known.lower is not None and lowest < known.lower:
        raise SchemaError(f"the value {lowest:g} lies below the lower bound {known.lower:g}")
    if known.upper is not None and highest > known.upper:
        raise SchemaError(f"the value {highest:g} lies above the upper bound {known.upper:g}")
    lower, upper = known.lower, known.upper
    heaped_low, heaped_high = _heaped_ends(column, grid)
    if lower is None and not signed and lowest >= 0.0:
        lower = 0.0
    if lower in (None, 0.0) and known.lower is None and heaped_low:
        lower = lowest
    if upper is None and not signed and lowest >= 0.0 and highest <= 1.0 and 0.0 < grid.step < 1.0:
        upper = 1.0
    if known.upper is None and heaped_high:
        upper = highest
    return Bounds(lower, upper, (known.lower is not None, known.upper is not None))


def _heaped_ends(column: Distinct, grid: Grid) -> tuple[bool, bool]:
    """Return whether many rows lie at the very lowest and highest value, as at a limit."""
    if column.value.size == 1:
        return False, False
    if _takes_all(column) and grid.step:
        index = grid.number(column.value)
        if index[-1] - index[0] + 1 == index.size:  # every value from the first to the last
            return True, True
    low = _ends_abruptly(column.value, column.weight, grid.step)
    high = _ends_abruptly(column.value[::-1], column.weight[::-1], grid.step)
    return low, high


def _ends_abruptly(value: Floats, weight: Floats, step: float) -> bool:
    """Return whether the first value holds as many rows as a limit does.

    It holds far more rows than the next values, as where numbers are clipped; or, on a grid, about
    as many as the next values, where other distributions thin out; or so many that a value beyond
    would have been observed even if frequencies fell twice as fast, as after the end of a month.
    """
    near = float(np.median(weight[1 : 1 + _NEIGHBOURS]))
    is_next = step > 0.0 and abs(abs(float(value[1] - value[0])) - step) <= STEP_TOLERANCE * step
    beyond = weight[0] * min(weight[0] / weight[1], 1.0) ** 2
    as_many = weight[0] >= max(_FEWEST_ROWS, _AS_MANY * near)
    heavy = max(_ATOM_SHARE * float(weight.sum()), _FEWEST_ROWS, _MORE_THAN_NEIGHBOURS * near)
    return bool((is_next and (as_many or beyond >= _FEWEST_ROWS)) or weight[0] >= heavy)


def _takes_all(column: Distinct) -> bool:
    """Return whether the column has so few values that each can be an atom."""
    return column.value.size <= MOST_ATOMS and column.mass >= _ROWS_PER_ATOM * column.value.size


def _standing_out(column: Distinct, grid: Grid, known: Choices) -> tuple[Bools, Bools]:
    """Return which of the distinct values are atoms, and which have a cell of their own."""
    n = column.value.size
    if known.atoms is not None:
        atom = np.isin(column.value, known.atoms)
        if atom.sum() != len(set(known.atoms)):
            lost = sorted(set(known.atoms) - set(column.value.tolist()))
            raise SchemaError(f"the atom {lost[0]:g} does not occur in the column")
        if atom.sum() > _MOST_HEAPS:
            raise SchemaError(f"a column has at most {_MOST_HEAPS} atoms, not {atom.sum()}")
    elif _takes_all(column):
        atom = np.ones(n, dtype=bool)
    else:
        atom = _prominent(column, partial(_neighbours, column), _ATOM_SHARE, MOST_ATOMS)
    if n <= MOST_POINTS and not _hardly_repeats(column, grid):
        return atom, np.ones(n, dtype=bool)
    room = max(_MOST_HEAPS - int(atom.sum()), 0)
    point = atom | _prominent(column, partial(_per_step, column, grid), _POINT_SHARE, room)
    if np.count_nonzero(~point) == 1:  # a single number makes no stretch
        point = np.ones(n, dtype=bool)
    return atom, point


def _hardly_repeats(column: Distinct, grid: Grid) -> bool:
    """Return whether values repeat too rarely for cells of their own."""
    n, span = column.value.size, float(column.value[-1]) / 2.0 - float(column.value[0]) / 2.0
    too_wide = grid.step > 0.0 and span > _WIDEST_STRETCH * grid.step
    return n > MOST_ATOMS and column.mass < _ROWS_PER_POINT * n and not too_wide


def _prominent(
    column: Distinct, around: Callable[[Offsets], Floats], share: float, most: int
) -> Bools:
    """Return the values with far more weight than `around`, the usual weight at their places."""
    weight = column.weight
    found: Bools = weight >= np.maximum(share * column.mass, _FEWEST_ROWS)
    heavy = np.flatnonzero(found)
    found[heavy] = weight[heavy] >= _MORE_THAN_NEIGHBOURS * around(heavy)
    if found.sum() > most:
        order = np.argsort(np.where(found, -weight, 0.0), kind="stable")
        found[order[most:]] = False
    return found


def _neighbours(column: Distinct, places: Offsets) -> Floats:
    """Return the usual weight of the few values next to each of some values."""
    if column.value.size == 1 or places.size == 0:
        return np.zeros(places.size)
    padded = np.pad(column.weight, _NEIGHBOURS, constant_values=np.nan)
    windows = padded[places[:, None] + np.arange(2 * _NEIGHBOURS + 1)]
    windows[:, _NEIGHBOURS] = np.nan
    return np.asarray(np.nanmedian(windows, axis=1))


def _per_step(column: Distinct, grid: Grid, places: Offsets) -> Floats:
    """Return the weight of any number near each of some values; 0 if every number is possible."""
    n = column.value.size
    if not grid.step or n == 1:
        return np.zeros(places.size)
    first = np.maximum(places - _NEIGHBOURS, 0)
    last = np.minimum(places + _NEIGHBOURS, n - 1)
    up_to = np.concatenate([[0.0], np.cumsum(column.weight)])
    others = up_to[last + 1] - up_to[first] - column.weight[places]
    steps = (column.value[last] - column.value[first]) / grid.step
    return np.asarray(others / np.maximum(steps, 1.0))


def _inner_cells(
    column: Distinct, grid: Grid, atom: Bools, point: Bools, *, is_listed: bool
) -> Cut:
    """Return the cells between the lowest and the highest value.

    If stretches list their values, each has the weight of those; else it is spread over pieces.
    """
    place = grid.number(column.value) if grid.step else column.value
    cuts, cumulative = _rest(column, place, point, grid)
    half = 0.5 if grid.step else 0.0
    own = place[point]
    edges = np.unique(np.concatenate([cuts, own - half, own + half]))
    left, right = edges[:-1], edges[1:]
    is_own = np.zeros(left.size, dtype=bool)
    if half:
        is_own = np.isin(left, own - half)
        left, right = left + half, right - half
    share = np.diff(np.interp(edges, cuts, cumulative)) if cuts.size else np.zeros(left.size)
    if is_listed:
        weights = np.histogram(place[~point], edges, weights=column.weight[~point])[0]
        share = weights / (column.mass + 1.0)
    unseen = _unseen(column, point) * (share == 0.0)
    length = (right - left + 2 * half) * (unseen > 0.0) * ~is_own
    if length.sum() > 0.0:
        share = share + unseen * length / length.sum()
    gaps = Cut(left[~is_own], right[~is_own], share[~is_own], np.zeros((~is_own).sum(), bool))
    own = column.value[point]
    points = Cut(own, own, column.weight[point] / (column.mass + 1.0), atom[point])
    return _merged(_on_line(gaps, points, grid), points)


def _rest(column: Distinct, place: Floats, point: Bools, grid: Grid) -> tuple[Floats, Floats]:
    """Return the cuts of the values without a cell of their own, and the share below each."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - slow to load

    other = Distinct(place[~point], column.weight[~point])
    if not other.value.size:
        return np.empty(0), np.empty(0)
    n = other.mass
    # Each single value may divide a stretch.
    room = min(_MOST_STRETCHES, MOST_CELLS - 2 * TAIL_CELLS - 2 * int(point.sum()) - 1)
    n_pieces = int(np.clip(round(_PIECES * np.cbrt(n)), 1, room))
    furthest = -ndtri(0.5 / (n + 1.0))
    probability = ndtr(np.linspace(-furthest, furthest, n_pieces + 1))
    knots = other.quantile(probability[1:-1])
    half = 0.5 if grid.step else 0.0
    first, last = other.value[0] - half, other.value[-1] + half
    if grid.step:
        knots = np.floor(knots) + half
    knots = np.unique(np.concatenate([[first], knots[(knots > first) & (knots < last)], [last]]))
    if knots.size == 1:  # a single number without a grid
        return np.empty(0), np.empty(0)
    parts = max(1, room // (knots.size - 1))
    fine = _subdivided(knots, parts, bool(half))
    return fine, _share_up_to(other, fine, np.isin(fine, knots), bool(half)) / (column.mass + 1.0)


def _share_up_to(other: Distinct, edges: Floats, is_knot: Bools, on_grid: bool) -> Floats:
    """Return the weight up to each edge: counted at knots, and evenly spread between them.

    Where the counts between two knots are far from uniform, as in the valley between two humps,
    they are used too, shrunk by what may be chance (James–Stein).
    """
    before = np.searchsorted(other.value, edges, side="right" if on_grid else "left")
    counted = np.concatenate([[0.0], np.cumsum(other.weight)])[before]
    counted[-1] = other.mass
    even = np.interp(edges, edges[is_knot], counted[is_knot])
    expected = np.diff(even)
    piece = np.cumsum(is_knot)[:-1] - 1
    unlike = (np.diff(counted) - expected) ** 2 / np.where(expected > 0.0, expected, 1.0)
    by_chance, unlike = np.bincount(piece) - 1.0, np.bincount(piece, unlike)
    is_far = unlike > by_chance + _FAR_FROM_EVEN * np.sqrt(2.0 * by_chance)
    real = np.where(is_far, 1.0 - by_chance / np.where(is_far, unlike, 1.0), 0.0)
    return np.asarray(even + np.append(real[piece], 0.0) * (counted - even))


def _subdivided(knots: Floats, parts: int, on_grid: bool) -> Floats:
    """Return the knots with evenly spaced ones between them."""
    steps = np.arange(parts) / parts
    fine = (knots[:-1, None] + np.diff(knots)[:, None] * steps).ravel()
    if on_grid:
        fine = np.floor(fine) + 0.5
    return np.unique(np.concatenate([fine, knots]))


def _unseen(column: Distinct, point: Bools) -> float:
    """Return the share of values that lie between others and were never seen.

    By Good and Turing, it is the share of rows whose value occurs once, if all values have a cell
    of their own; half of it may lie beyond the others.
    """
    singles = float((column.weight <= 1.0).sum()) if point.all() else 0.0
    return 0.5 * (1.0 + min(singles, column.mass / 2.0)) / (column.mass + 1.0)


def _merged(a: Cut, b: Cut) -> Cut:
    order = np.lexsort((np.concatenate([a.right, b.right]), np.concatenate([a.left, b.left])))
    return Cut(
        np.concatenate([a.left, b.left])[order],
        np.concatenate([a.right, b.right])[order],
        np.concatenate([a.share, b.share])[order],
        np.concatenate([a.atom, b.atom])[order],
    )


def _on_line(gaps: Cut, points: Cut, grid: Grid) -> Cut:
    """Return cells of grid numbers as cells of values; a stretch begins after a single value."""
    if grid.step:
        return Cut(grid.at(gaps.left), grid.at(gaps.right), gaps.share, gaps.atom)
    touches = np.isin(gaps.left, np.concatenate([points.left, gaps.right]))
    left = np.where(touches, np.nextafter(gaps.left, np.inf), gaps.left)
    holds = (left < gaps.right) | ~np.isin(gaps.right, points.left)  # not between neighbours
    return Cut(left[holds], gaps.right[holds], gaps.share[holds], gaps.atom[holds])
