"""Random small circuits, evidence about them, and all worlds of those that have finitely many.

``random_circuit`` mixes boolean, integer-level and text columns, plain numbers and numbers with a
scale, missing cells that are modelled and others, all families of leaves, levels and edges of
probability zero, trees and DAGs. Everything follows from the generator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from plain_scale import COUNTABLE, NUMERIC, every_value, telling_values
from softlearn.circuit import Circuit, Gaussian, Histogram, Leaf, Node, Product, Sum, flatten
from softlearn.leaf import Interval, Listed
from softlearn.query.evidence import Evidence
from softlearn.table.schema import Column, Schema

# What a deterministic sum has left of a column: level codes; the ends of an interval; or, of a
# column with a scale, the positions of its atoms, and after them one for all that is no atom.
Allowed: TypeAlias = dict[int, tuple[float, ...]]
WHOLE_LINE = (-np.inf, np.inf)
LEVELS = (("boolean", (False, True)), ("categorical", (3, -1, 10)), ("categorical", tuple("abcd")))


def random_circuit(
    rng: np.random.Generator,
    n_discrete: int = 3,
    n_numeric: int = 0,
    depth: int = 2,
    share: float = 0.3,
    *,
    zeros: float = 0.2,
    deterministic: bool = False,
    n_countable: int = 0,
    scales: bool = True,
    missing: bool = True,
) -> Circuit:
    """Return a valid circuit of ``depth`` layers of sums and products.

    ``share`` is the chance that a child is a node that already exists (0 gives a tree), ``zeros``
    that a leaf lacks levels or bins, or a sum gives a child the weight 0. With ``deterministic``
    the children of every sum split the levels, or the line, of one column between them.
    ``n_countable`` columns have a scale and finitely many values; of the numeric columns some have
    one if ``scales``. With ``missing`` some columns model their missing cells.
    """
    schema = random_schema(
        rng, n_discrete, n_numeric, n_countable=n_countable, scales=scales, missing=missing
    )
    return random_circuit_over(schema, rng, depth, share, zeros=zeros, deterministic=deterministic)


def random_circuit_over(
    schema: Schema,
    rng: np.random.Generator,
    depth: int = 2,
    share: float = 0.3,
    *,
    zeros: float = 0.2,
    deterministic: bool = False,
) -> Circuit:
    """Return a ``random_circuit`` over the columns of a schema."""
    allowed = {i: _everything(column) for i, column in enumerate(schema.columns)}
    maker = _Maker(rng, schema, share, zeros, deterministic)
    return flatten(maker.node(allowed, depth), schema)


def random_schema(
    rng: np.random.Generator,
    n_discrete: int,
    n_numeric: int,
    *,
    n_countable: int = 0,
    scales: bool = True,
    missing: bool = True,
) -> Schema:
    """Return boolean, integer-level and text columns in turn, shuffled with numeric ones."""

    def says() -> str:
        return "modelled" if missing and rng.random() < 0.4 else "unobserved"

    columns = [
        Column(f"d{i}", kind, levels, missing=says())
        for i in range(n_discrete)
        for kind, levels in [LEVELS[i % 3]]
    ]
    for i in range(n_numeric):
        about = NUMERIC[rng.integers(len(NUMERIC))]
        if scales and rng.random() < 0.5:
            columns.append(Column(f"x{i}", about[0], scale=about[1], missing=says()))
        else:
            columns.append(Column(f"x{i}", "numeric"))
    for i in range(n_countable):
        kind, scale = COUNTABLE[rng.integers(len(COUNTABLE))]
        columns.append(Column(f"n{i}", kind, scale=scale, missing=says()))
    return Schema(tuple(columns[i] for i in rng.permutation(len(columns))))


def n_atoms(column: Column) -> int:
    """How many probabilities of single values a scaled leaf has; missing is one of them."""
    return sum(column.scale.atom) + (column.missing == "modelled")


def _everything(column: Column) -> tuple[float, ...]:
    if column.is_discrete:
        return tuple(map(float, range(column.n_levels)))
    if column.scale is None:
        return WHOLE_LINE
    has_rest = not all(column.scale.atom)
    return tuple(map(float, range(n_atoms(column) + has_rest)))


def random_evidence(
    circuit: Circuit, rng: np.random.Generator, n_rows: int, *, unobserved: float = 0.4
) -> Evidence:
    """Return rows of values, sets, intervals and unobserved cells; a few may be impossible.

    Of some columns with a scale all rows without a value know a list of numbers.
    """
    columns = circuit.schema.columns
    values = np.full((len(columns), n_rows), np.nan)
    sets, intervals, listed = {}, {}, {}
    for position, column in enumerate(columns):
        draw = rng.random(n_rows)
        known = draw > unobserved + 0.5 * (1.0 - unobserved)
        region = (draw > unobserved) & ~known
        if column.is_discrete:
            values[position, known] = rng.integers(0, column.n_levels, known.sum())
            mask = rng.random((n_rows, column.n_levels)) < 0.6
            mask[np.arange(n_rows), rng.integers(0, column.n_levels, n_rows)] = True
            sets[position] = mask | ~region[:, None]
        elif column.scale is not None and rng.random() < 0.25:
            values[position, known] = rng.choice(_values(column), known.sum())
            some = rng.random(len(_values(column))) < 0.6
            some[rng.integers(some.size)] = True
            listed[position] = Listed(np.array(_values(column))[some])
        else:
            values[position, known] = (
                rng.normal(0.0, 2.0, known.sum())
                if column.scale is None
                else rng.choice(_values(column), known.sum())
            )
            ends = np.sort(rng.normal(0.0, 2.0, (2, n_rows)), axis=0)
            lo = np.where(region & (rng.random(n_rows) < 0.8), ends[0], -np.inf)
            hi = np.where(region & (rng.random(n_rows) < 0.8), ends[1], np.inf)
            intervals[position] = Interval(lo, hi)
        if rng.random() < 0.2:  # a column without sets and intervals takes a shorter way
            sets.pop(position, None)
            intervals.pop(position, None)
            listed.pop(position, None)
    return Evidence(values, sets, intervals, listed)


def _values(column: Column) -> list[float]:
    """Values to know of a column with a scale; the impossible ones come once, the others twice."""
    every = telling_values(column)
    return every + [x for x in every if x not in (every[0], 100.0)]


def every_world(circuit: Circuit) -> np.ndarray:
    """Return all combinations of levels and values of a circuit with finitely many of them.

    They are codes and numbers, (columns, worlds); infinity is a missing number.
    """
    codes = [
        np.array(every_value(column)) if column.scale else np.arange(float(column.n_levels))
        for column in circuit.schema.columns
    ]
    return np.stack([grid.ravel() for grid in np.meshgrid(*codes, indexing="ij")])


def agrees(worlds: np.ndarray, evidence: Evidence, row: int) -> np.ndarray:
    """Return which of the worlds (columns, worlds) one row of evidence allows."""
    possible = np.ones(worlds.shape[1], dtype=bool)
    for position, codes in enumerate(worlds):
        value = evidence.values[position, row]
        if not np.isnan(value):
            possible &= codes == value
        elif position in evidence.sets:
            possible &= evidence.sets[position][row][codes.astype(int)]
        elif position in evidence.intervals:
            lo, hi = (bound[row] for bound in evidence.intervals[position])
            possible &= (codes >= lo) & (codes <= hi) & (codes < np.inf)
        elif position in evidence.listed:
            possible &= np.isin(codes, evidence.listed[position].values)
    return possible


@dataclass
class _Maker:
    """Grows one circuit from the root down."""

    rng: np.random.Generator
    schema: Schema
    share: float
    zeros: float
    deterministic: bool
    made: dict[tuple[object, ...], list[Node]] = field(default_factory=dict)

    def node(self, allowed: Allowed, depth: int) -> Node:
        """Return a sum or a product over these columns."""
        if depth > 0 and self.rng.random() < 0.9:
            return self.shared(allowed, depth, self.sum)
        return self.shared(allowed, depth, self.product)

    def shared(self, allowed: Allowed, depth: int, make: Callable[[Allowed, int], Node]) -> Node:
        """Return a node that exists, now and then; else make one that others may share."""
        known = self.made.setdefault(tuple(sorted(allowed.items())), [])
        if known and self.rng.random() < self.share:
            return known[self.rng.integers(len(known))]
        made = make(allowed, depth)
        known.append(made)
        return made

    def sum(self, allowed: Allowed, depth: int) -> Node:
        n_children = int(self.rng.integers(2, 4))
        parts = self.split(allowed, n_children) if self.deterministic else [allowed] * n_children
        if len(parts) < 2:
            return self.product(allowed, depth)
        weights = self.probabilities(len(parts))
        children = [self.shared(part, depth - 1, self.product) for part in parts]
        return Sum(tuple(weights), tuple(children))

    def product(self, allowed: Allowed, depth: int) -> Node:
        columns = list(self.rng.permutation(sorted(allowed)))
        if len(columns) == 1:
            return self.leaf(columns[0], allowed[columns[0]])
        n_groups = len(columns) if depth <= 0 else min(len(columns), int(self.rng.integers(2, 4)))
        groups = [columns[i::n_groups] for i in range(n_groups)]
        return Product(tuple(self.node({c: allowed[c] for c in group}, depth) for group in groups))

    def split(self, allowed: Allowed, n_parts: int) -> list[Allowed]:
        """Cut one column's levels, or its interval, into disjoint parts."""
        column = int(self.rng.choice(sorted(allowed)))
        if self.schema.columns[column].kind == "numeric" and not self.schema.columns[column].scale:
            lo, hi = allowed[column]
            low, high = max(lo, -3.0), min(hi, 3.0)
            inner = np.sort(self.rng.uniform(low, high, n_parts - 1))
            ends = (low, *inner.tolist(), high)  # a finite hull: a Gaussian would fill the line
            return [{**allowed, column: pair} for pair in pairwise(ends)]
        levels = self.rng.permutation(allowed[column])
        parts = [tuple(sorted(levels[i::n_parts].tolist())) for i in range(n_parts)]
        return [{**allowed, column: part} for part in parts if part]

    def leaf(self, position: int, allowed: tuple[float, ...]) -> Leaf:
        column = self.schema.columns[position]
        if column.is_discrete:
            params = np.zeros(column.n_levels)
            params[np.array(allowed, dtype=int)] = self.probabilities(len(allowed))
            return Leaf(column.name, "categorical", tuple(params.tolist()), column.levels)
        if column.scale is not None:
            return self.scaled_leaf(column, allowed)
        if allowed == WHOLE_LINE and self.rng.random() < 0.6:
            return Gaussian(column.name, self.rng.normal(0.0, 2.0), self.rng.uniform(0.3, 2.0))
        low, high = (-3.0, 3.0) if allowed == WHOLE_LINE else allowed
        n_bins = int(self.rng.integers(1, 5))
        edges = [low, *np.sort(self.rng.uniform(low, high, n_bins - 1)).tolist(), high]
        return Histogram(column.name, edges, self.probabilities(n_bins).tolist())

    def scaled_leaf(self, column: Column, allowed: tuple[float, ...]) -> Leaf:
        """Return a leaf over cells: atoms, the rest, and now and then the column as a whole."""
        size = n_atoms(column)
        masses = np.zeros(size + 2)
        mine = [*map(int, allowed)]
        if mine == [*map(int, _everything(column))] and self.rng.random() < 0.5:
            mine.append(size + 1)
        masses[mine] = self.probabilities(len(mine))
        shape = (self.rng.normal(0.0, 1.0), self.rng.uniform(0.2, 1.5))
        return Leaf(column.name, "scaled", (*masses.tolist(), *shape), _named(column))

    def probabilities(self, n: int) -> np.ndarray:
        """Return a random distribution, now and then with zeros, of which one stays positive."""
        raw = self.rng.dirichlet(np.ones(n)) + 0.01
        if self.rng.random() < self.zeros:
            raw[(self.rng.random(n) < 0.4) & (np.arange(n) != self.rng.integers(n))] = 0.0
        return raw / raw.sum()


def _named(column: Column) -> tuple[float | None, ...]:
    """The values that the first parameters of a scaled leaf are about."""
    return (*column.scale.atoms, *((None,) if column.missing == "modelled" else ()))
