"""Columns cut into cells, levels as they are and numbers in intervals; the circuit over cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import Circuit, same_shape
from softlearn.leaf import CATEGORICAL, FAMILIES, Interval
from softlearn.model import Model
from softlearn.show.beliefs import Beliefs
from softlearn.table import Column, Schema

_PARTS = 5  # cells of equal probability that a number is cut into: low, lower, middle, higher, high


@dataclass(frozen=True, eq=False)
class Cells:
    """How one column is cut.

    Attributes
    ----------
    column
        The column.
    cuts
        The inner bounds of a continuous column, ascending; n of them make n + 1 cells. Empty for a
        discrete column, whose levels are its cells, and for one that is not cut.
    """

    column: Column
    cuts: Floats

    @property
    def n(self) -> int:
        """How many cells there are."""
        return self.column.n_levels or self.cuts.size + 1

    def intervals(self) -> Interval:
        """Return the bounds of each cell of a continuous column; the outer ones are open."""
        after = np.nextafter(self.cuts, np.inf)  # a value on a cut belongs to the lower cell
        return Interval(np.append(-np.inf, after), np.append(self.cuts, np.inf))


def quantile_cells(model: Model) -> list[Cells]:
    """Cut every column of numbers or times into parts of about equal probability."""
    levels = [part / _PARTS for part in range(1, _PARTS)]
    numbers = [i for i, column in enumerate(model.schema) if not column.is_discrete]
    quantiles = Beliefs(model, numbers).quantiles(numbers, levels)
    found = [Cells(column, np.empty(0)) for column in model.schema]
    for position, cuts in zip(numbers, quantiles, strict=True):
        column = model.schema.columns[position]
        is_whole = column.kind == "integer"  # then no number is cut apart
        found[position] = Cells(column, np.unique(np.floor(cuts) + 0.5 if is_whole else cuts))
    return found


def over_cells(circuit: Circuit, cells: list[Cells]) -> Circuit:
    """Return the circuit whose leaves give the probability of each cell; nothing is approximated.

    It has the same nodes, and all queries about discrete columns answer for it.
    """
    width = np.array([one.n for one in cells], dtype=np.int64)[circuit.leaf_column]
    start = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
    params = np.empty(start[-1])
    for position, one in enumerate(cells):
        leaves = np.flatnonzero(circuit.leaf_column == position).astype(np.int32)
        params[start[leaves][:, None] + np.arange(one.n)] = _probabilities(circuit, leaves, one)
    columns = tuple(
        Column(one.column.name, "categorical", tuple(range(one.n)), reason="cut into cells")
        for one in cells
    )
    return replace(
        circuit,
        schema=Schema(columns, "numpy"),
        leaf_family=np.full(circuit.n_leaves, FAMILIES.index(CATEGORICAL), dtype=np.uint8),
        param_start=start,
        params=params,
    )


def _probabilities(circuit: Circuit, leaves: Ids, cells: Cells) -> Floats:
    """Return the probability of each cell at each leaf of its column, (leaves, cells)."""
    found = np.empty((leaves.size, cells.n))
    for family, where, params in same_shape(circuit, leaves):
        every = params[:, None, :]
        if family.discrete:
            found[where] = np.exp(family.log_density(every, np.arange(cells.n, dtype=np.float64)))
        else:
            found[where] = np.exp(family.log_mass(every, cells.intervals()))
    return np.asarray(found / found.sum(axis=1, keepdims=True))
