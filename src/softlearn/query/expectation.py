"""Expectations of products of powers: the passes of the likelihood, with signed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.circuit import Circuit, cells_of, same_shape
from softlearn.errors import EvidenceError
from softlearn.leaf import Family, Interval
from softlearn.query.evidence import Evidence
from softlearn.query.far import leaf_values
from softlearn.query.plan import plan_for
from softlearn.query.workspace import (
    LeafValues,
    Workspace,
    batch_of,
    block_rows,
    blocks,
    over_rows,
)
from softlearn.table.schema import Column

_FAR_EXPONENT = 4096  # beyond float64 either way, within the int32 that ldexp takes


class Power(NamedTuple):
    """The factor (x − shift) ** order of one column, row by row; order 0 leaves a row alone."""

    order: Offsets  # (rows,)
    shift: Floats  # (rows,)


Powers: TypeAlias = Mapping[int, Power]


class WideNumbers(NamedTuple):
    """Signed numbers mantissa · 2 ** exponent, whatever their range; each (rows,)."""

    mantissa: Floats
    exponent: Offsets

    def over(self, other: WideNumbers) -> Floats:
        """Return the ratio of two of them; NaN where the other one is zero."""
        gap = np.clip(self.exponent - other.exponent, -_FAR_EXPONENT, _FAR_EXPONENT)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = np.ldexp(self.mantissa / other.mantissa, gap.astype(np.int32))
        return np.where(other.mantissa == 0.0, np.nan, ratio)

    def tile(self, n: int) -> WideNumbers:
        """Return all rows n times, one copy after another."""
        return WideNumbers(np.tile(self.mantissa, n), np.tile(self.exponent, n))


def numbers(column: Column) -> Floats:
    """Return the number that each level of a discrete column stands for, (levels,).

    A missing cell, where these are modelled, counts as 0.
    """
    if any(isinstance(level, str) for level in column.levels):
        raise EvidenceError(
            f"column {column.name!r} holds text, so it has no mean; ask for its distribution"
        )
    return np.array([level or 0.0 for level in column.levels], dtype=np.float64)


def expectation(
    circuit: Circuit, evidence: Evidence, powers: Powers, n_threads: int | None = None
) -> WideNumbers:
    """Return E[Π (x_c − shift_c) ** order_c · 1(evidence)] of each row, for ratios.

    A known value contributes its density times its power. The power of a missing cell, where these
    are modelled, is 0. Rows in the far tails are divided by a number that depends on their evidence
    only, not on the powers, and cancels in ratios.
    """
    known = np.ones(evidence.n_rows)
    unknown: dict[int, Power] = {}
    for column, power in powers.items():
        about = circuit.schema.columns[column]
        values = _known_numbers(about, evidence.values[column])
        observed = ~np.isnan(values)
        known *= np.where(observed, values - power.shift, 1.0) ** np.where(observed, power.order, 0)
        if about.missing == "modelled":
            known[(evidence.values[column] == about.missing_code) & (power.order > 0)] = 0.0
        unknown[column] = Power(np.where(observed, 0, power.order), power.shift)
    factors, scale = _level_factors(circuit, evidence, unknown)
    value = _evaluate(circuit, evidence, unknown, factors, n_threads)
    return WideNumbers(value.mantissa * known * scale, value.exponent)


def moment_inside(
    family: Family, params: Floats, order: int, shift: Floats, bounds: Interval | None
) -> Floats:
    """Return E[(x − shift) ** order | lo ≤ x ≤ hi] of each leaf, (leaves, rows)."""
    every = params[:, None, :]
    value = np.empty((params.shape[0], shift.size))
    bounded = np.zeros(shift.size, dtype=bool)
    if bounds is not None:
        bounded = np.isfinite(bounds.lo) | np.isfinite(bounds.hi) | (bounds.lo > bounds.hi)
        inside = Interval(bounds.lo[bounded], bounds.hi[bounded])
        value[:, bounded] = family.moment_given(every, order, shift[bounded], inside)
    # The closed form of the whole line is much cheaper than an integral to infinity.
    value[:, ~bounded] = family.moment(every, order, shift[~bounded])
    return value


def _known_numbers(column: Column, values: Floats) -> Floats:
    """Return the numbers of the values that are known, 0 for missing cells, NaN elsewhere."""
    if not column.is_discrete:
        return np.where(np.isinf(values), 0.0, values)
    codes = np.where(np.isnan(values), column.n_levels, values).astype(np.intp)
    return np.append(numbers(column), np.nan)[codes]


def _level_factors(
    circuit: Circuit, evidence: Evidence, powers: Powers
) -> tuple[dict[int, Floats], Floats]:
    """Return a factor for each level or cell, and the number that all were divided by.

    The plan places range checks for factors up to 1, so each row's largest factor is divided out.
    """
    factors: dict[int, Floats] = {}
    scale = np.ones(evidence.n_rows)
    for position, power in powers.items():
        column = circuit.schema.columns[position]
        if column.is_discrete or column.scale is not None:
            if column.is_discrete:
                raised = (numbers(column) - power.shift[:, None]) ** power.order[:, None]
                if column.missing == "modelled":
                    raised[power.order > 0, -1] = 0.0
                factor = raised * evidence.allowed_levels(position, column.n_levels)
            else:
                factor = _cell_factors(column, evidence, position, power)
            largest = np.abs(factor).max(axis=1)
            largest[largest == 0.0] = 1.0
            factors[position] = factor / largest[:, None]
            scale *= largest
    return factors, scale


def _cell_factors(column: Column, evidence: Evidence, position: int, power: Power) -> Floats:
    """Return E[(x − shift) ** order · 1(evidence)] inside each cell, (rows, cells)."""
    cells = cells_of(column)
    assert cells is not None
    rows = np.arange(evidence.n_rows)
    region = evidence.numbers(position, rows)
    factor = np.broadcast_to(cells.inside(region).share, (rows.size, cells.n)).copy()
    values = evidence.values[position]
    known = ~np.isnan(values)
    code = cells.code(values[known])
    factor[known] = np.arange(cells.n) == code[:, None]
    for order in np.unique(power.order[power.order > 0]).tolist():
        some = np.flatnonzero((power.order == order) & ~known)
        region = evidence.numbers(position, some)
        factor[some] = cells.moment(order, power.shift[some], region)
    return factor


def _evaluate(
    circuit: Circuit,
    evidence: Evidence,
    powers: Powers,
    factors: dict[int, Floats],
    n_threads: int | None,
) -> WideNumbers:
    """Run all rows through the circuit and read the root."""
    plan = plan_for(circuit, by_families=True)
    batch = batch_of(circuit.schema, plan.shape.columns, evidence, factors)
    scaled = [column.scale is not None for column in circuit.schema]
    out = WideNumbers(np.empty(evidence.n_rows), np.zeros(evidence.n_rows, np.int64))

    def work(first: int, last: int) -> None:
        space = Workspace(plan, evidence, batch, block_rows(plan, last - first))
        for start in blocks(first, last, space.n_rows):
            block = slice(start, start + space.n_rows)
            plain = leaf_values(circuit, evidence.rows(block))
            leaves = _SignedLeaves(plain, scaled, powers, factors, block)
            space.run(start, start + space.n_rows, leaves)
            values = space.block.values
            out.mantissa[block] = values.mantissa[plan.shape.root]
            if values.scaled[plan.shape.root]:
                out.exponent[block] = values.exponent[plan.shape.root]

    if evidence.n_rows:
        over_rows(work, evidence.n_rows, n_threads)
    return out


class _SignedLeaves:
    """Signed leaf values of one block: moments for columns with a power, else probabilities."""

    def __init__(
        self,
        plain: LeafValues,
        scaled: Sequence[bool],
        powers: Powers,
        factors: dict[int, Floats],
        block: slice,
    ) -> None:
        self.plain = plain
        self.powers = {c: Power(p.order[block], p.shift[block]) for c, p in powers.items()}
        self.factors = {column: factor[block] for column, factor in factors.items()}
        self.cells = {column for column in powers if scaled[column]}

    def __call__(self, circuit: Circuit, leaves: Ids, rows: Evidence) -> tuple[Floats, Floats]:
        """Return the logarithm of each leaf's absolute value, and its sign; (leaves, rows)."""
        logs = self.plain(circuit, leaves, rows)
        assert isinstance(logs, np.ndarray)
        signs = np.ones(logs.shape)
        for column in self.powers.keys() - self.cells:
            where = np.flatnonzero(circuit.leaf_column[leaves] == column)
            for family, own, params in same_shape(circuit, leaves[where]):
                for cells, value in self._moments(column, family, params, rows):
                    place = np.ix_(where[own], cells)
                    with np.errstate(divide="ignore"):
                        size = np.log(np.abs(value))
                    # Moments of levels include their mass; those of numbers do not.
                    logs[place] = size if family.discrete else size + logs[place]
                    signs[place] = np.sign(value)
        return logs, signs

    def _moments(
        self, column: int, family: Family, params: Floats, rows: Evidence
    ) -> list[tuple[Offsets, Floats]]:
        """Return (rows, value) for one order after another; the value is (leaves, rows)."""
        order, shift = self.powers[column]
        if family.discrete:
            codes = np.arange(self.factors[column].shape[1], dtype=np.float64)
            probability = np.exp(family.log_density(params[:, None, :], codes))
            total = probability @ self.factors[column].T
            return [(np.arange(order.size), total)]
        bounds, found = rows.intervals.get(column), []
        for one in np.unique(order[order > 0]).tolist():
            cells = np.flatnonzero(order == one)
            some = None if bounds is None else Interval(bounds.lo[cells], bounds.hi[cells])
            found.append((cells, moment_inside(family, params, one, shift[cells], some)))
        return found
