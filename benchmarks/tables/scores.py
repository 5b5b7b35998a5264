"""The log-density of unseen rows, with those that cannot be scored counted apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlearn import SoftlearnError


def scores_of(estimator: Any, rows: Any) -> Any:
    """Return the log-density of each row, NaN for one that the model refuses."""
    try:
        return np.asarray(estimator.score_samples(rows), dtype=float)
    except SoftlearnError:  # some row holds what the model has never seen: look for it
        if len(rows) == 1:
            return np.array([np.nan])
        middle = len(rows) // 2
        halves = rows.iloc[:middle], rows.iloc[middle:]
        return np.concatenate([scores_of(estimator, half) for half in halves])


def score_figures(estimator: Any, rows: Any) -> dict[str, float]:
    """Return the mean score per row that can be scored, and the share of those that cannot."""
    found = scores_of(estimator, rows)
    sound = found[np.isfinite(found)]
    return {
        "score": float(sound.mean()) if sound.size else float("nan"),
        "not_scored": 1.0 - sound.size / found.size,
    }
