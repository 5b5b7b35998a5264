"""Drawn numbers that no real row could hold: below zero, or between the marks of the scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.tables.cells import as_plain, number_columns

MOST_DECIMALS = 6  # a column with more has no marks that one could see
TOLERANCE = 1e-4  # of a mark; floats like 4.2860000000000005 are on it


def unnatural_figures(train: Any, drawn: Any) -> dict[str, float]:
    """Return the shares of all drawn numbers that are negative or off the marks, and of either."""
    real, drawn = as_plain(train, drawn)
    negative, off, n_cells = 0, 0, 0
    either = 0
    for name in number_columns(train):
        known, cells = (frame[name].dropna().to_numpy() for frame in (real, drawn))
        below = (cells < 0) & bool((known >= 0).all())
        between = ~on_marks(cells, decimals_of(known))
        negative, off = negative + below.sum(), off + between.sum()
        either, n_cells = either + (below | between).sum(), n_cells + cells.size
    n_cells = max(n_cells, 1)
    return {
        "negative_cells": float(negative / n_cells),
        "off_mark_cells": float(off / n_cells),
        "unnatural_cells": float(either / n_cells),
    }


def decimals_of(known: Any) -> int | None:
    """Return with how many decimals all numbers are written, None if with very many."""
    fits = (count for count in range(MOST_DECIMALS + 1) if on_marks(known, count).all())
    return next(fits, None)


def on_marks(cells: Any, decimals: int | None) -> Any:
    """Return whether each number has no more decimals than this."""
    if decimals is None:
        return np.ones(cells.size, dtype=bool)
    marks = cells * 10.0**decimals
    return np.abs(marks - np.rint(marks)) < TOLERANCE
