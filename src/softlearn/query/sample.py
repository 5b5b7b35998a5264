"""Exact samples, also given evidence: branches are drawn top-down by their posterior weights."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import Floats, Ids, States
from softlearn.circuit import Circuit, same_shape
from softlearn.errors import EvidenceError
from softlearn.kernels.circuit.program import DrawRoom, Graph, Values
from softlearn.query.coding import needs_families
from softlearn.query.evidence import Evidence
from softlearn.query.far import far_rows, leaf_values
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.leaves import log_values
from softlearn.query.plan import graph_of, plan_for
from softlearn.query.rounding import check_rounding
from softlearn.query.shape import DiscreteColumns
from softlearn.query.workspace import Workspace, batch_of, block_rows, over_rows

_DRAWS_TOGETHER = 8192  # whose cells' probabilities are in memory: 16 MB for a column of 250 cells
_DRAWS_BY_ROW = 32  # are made before they are written to their columns
_NUMBERS_PER_LINE = 8  # bytes of a cache line

_FREE: WeakKeyDictionary[Circuit, Graph] = WeakKeyDictionary()  # for draws without evidence


def sample(
    circuit: Circuit, n: int, rng: np.random.Generator, *, n_threads: int | None = None
) -> Floats:
    """Return ``n`` rows drawn from the circuit's distribution, (columns, n)."""
    _check_number(n)
    nothing = Evidence.nothing(len(circuit.schema))
    if n == 0:
        return nothing.values[:, :0]
    draws = _Draws.room(circuit, nothing, n, rng)
    _descend_freely(circuit, nothing, draws, n_threads)
    _draw_continuous(circuit, nothing, draws)
    return draws.values


def sample_given(
    circuit: Circuit,
    evidence: Evidence,
    rng: np.random.Generator,
    *,
    n_each: int = 1,
    impossible: Impossible = "error",
    n_threads: int | None = None,
) -> Floats:
    """Return ``n_each`` rows for each row of evidence, side by side, (columns, rows × n_each).

    Known values stay; everything else is drawn from the exact conditional distribution. The
    result depends on the generator alone, not on the number of threads.
    """
    evidence.check_all_but_codes(circuit.schema)
    _check_number(n_each)
    if evidence.n_rows * n_each == 0:
        return np.empty((len(circuit.schema), 0))
    draws = _Draws.room(circuit, evidence, n_each, rng)
    _descend_all(circuit, evidence, draws, n_threads)
    zero = impossible_rows(draws.log_likelihood, impossible)
    _draw_continuous(circuit, evidence, draws)
    draws.values[:, np.repeat(zero, n_each)] = np.nan
    return draws.values


def _check_number(n: int) -> None:
    if n < 0:
        raise EvidenceError(f"the number of rows to draw cannot be negative: {n}")


class _Draws(NamedTuple):
    """The draws while they are being made; draw i belongs to row i // n_each."""

    n_each: int
    states: States  # (draws,)  one stream of random numbers each
    values: Floats  # (columns, draws)
    leaf_of: Ids  # (columns, draws)  of continuous columns: the leaf to draw from, or -1
    log_likelihood: Floats  # (rows,)

    @staticmethod
    def room(circuit: Circuit, evidence: Evidence, n_each: int, rng: np.random.Generator) -> _Draws:
        """Return room for the draws, and a seed for each of them."""
        shape = (len(circuit.schema), evidence.n_rows * n_each)
        return _Draws(
            n_each,
            rng.integers(0, 2**64, size=shape[1], dtype=np.uint64),
            np.empty(shape),
            np.empty(shape, np.int32),
            np.empty(evidence.n_rows),
        )


def _descend_freely(
    circuit: Circuit, nothing: Evidence, draws: _Draws, n_threads: int | None
) -> None:
    """Walk down where nothing is known: every node has the value one, so no pass up is needed."""
    from softlearn.kernels.circuit.draw import descend  # noqa: PLC0415 - loads Numba

    if circuit not in _FREE:
        everywhere = np.zeros(circuit.n_nodes, np.int32)
        _FREE[circuit] = graph_of(circuit, (everywhere, everywhere))
    graph, one = _FREE[circuit], np.ones((1, 1))
    values = Values(one, one.view(np.int64), np.empty((0, 1)), np.zeros(1, np.uint8))
    batch = batch_of(circuit.schema, DiscreteColumns.of(circuit.schema), nothing)

    def work(first: int, last: int) -> None:
        memory = (draws.states, _room(circuit), draws.values, draws.leaf_of)
        descend(graph, values, batch, 0, draws.n_each, (first, last), *memory)

    over_rows(work, draws.n_each, n_threads)


def _room(circuit: Circuit) -> DrawRoom:
    """Return the memory that one thread draws in."""
    # An odd number of cache lines: lines of one column then lie in different sets of a cache.
    lines = -(-len(circuit.schema) // _NUMBERS_PER_LINE) | 1
    shape = (_DRAWS_BY_ROW, lines * _NUMBERS_PER_LINE)
    stack = np.empty(circuit.n_nodes + 1, np.int32)
    row = np.empty(_DRAWS_BY_ROW, np.int64)
    return DrawRoom(stack, row, np.empty(shape), np.empty(shape, np.int32))


def _descend_all(
    circuit: Circuit, evidence: Evidence, draws: _Draws, n_threads: int | None
) -> None:
    """Walk down for every draw; draws of one row share the pass up."""
    from softlearn.kernels.circuit.draw import descend  # noqa: PLC0415 - loads Numba

    far = far_rows(circuit, evidence)
    check_rounding(circuit, evidence, far)
    by_families = bool(far.any()) or needs_families(circuit.schema, evidence)
    plan = plan_for(circuit, trace=True, by_families=by_families)
    batch = batch_of(circuit.schema, plan.shape.columns, evidence)
    n_each = draws.n_each

    def work(first: int, last: int) -> None:
        """Make the draws first:last, which belong to rows first // n_each and following."""
        row_from, row_to = first // n_each, -(-last // n_each)
        space = Workspace(plan, evidence, batch, block_rows(plan, row_to - row_from, trace=True))
        memory = (draws.states, _room(circuit), draws.values, draws.leaf_of)
        for start in range(row_from, row_to, space.n_rows):
            begin = max(min(start, row_to - space.n_rows), row_from)
            block = slice(begin, begin + space.n_rows)
            leaves = leaf_values(circuit, evidence.rows(block)) if far.any() else log_values
            space.run(begin, begin + space.n_rows, leaves, draws.log_likelihood)
            stop = min(start + space.n_rows, row_to)
            span = (max(start * n_each, first), min(stop * n_each, last))
            descend(plan.graph, space.block.values, batch, begin, n_each, span, *memory)

    over_rows(work, evidence.n_rows * n_each, n_threads)


def _draw_continuous(circuit: Circuit, evidence: Evidence, draws: _Draws) -> None:
    """Turn the uniform numbers of continuous columns into values, family by family."""
    for position, column in enumerate(circuit.schema.columns):
        if column.is_discrete:
            continue
        values = draws.values[position]
        if column.scale is not None:  # the kernels wrote the cells of known values
            known = np.repeat(evidence.values[position], draws.n_each)
            values[~np.isnan(known)] = known[~np.isnan(known)]
        leaf_of = draws.leaf_of[position]
        drawn = np.flatnonzero(leaf_of >= 0)
        partly_known = position in evidence.partly_known
        for first in range(0, drawn.size, _DRAWS_TOGETHER):
            some = drawn[first : first + _DRAWS_TOGETHER]
            number = values[some]
            for family, where, params in same_shape(circuit, leaf_of[some]):
                rows = some[where] // draws.n_each if partly_known else None
                region = None if rows is None else evidence.region(position, rows)
                number[where] = family.draw(params, number[where], region)
            values[some] = number
