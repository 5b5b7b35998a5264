"""The memory layout of a training table, chosen from the statistics of all its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.circuit import cells_of
from softlearn.kernels.grow.work import N_MOMENTS
from softlearn.stats.bins import (
    CodeMap,
    histogram_edges,
    map_of_cells,
    map_of_levels,
    map_of_numbers,
)
from softlearn.stats.facts import TableFacts
from softlearn.stats.rows import is_dense
from softlearn.table.schema import Column, Schema


@dataclass(frozen=True, eq=False, kw_only=True)
class Layout:
    """The place of each column, and how its cells become levels, numbers and codes.

    Attributes
    ----------
    single_of
        (columns,) position among the columns of two levels without a missing cell, -1 for others.
    dense
        Whether these are stored as a matrix, or as compressed rows.
    n_levels
        (columns,) a column with a scale has one for each atom and one for all other cells, if it
        has atoms; plain numbers have none.
    levels_of
        (columns,) position among the other columns with levels, -1 for the rest.
    number_of
        (columns,) position among the columns that have numbers, -1 for the others. These are plain
        numbers, or normal scores of the cells of a scale that are not atoms.
    centre, spread
        (columns,) mean and standard deviation of plain numbers; 0 and 1 for other columns.
    has_gaps
        (columns,) whether cells are missing.
    code_maps
        How cells become the codes for the tests of independence, by column.
    edges
        Of the columns whose leaves are histograms.
    n_bins
        (columns,) of a histogram, or coarse bins of a scale's cells; 0 for other columns.
    mass
        Per column the weight of each of its levels in all rows.
    """

    schema: Schema
    single_of: Offsets
    dense: bool
    n_levels: Offsets
    levels_of: Offsets
    number_of: Offsets
    centre: Floats
    spread: Floats
    has_gaps: Bools
    code_maps: tuple[CodeMap, ...]
    edges: dict[int, Floats]
    n_bins: Offsets
    mass: tuple[Floats, ...]

    @cached_property
    def n_codes(self) -> Offsets:
        """(columns,) number of codes."""
        return np.array([one.n_codes for one in self.code_maps])

    @cached_property
    def numeric(self) -> Bools:
        """(columns,) whether codes are in the order of the numbers."""
        return np.array([not column.is_discrete for column in self.schema.columns])

    @cached_property
    def n_statistics(self) -> Offsets:
        """(columns,) number of statistics of a leaf: levels, moments, bins."""
        return self.n_levels + N_MOMENTS * (self.number_of >= 0) + self.n_bins

    def level_weights(self, column: int) -> Floats:
        """Return the weight of each level of a column in the whole table, (levels,)."""
        return self.mass[column]


def layout_of(facts: TableFacts, schema: Schema, with_histograms: Bools | None = None) -> Layout:
    """Return the layout of a table; `with_histograms` marks the columns with histogram leaves."""
    columns = schema.columns
    mass = tuple(map(_level_mass, columns, facts.mass))
    n_levels = np.array([own.size for own in mass])
    is_discrete = np.array([column.is_discrete for column in columns])
    has_gaps: Bools = facts.n_missing > 0
    single = (n_levels == 2) & ~has_gaps & is_discrete
    has_number = np.array(list(map(_has_number, columns, facts.mass)))
    centre, spread = np.zeros(len(columns)), np.ones(len(columns))
    for i, number in facts.numbers.items():
        centre[i], spread[i] = number.mean, number.deviation
    edges = {}
    if with_histograms is not None:
        plain = ~is_discrete & np.array([column.scale is None for column in columns])
        for i in np.flatnonzero(with_histograms & plain).tolist():
            edges[i] = histogram_edges(*_values(i, facts))
    n_ones, n_cells = facts.n_second[single].sum(), np.count_nonzero(single) * facts.n_rows
    return Layout(
        schema=schema,
        single_of=_position(single),
        dense=is_dense(int(n_ones), int(n_cells)),
        n_levels=n_levels,
        levels_of=_position((n_levels > 0) & ~single),
        number_of=_position(has_number),
        centre=centre,
        spread=spread,
        has_gaps=has_gaps,
        code_maps=tuple(_code_map(i, column, facts) for i, column in enumerate(columns)),
        edges=edges,
        n_bins=np.array([_n_bins(i, column, edges) for i, column in enumerate(columns)]),
        mass=mass,
    )


def _level_mass(column: Column, mass: Floats) -> Floats:
    """Return the weight of each level: of a scale with atoms, each atom and the rest."""
    cells = cells_of(column)
    if cells is None:
        return mass
    if not cells.atom.any():
        return np.zeros(0)
    return np.append(mass[cells.atom], mass[~cells.atom].sum())


def _has_number(column: Column, mass: Floats) -> bool:
    """Return whether a column has numbers: plain ones, or scores of cells that are no atoms."""
    cells = cells_of(column)
    if cells is None:
        return not column.is_discrete
    return not cells.atom.any() or bool((mass[~cells.atom] > 0.0).any())


def _code_map(i: int, column: Column, facts: TableFacts) -> CodeMap:
    if column.is_discrete:
        return map_of_levels(facts.mass[i])
    if column.scale is not None:
        return map_of_cells(facts.mass[i])
    return map_of_numbers(*_values(i, facts))


def _values(i: int, facts: TableFacts) -> tuple[Floats, Floats]:
    """Return the different values of a column of plain numbers, and their weights."""
    known, nothing = facts.numbers.get(i), np.zeros(0)
    return (nothing, nothing) if known is None else (known.values, known.mass)


def _n_bins(i: int, column: Column, edges: dict[int, Floats]) -> int:
    cells = cells_of(column)
    if cells is not None:
        return int(cells.n_bins)
    return edges[i].size - 1 if i in edges else 0


def _position(which: Bools) -> Offsets:
    """Return each column's position among some of them, -1 for the others."""
    return np.where(which, np.cumsum(which) - 1, -1)
