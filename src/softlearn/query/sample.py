"""Exact samples, also given evidence: branches are drawn top-down by their posterior weights."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import Circuit
from softlearn.leaf import Interval
from softlearn.query.evidence import Evidence
from softlearn.query.impossible import Impossible, impossible_rows
from softlearn.query.leaves import log_values, same_shape
from softlearn.query.plan import plan_for
from softlearn.query.workspace import Workspace, batch_of, block_rows, over_rows


def sample(
    circuit: Circuit, n: int, rng: np.random.Generator, *, n_threads: int | None = None
) -> Floats:
    """Return ``n`` rows drawn from the circuit's distribution, (columns, n)."""
    nothing = Evidence.nothing(len(circuit.schema))
    return sample_given(circuit, nothing, rng, n_each=n, n_threads=n_threads)


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
    evidence.must_fit(circuit.schema)
    n_draws = evidence.n_rows * n_each
    out = np.empty((len(circuit.schema), n_draws))
    leaf_of = np.full(out.shape, -1, np.int32)
    states = rng.integers(0, 2**64, size=n_draws, dtype=np.uint64)
    log_likelihood = np.empty(evidence.n_rows)
    if n_draws:
        _descend_all(circuit, evidence, n_each, states, out, leaf_of, log_likelihood, n_threads)
    zero = impossible_rows(log_likelihood, impossible) if n_draws else np.zeros(0, dtype=bool)
    _draw_continuous(circuit, evidence, n_each, leaf_of, out)
    out[:, np.repeat(zero, n_each)] = np.nan
    return out


def _descend_all(
    circuit: Circuit,
    evidence: Evidence,
    n_each: int,
    states: np.ndarray[tuple[int], np.dtype[np.uint64]],
    out: Floats,
    leaf_of: Ids,
    log_likelihood: Floats,
    n_threads: int | None,
) -> None:
    """Walk down for every draw; draws of one row share the pass up."""
    from softlearn.kernels.draw import descend  # noqa: PLC0415 - loads Numba

    plan = plan_for(circuit, trace=True)
    batch = batch_of(plan, evidence)

    def work(first: int, last: int) -> None:
        """Draw first:last, which belong to rows first // n_each and following."""
        row_from, row_to = first // n_each, -(-last // n_each)
        space = Workspace(plan, evidence, batch, block_rows(plan, row_to - row_from, trace=True))
        stack = np.empty(circuit.n_nodes + 1, np.int32)
        for start in range(row_from, row_to, space.n_rows):
            begin = max(min(start, row_to - space.n_rows), row_from)
            space.run(begin, begin + space.n_rows, log_values, log_likelihood)
            stop = min(start + space.n_rows, row_to)
            span = (max(start * n_each, first), min(stop * n_each, last))
            values = space.block.values
            descend(plan.graph, values, batch, begin, n_each, span, states, stack, out, leaf_of)

    over_rows(work, evidence.n_rows * n_each, n_threads)


def _draw_continuous(
    circuit: Circuit, evidence: Evidence, n_each: int, leaf_of: Ids, out: Floats
) -> None:
    """Turn the uniform numbers of continuous columns into values, family by family."""
    for position, column in enumerate(circuit.schema.columns):
        draws = np.flatnonzero(leaf_of[position] >= 0)
        if column.is_discrete or draws.size == 0:
            continue
        bounds = evidence.intervals.get(position)
        for family, where, params in same_shape(circuit, leaf_of[position, draws]):
            cells = draws[where]
            rows = cells // n_each
            region = None if bounds is None else Interval(bounds.lo[rows], bounds.hi[rows])
            out[position, cells] = family.draw(params, out[position, cells], region)
