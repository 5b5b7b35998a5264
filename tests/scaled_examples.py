"""Leaves over columns with a scale, for the contract of the families."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from plain_scale import (
    COUNTABLE,
    DENSE,
    OUTSIDE,
    listed_weights,
    points_and_weights,
    probabilities,
    telling_values,
)
from softlearn.circuit import cells_of
from softlearn.leaf import Interval, Listed
from softlearn.table.schema import Column

NAN, INF = np.nan, np.inf
COLUMNS = [
    Column(f"{kind} {i}, missing {missing}", kind, scale=scale, missing=missing)
    for (i, (kind, scale)), missing in product(
        enumerate([*COUNTABLE, *DENSE]), ["unobserved", "modelled"]
    )
]
_OF_CELLS = {cells_of(column): column for column in COLUMNS}
_reals = st.integers(-24, 36).map(lambda n: n / 4)


def column_of(family) -> Column:
    """The column whose cells a family is bound to."""
    return _OF_CELLS[family.cells]


def n_atoms(column) -> int:
    return sum(column.scale.atom) + (column.missing == "modelled")


def values(column) -> list[float]:
    """Values that a leaf of the column can learn from."""
    return [x for x in telling_values(column) if x not in OUTSIDE]


def sound(column) -> list[float]:
    """The parameters of an ordinary leaf."""
    n = n_atoms(column)
    rest, own = (0.0, 2.0) if all(column.scale.atom) else (1.0, 1.0)
    return [*[1.0 / (n + 2)] * n, rest / (n + 2), own / (n + 2), 0.3, 0.8]


def n_bins(column) -> int:
    return max(len(column.scale.bins), 1)


def defects(column) -> list[tuple[list[float], str]]:
    """Parameters that are wrong, and what is said of them."""
    good = sound(column)
    broken = [
        ([NAN, *good[1:]], "finite"),
        ([*good[:-2], INF, 1.0], "finite"),
        ([*good[:-1], 0.0], "deviation 0 is not"),
        ([*good[:-1], -1.0], "deviation -1 is not"),
        ([good[0] - 2.0, *good[1:-4], good[-4], good[-3] + 2.0, 0.0, 1.0], "negative"),
        ([*good[:-3], good[-3] + 1.0, 0.0, 1.0], "add to 2, not 1"),
        ([*good, 1.0], f"{len(good) + 1} parameters where the column has {n_atoms(column)} atoms"),
    ]
    if all(column.scale.atom):
        broken.append(([*good[:-4], good[-3], 0.0, 0.0, 1.0], "all cells of its column are atoms"))
    return broken


@st.composite
def params(draw, column):
    """A leaf; some of its atoms, its rest or its part of the whole may have no probability."""
    rest = draw(st.sampled_from([1, n_bins(column)]))
    size = n_atoms(column) + rest + 1
    mass = draw(st.lists(st.sampled_from([0.0, 0.01, 0.3, 1.0]), min_size=size, max_size=size))
    if all(column.scale.atom):
        mass[-2] = 0.0
    some = draw(st.integers(0, size - 1))
    mass[some if mass[some] or some != size - 2 else size - 1] += 1.0
    shape = [draw(st.floats(-2.0, 2.0)), draw(st.floats(0.2, 3.0))]
    return np.array([*(np.array(mass) / sum(mass)), *shape])


@st.composite
def regions(draw, column):
    """An interval or a list of numbers."""
    if draw(st.booleans()):
        some = draw(st.lists(st.sampled_from(telling_values(column)), min_size=1, max_size=5))
        return Listed(np.array(some))
    lo, hi = sorted([draw(_reals), draw(_reals)])
    lo, hi = draw(st.sampled_from([(lo, hi), (-INF, hi), (lo, INF), (-INF, INF)]))
    return Interval(np.array(lo), np.array(hi))


def points(column, region):
    """Values whose weighted densities add to the probability of the region; all, if it is None."""
    if isinstance(region, Listed):
        found = listed_weights(column, region.values.tolist())
    elif region is not None:
        found = points_and_weights(column, float(region.lo), float(region.hi))
    else:
        found = points_and_weights(column)
        missing = [INF] * (column.missing == "modelled")
        found = found[0] + missing, found[1] + [1.0] * len(missing)
    return np.array(found[0]), np.array(found[1])


def rest_of(column, region):
    """Regions that hold everything outside an interval or a list."""
    if isinstance(region, Listed):
        every = listed_weights(column, points(column, None)[0].tolist())[0]
        return [Listed(np.setdiff1d(every, region.values))]
    gap = 1e-6 if column.scale.step else 0.0
    below = Interval(-INF, np.nextafter(region.lo - gap, -INF))
    above = Interval(np.nextafter(region.hi + gap, INF), INF)
    return [below, above, Listed(np.array([INF]))]


def up_to(column, region, x):
    """The part of a region below x, and that with x."""
    gap = 1e-6 if column.scale.step else 0.0
    if isinstance(region, Listed):
        return Listed(region.values[region.values < x]), Listed(region.values[region.values <= x])
    return Interval(region.lo, np.nextafter(x - gap, -INF)), Interval(region.lo, x)


def counts_and_probabilities(column, leaf, drawn):
    """How often each cell was drawn, and how likely it is by the definition."""
    cells = [*zip(column.scale.left, column.scale.right, strict=True)]
    cells += [(INF, INF)] * (column.missing == "modelled")
    singles = {left for left, right in cells if left == right}
    is_single = np.isin(drawn, list(singles))
    counts = [
        (drawn == left).sum()
        if left == right
        else ((drawn >= left) & (drawn <= right) & ~is_single).sum()
        for left, right in cells
    ]
    return np.array(counts), np.array(probabilities(column, tuple(leaf)))
