"""Refuse or mark rows whose evidence has probability zero."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import EvidenceError, ImpossibleEvidenceError

Impossible: TypeAlias = Literal["error", "nan"]


def impossible_rows(log_likelihood: Floats, impossible: Impossible) -> Bools:
    """Return which rows have probability zero, or raise an error that names the first one."""
    if impossible not in ("error", "nan"):
        raise EvidenceError(f"impossible must be 'error' or 'nan', not {impossible!r}")
    rows = np.isneginf(log_likelihood)
    if impossible == "error" and rows.any():
        first, count = int(np.argmax(rows)), int(rows.sum())
        raise ImpossibleEvidenceError(
            f"row {first}: the evidence has probability zero, so nothing can be conditioned on it "
            f"({count} such row{'s' if count != 1 else ''}). Pass impossible='nan' to mark such "
            "rows instead."
        )
    return rows
