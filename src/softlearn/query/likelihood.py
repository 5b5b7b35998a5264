"""The log-probability of evidence, fast: blocks of rows through a compiled plan."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.query.coding import log_base, needs_families
from softlearn.query.evidence import Evidence
from softlearn.query.leaves import log_values
from softlearn.query.plan import plan_for
from softlearn.query.workspace import Workspace, batch_of, block_rows, over_rows


def log_likelihood(circuit: Circuit, evidence: Evidence, *, n_threads: int | None = None) -> Floats:
    """Return the log-probability of each row of evidence, (rows,).

    It is a density in columns of decimal numbers and times that have a value, but at single values
    with a probability of their own, and a probability in everything else. Unobserved columns are
    summed out. Impossible evidence gives -inf.
    """
    evidence.check_all_but_codes(circuit.schema)
    out = np.empty(evidence.n_rows)
    if evidence.n_rows == 0:
        return out
    plan = plan_for(circuit, by_families=needs_families(circuit.schema, evidence))
    batch = batch_of(circuit.schema, plan.shape.columns, evidence)

    def work(first: int, last: int) -> None:
        space = Workspace(plan, evidence, batch, block_rows(plan, last - first))
        space.run(first, last, log_values, out)

    over_rows(work, evidence.n_rows, n_threads)
    return out + log_base(circuit.schema, evidence)
