"""The log-probability of evidence, fast: blocks of rows through a compiled plan."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.query.evidence import Evidence
from softlearn.query.leaves import log_values
from softlearn.query.plan import plan_for
from softlearn.query.workspace import Workspace, batch_of, block_rows, blocks, over_rows


def log_likelihood(
    circuit: Circuit, evidence: Evidence, *, n_threads: int | None = None
) -> Floats:
    """Return the log-probability of each row of evidence, (rows,).

    It is a density in the continuous columns that have a value, a probability in everything else;
    unobserved columns are summed out. Impossible evidence gives -inf.
    """
    from softlearn.kernels.blocks import score  # noqa: PLC0415 - loads Numba
    from softlearn.kernels.upward import log_of  # noqa: PLC0415

    evidence.must_fit(circuit.schema)
    out = np.empty(evidence.n_rows)
    if evidence.n_rows == 0:
        return out
    plan = plan_for(circuit)
    batch = batch_of(plan, evidence)

    def work(first: int, last: int) -> None:
        space = Workspace(plan, batch, block_rows(plan, last - first))
        if plan.tile_leaf.size == 0:
            memory = (space.rows, space.tiles, space.values, space.scratch)
            score(plan.program, plan.root, batch, first, last, *memory, out)
            return
        for start in blocks(first, last, space.n_rows):
            space.run(start, evidence, log_values)
            log_of(space.values, plan.root, out[start : start + space.n_rows])

    over_rows(work, evidence.n_rows, n_threads)
    return out
