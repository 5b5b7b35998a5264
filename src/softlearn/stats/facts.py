"""Statistics of all rows of a table, which its layout needs; those of parts can be merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit import cells_of
from softlearn.stats.bins import is_spread
from softlearn.stats.buckets import CodedRows
from softlearn.table.schema import Column, Schema

# Quantiles of plain numbers are computed from a table of distinct values. If there are more than
# this, neighbours are merged; each of the 64 bins is then off by at most a 2000th of its weight.
MOST_VALUES: Final = 2**17


@dataclass(frozen=True, eq=False)
class NumberFacts:
    """A column of plain numbers.

    Attributes
    ----------
    values, mass
        Distinct values in order, and the weight of the rows with each of them.
    weight, mean, variance
        Of all values.
    """

    values: Floats
    mass: Floats
    weight: float
    mean: float
    variance: float

    @property
    def deviation(self) -> float:
        """The standard deviation, 1 if the values do not differ."""
        found = float(np.sqrt(self.variance))
        return found if is_spread(found, abs(self.mean)) else 1.0


@dataclass(frozen=True, eq=False)
class TableFacts:
    """The statistics of all columns that the layout of a table depends on.

    Attributes
    ----------
    n_rows
        The number of distinct rows.
    n_missing, n_second
        (columns,) rows with a missing cell, and rows of the second level.
    mass
        Per column the weight of each level, or of each cell of its scale; nothing for plain
        numbers.
    numbers
        By column, for columns of plain numbers with any value.
    """

    n_rows: int
    n_missing: Offsets
    n_second: Offsets
    mass: tuple[Floats, ...]
    numbers: dict[int, NumberFacts]


def summarise(rows: CodedRows, schema: Schema) -> TableFacts:
    """Return the statistics of some rows, all distinct."""
    mass, numbers = [], {}
    for i, column in enumerate(schema.columns):
        seen = ~np.isnan(rows.values[i])
        cells, weights = rows.values[i, seen], rows.weights[seen]
        n_codes = _n_codes(column)
        codes = cells.astype(np.intp) if n_codes else np.zeros(0, np.intp)
        its_weights = weights if n_codes else weights[:0]
        mass.append(np.bincount(codes, its_weights, n_codes).astype(np.float64))
        if not n_codes and cells.size:
            numbers[i] = _number_facts(cells, weights)
    return TableFacts(
        n_rows=rows.weights.size,
        n_missing=np.count_nonzero(np.isnan(rows.values), axis=1),
        n_second=np.count_nonzero(rows.values == 1.0, axis=1),
        mass=tuple(mass),
        numbers=numbers,
    )


def merge(a: TableFacts, b: TableFacts) -> TableFacts:
    """Return the statistics of two tables together, which share no row."""
    numbers = {**a.numbers, **b.numbers}
    for column in a.numbers.keys() & b.numbers.keys():
        numbers[column] = _merged(a.numbers[column], b.numbers[column])
    return TableFacts(
        n_rows=a.n_rows + b.n_rows,
        n_missing=a.n_missing + b.n_missing,
        n_second=a.n_second + b.n_second,
        mass=tuple(x + y for x, y in zip(a.mass, b.mass, strict=True)),
        numbers=numbers,
    )


def value_table(x: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the different values in order, and the weight of each; at most `MOST_VALUES`."""
    values, position = np.unique(x, return_inverse=True)
    mass = np.bincount(position, weights, values.size).astype(np.float64)
    if values.size <= MOST_VALUES:
        return values, mass
    share = (np.cumsum(mass) - mass / 2.0) / mass.sum()
    group = (share * (MOST_VALUES // 2)).astype(np.int64)
    last = np.append(np.flatnonzero(np.diff(group)), group.size - 1)  # the group's largest value
    return values[last], np.diff(np.concatenate([[0.0], np.cumsum(mass)[last]]))


def _n_codes(column: Column) -> int:
    """Return how many levels, or cells of its scale, a column has; 0 for plain numbers."""
    cells = cells_of(column)
    return column.n_levels if cells is None else cells.atom.size


def _number_facts(x: Floats, weights: Floats) -> NumberFacts:
    mean = float(np.average(x, weights=weights))
    variance = float(np.average((x - mean) ** 2, weights=weights))
    values, mass = value_table(x, weights)
    return NumberFacts(values, mass, float(weights.sum()), mean, variance)


def _merged(a: NumberFacts, b: NumberFacts) -> NumberFacts:
    weight = a.weight + b.weight
    part, gap = b.weight / weight, b.mean - a.mean
    values, mass = value_table(
        np.concatenate([a.values, b.values]), np.concatenate([a.mass, b.mass])
    )
    return NumberFacts(
        values=values,
        mass=mass,
        weight=weight,
        mean=a.mean + gap * part,
        variance=a.variance + (b.variance - a.variance) * part + gap * gap * part * (1.0 - part),
    )
