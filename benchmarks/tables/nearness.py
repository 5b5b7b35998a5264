"""Whether drawn rows lie nearer to the rows that were learnt from than to others like them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.tables.cells import as_points
from benchmarks.tables.splits import Split

MOST_ROWS = 5_000


def nearer_to_train(split: Split, drawn: Any, seed: int) -> float:
    """Return the share of drawn rows that are; 0.5 is nobody's copy, and a tie counts half."""
    n_rows = min(MOST_ROWS, len(split.train), len(split.test))
    rng = np.random.default_rng(seed)
    chosen = [
        frame.iloc[rng.choice(len(frame), size=min(n_rows, len(frame)), replace=False)]
        for frame in (split.train, split.test, drawn)
    ]
    seen, unseen, points = as_points(split.train, *chosen)
    to_seen, to_unseen = (_distances(points, those) for those in (seen, unseen))
    tie = np.isclose(to_seen, to_unseen, rtol=0.0, atol=1e-9)
    return float(np.where(tie, 0.5, to_seen < to_unseen).mean())


def _distances(points: Any, those: Any) -> Any:
    found, _ = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(those).kneighbors(points)
    return found[:, 0]
