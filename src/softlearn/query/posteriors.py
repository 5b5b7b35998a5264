"""The posterior of every column in one pass up and one pass down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.circuit import Circuit
from softlearn.errors import EvidenceError
from softlearn.kernels.circuit.program import ColumnReach
from softlearn.query.coding import log_base, needs_families
from softlearn.query.evidence import Evidence
from softlearn.query.far import RelativeLeaves, far_rows, leaf_values
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.leaves import log_values
from softlearn.query.plan import plan_for
from softlearn.query.rounding import check_rounding
from softlearn.query.workspace import Workspace, batch_of, block_rows, blocks, over_rows


@dataclass(frozen=True, eq=False)
class Posteriors:
    """The distribution of each column of each row, given the row's evidence.

    Attributes
    ----------
    log_likelihood
        (rows,) the log-probability of the evidence.
    table
        One row for each level of a discrete column and for each product with continuous leaves,
        one column for each row of evidence; read it through ``levels`` and ``leaves``.
    """

    circuit: Circuit
    log_likelihood: Floats
    table: Floats
    layout: _Layout

    def levels(self, column: int) -> Floats:
        """Return the probability of each level of a discrete column, (rows, levels)."""
        self._must_hold(column, discrete=True)
        start = self.layout.level_start[column]
        return self.table[start : start + self.circuit.schema.columns[column].n_levels].T

    def leaves(self, column: int) -> tuple[Ids, Floats]:
        """Return the leaves of a continuous column and the weight of each, (rows, leaves).

        The posterior of an unobserved column is the mixture of these leaves with these weights
        (each restricted to the evidence's interval, if there is one).
        """
        self._must_hold(column, discrete=False)
        leaf, row = self.layout.leaves_of(column)
        weights, first = self.table[row], np.flatnonzero(np.diff(leaf, prepend=-1))
        if first.size < leaf.size:  # a leaf that several products share
            weights = np.add.reduceat(weights, first)
        return leaf[first], weights.T

    def rows(self, which: list[int]) -> Posteriors:
        """Return the posteriors of some of the rows."""
        return replace(self, log_likelihood=self.log_likelihood[which], table=self.table[:, which])

    def _must_hold(self, column: int, *, discrete: bool) -> None:
        """Refuse columns that were not asked for, and levels of continuous ones."""
        about = self.circuit.schema.columns[column]
        if not self.layout.wanted[column]:
            raise EvidenceError(f"no posterior of column {about.name!r} was asked for")
        if about.is_discrete != discrete:
            has, lacks = ("levels", "leaves") if about.is_discrete else ("leaves", "levels")
            raise EvidenceError(
                f"column {about.name!r} is {about.kind}: ask for {has}, not {lacks}"
            )


@dataclass(frozen=True)
class _Layout:
    """The rows of the table that belong to the levels and leaves of the columns."""

    circuit: Circuit
    wanted: Bools  # (columns,)
    reach: ColumnReach

    @cached_property
    def level_start(self) -> Offsets:
        """(columns,) first row of a discrete column."""
        return np.concatenate([[0], np.cumsum(self._levels)[:-1]])

    @cached_property
    def _levels(self) -> Offsets:
        levels = np.array([column.n_levels for column in self.circuit.schema.columns])
        return np.where(self.wanted, levels, 0)

    @cached_property
    def kept(self) -> Ids:
        """(flows,) slots with the flow of continuous leaves: their rows follow the levels'."""
        continuous = np.array([not column.is_discrete for column in self.circuit.schema.columns])
        mine = np.repeat(continuous & self.wanted, np.diff(self.reach.start))
        return np.unique(self.reach.slot[mine])

    @cached_property
    def n_levels(self) -> int:
        """Number of rows that are levels."""
        return int(self._levels.sum())

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return self.n_levels + self.kept.size

    def leaves_of(self, column: int) -> tuple[Ids, Offsets]:
        """Return the leaves over one column, with repetitions, and their rows of the table."""
        own = slice(*self.reach.start[column : column + 2])
        return self.reach.leaf[own], self.n_levels + np.searchsorted(
            self.kept, self.reach.slot[own]
        )


def posteriors(
    circuit: Circuit,
    evidence: Evidence,
    *,
    columns: list[int] | None = None,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Posteriors:
    """Return the posterior of every column (or of some) for every row of evidence.

    A known value has probability one. Evidence of probability zero raises an
    error, or marks its row with NaN.
    """
    evidence.check_all_but_codes(circuit.schema)
    wanted = np.ones(len(circuit.schema), dtype=bool)
    if columns is not None:
        strange = [column for column in columns if not 0 <= column < wanted.size]
        if strange:
            raise EvidenceError(
                f"there is no column {strange[0]}: columns are 0 to {wanted.size - 1}"
            )
        wanted[:] = False
        wanted[columns] = True
    # The slots of a trace follow from the structure: they are the same in all plans.
    layout = _Layout(circuit, wanted, plan_for(circuit, trace=True).shape.reach)
    table = np.empty((layout.n_rows, evidence.n_rows))
    found = Posteriors(circuit, np.empty(evidence.n_rows), table, layout)
    far = far_rows(circuit, evidence)
    for is_far, rows in enumerate((np.flatnonzero(~far), np.flatnonzero(far))):
        if rows.size == evidence.n_rows:
            _fill(found, evidence, bool(is_far), n_threads)
        elif rows.size:
            part = Posteriors(
                circuit, np.empty(rows.size), np.empty((layout.n_rows, rows.size)), layout
            )
            _fill(part, evidence.rows(rows), bool(is_far), n_threads)
            found.log_likelihood[rows], table[:, rows] = part.log_likelihood, part.table
    check_rounding(circuit, evidence, far)
    table[:, impossible_rows(found.log_likelihood, impossible)] = np.nan
    found.log_likelihood[:] += log_base(circuit.schema, evidence)
    return found


def _fill(found: Posteriors, evidence: Evidence, far: bool, n_threads: int | None) -> None:
    """Compute the table and the log-likelihood, block by block."""
    from softlearn.kernels.circuit.downward import spread  # noqa: PLC0415 - loads Numba
    from softlearn.kernels.circuit.posterior import SCRATCH, collect  # noqa: PLC0415

    circuit, layout, table = found.circuit, found.layout, found.table
    by_families = far or needs_families(circuit.schema, evidence)
    plan = plan_for(circuit, trace=True, by_families=by_families)
    batch = batch_of(circuit.schema, plan.shape.columns, evidence)
    places = (layout.reach, layout.wanted, layout.level_start, layout.kept)

    def work(first: int, last: int) -> None:
        space = Workspace(plan, evidence, batch, block_rows(plan, last - first, trace=True))
        flow, scratch = space.block.values.mantissa, np.empty(SCRATCH)
        everything, edge = np.ones(space.n_rows), np.empty(0)
        for start in blocks(first, last, space.n_rows):
            stop = start + space.n_rows
            leaves = leaf_values(circuit, evidence.rows(slice(start, stop))) if far else log_values
            space.run(start, stop, leaves, found.log_likelihood)
            if isinstance(leaves, RelativeLeaves):
                found.log_likelihood[start:stop] += leaves.base
            spread(plan.graph, space.block.values, everything, scratch[: space.n_rows], edge)
            collect(plan.graph, *places, batch, start, flow, scratch, table)

    over_rows(work, evidence.n_rows, n_threads)
