"""Which sums are deterministic on the evidence of each row."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Bools, Offsets
from softlearn.circuit import Circuit
from softlearn.circuit.determinism import overlaps
from softlearn.query.evidence import Evidence

_MOST_CHECKS: Final = 1 << 21  # of one sum and one pattern: a few seconds


class Patterns(NamedTuple):
    """Rows whose sets and intervals leave the same cells possible share a pattern."""

    apart: Bools  # (patterns, nodes)  whether at most one child of a sum is possible
    of_row: Offsets  # (rows,)


def patterns_of(circuit: Circuit, evidence: Evidence) -> Patterns:
    """Return the patterns of all rows; beyond a limit, regions of rows are ignored."""
    about = overlaps(circuit)
    masks = [-1] * evidence.n_rows
    for column in evidence.partly_known:
        rows = np.flatnonzero(np.isnan(evidence.values[column]))
        region = evidence.region(column, rows)
        if region is None or rows.size == 0:
            continue
        own = about.allowed(column, region)
        own = own * rows.size if len(own) == 1 else own
        for row, mask in zip(rows.tolist(), own, strict=True):
            masks[row] &= mask
    known = {mask: i for i, mask in enumerate(dict.fromkeys(masks))}
    if len(known) * max(len(about.sums), 1) > _MOST_CHECKS:
        known, masks = {-1: 0}, [-1] * evidence.n_rows
    apart = np.array([about.apart(mask) for mask in known]).reshape(-1, circuit.n_nodes)
    return Patterns(apart, np.array([known[mask] for mask in masks], dtype=np.int64))
