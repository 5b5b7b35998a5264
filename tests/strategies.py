"""Hypothesis strategies: small circuits, trees and DAGs, and evidence about them.

A failing circuit shrinks towards fewer columns, one product of leaves and uniform weights.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import numpy as np
from hypothesis import strategies as st

from plain_scale import COUNTABLE, DENSE, telling_values
from softlearn.circuit import Circuit, Gaussian, Histogram, Leaf, Node, Product, Sum, flatten
from softlearn.leaf import Interval, Listed
from softlearn.query import Evidence
from softlearn.table.schema import Column, Schema

Draw = Callable[[st.SearchStrategy], object]

_LEVELS = (("boolean", (False, True)), ("categorical", ("a", "b", "c")), ("categorical", ("one",)))
# Quarters and thirds keep examples readable; zeros are as likely as anything else.
_parts = st.integers(0, 4)
_reals = st.integers(-12, 12).map(lambda n: n / 4)


@st.composite
def distributions(draw: Draw, size: int) -> tuple[float, ...]:
    """Return probabilities that add to one; some may be zero."""
    parts = draw(st.lists(_parts, min_size=size, max_size=size).filter(any))
    return tuple((np.array(parts) / sum(parts)).tolist())


@st.composite
def schemas(
    draw: Draw, *, numeric: bool = True, countable: bool | None = None, max_columns: int = 4
) -> Schema:
    """Return a few columns of one, two or three levels, and numbers of several kinds.

    ``countable`` numbers have a scale and finitely many values; ``numeric`` ones are plain, or
    have a scale and a density.
    """
    kinds: list[tuple] = list(_LEVELS)
    kinds += [("numeric", ()), *DENSE] if numeric else []
    kinds += COUNTABLE if (numeric if countable is None else countable) else []
    columns = []
    for i, (kind, domain) in enumerate(
        draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=max_columns))
    ):
        about = {"levels": domain} if isinstance(domain, tuple) else {"scale": domain}
        can_miss = bool(domain)
        missing = draw(st.sampled_from(["unobserved", "modelled"])) if can_miss else "unobserved"
        columns.append(Column(f"c{i}", kind, **about, missing=missing))
    return Schema(tuple(columns))


@st.composite
def small_circuits(
    draw: Draw, *, numeric: bool = True, countable: bool | None = None, max_columns: int = 4
) -> Circuit:
    """Return a valid circuit: a tree or a DAG, with zeros, equal children and single children."""
    schema = draw(schemas(numeric=numeric, countable=countable, max_columns=max_columns))
    made: dict[tuple[int, ...], list[Node]] = {}
    return flatten(_node(draw, schema, tuple(range(len(schema))), 3, made), schema)


def _node(draw: Draw, schema: Schema, scope: tuple[int, ...], depth: int, made: dict) -> Node:
    """Return a node over these columns, new or one that exists already."""
    known = made.setdefault(scope, [])
    if known and draw(st.booleans()):
        return known[draw(st.integers(0, len(known) - 1))]
    if depth > 0 and draw(st.booleans()):
        weights = draw(distributions(draw(st.integers(1, 3))))
        below = tuple(_node(draw, schema, scope, depth - 1, made) for _ in weights)
        node: Node = Sum(weights, below)
    else:
        node = _product(draw, schema, scope, depth, made)
    known.append(node)
    return node


def _product(draw: Draw, schema: Schema, scope: tuple[int, ...], depth: int, made: dict) -> Node:
    if len(scope) == 1:
        return _leaf(draw, schema.columns[scope[0]])
    if depth == 0 or not draw(st.booleans()):
        return Product(tuple(_leaf(draw, schema.columns[i]) for i in scope))
    cut = draw(st.integers(1, len(scope) - 1))
    parts = (scope[:cut], scope[cut:])
    return Product(tuple(_node(draw, schema, part, depth - 1, made) for part in parts))


def _leaf(draw: Draw, column: Column) -> Leaf:
    if column.is_discrete:
        params = draw(distributions(column.n_levels))
        return Leaf(column.name, "categorical", params, column.levels)
    if column.scale is not None:
        return _scaled_leaf(draw, column)
    if draw(st.booleans()):
        widths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
        edges = list(accumulate(widths, initial=draw(st.integers(-4, 0))))
        return Histogram(column.name, edges, draw(distributions(len(widths))))
    return Gaussian(column.name, draw(_reals), draw(st.sampled_from([1.0, 0.25, 2.0])))


def _scaled_leaf(draw: Draw, column: Column) -> Leaf:
    """Return a leaf over cells; where all of them are atoms there is no rest."""
    missing = (None,) if column.missing == "modelled" else ()
    named = (*column.scale.atoms, *missing)
    if all(column.scale.atom):
        *masses, own = draw(distributions(len(named) + 1))
        masses = [*masses, 0.0, own]
    else:
        masses = list(draw(distributions(len(named) + 2)))
    shape = (draw(_reals) / 4, draw(st.sampled_from([1.0, 0.5, 1.25])))
    return Leaf(column.name, "scaled", (*masses, *shape), named)


@st.composite
def evidences(
    draw: Draw,
    circuit: Circuit,
    *,
    min_rows: int = 1,
    max_rows: int = 3,
    regions: bool = True,
    listed: bool = True,
) -> Evidence:
    """Return rows in which each cell is unobserved, a value, or a set or interval (maybe empty).

    With ``listed`` some columns with a scale have a list of numbers in place of intervals.
    """
    n_rows = draw(st.integers(min_rows, max_rows))
    values = np.full((len(circuit.schema), n_rows), np.nan)
    sets, intervals, lists = {}, {}, {}
    for position, column in enumerate(circuit.schema.columns):
        has_region = regions and draw(st.booleans())
        cell = st.integers(0, column.n_levels - 1) if column.is_discrete else _reals
        if column.scale is not None:
            cell = st.sampled_from(telling_values(column))
        for row in range(n_rows):
            value = draw(st.none() | cell)
            values[position, row] = np.nan if value is None else value
        if has_region and column.is_discrete:
            masks = st.lists(st.booleans(), min_size=column.n_levels, max_size=column.n_levels)
            sets[position] = np.array([draw(masks) for _ in range(n_rows)], dtype=bool)
        elif has_region and listed and column.scale is not None and draw(st.booleans()):
            some = draw(st.sets(st.sampled_from(telling_values(column)), max_size=6))
            lists[position] = Listed(np.array(sorted(some)))
        elif has_region:
            intervals[position] = Interval(*draw(_bounds(n_rows)))
    return Evidence(values, sets, intervals, lists)


@st.composite
def _bounds(draw: Draw, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper ends; mostly in order, now and then infinite or crossed."""
    lows = [draw(_reals | st.just(-np.inf)) for _ in range(n_rows)]
    highs = [draw(_reals | st.just(np.inf)) for _ in range(n_rows)]
    return np.array(lows), np.array(highs)
