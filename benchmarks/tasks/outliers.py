"""Of the rows of a table 2 % are spoilt, and have to be found among the others.

A spoilt row takes half of its cells from other rows, each from a row of its own. Every value is one
that its column has; only what belongs together is torn apart, so that no column shows it alone.
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from benchmarks.tasks.measured import MIXTURE, SINGLE, Measured, circuits
from benchmarks.tasks.one_hot import OneHot
from benchmarks.tasks.split import Split
from softlearn import CircuitOutlierDetector
from softlearn.estimators.outliers import CAUTIOUS

PLANTED = 0.02


def measure(system: str, split: Split) -> Measured:
    """Learn from the spoilt training rows, and rank these same rows."""
    table, spoilt = with_spoilt_rows(split.train, split.rng())
    measured = Measured()
    usual = SYSTEMS[system](split, table, measured)
    measured.figures["auc"] = float(roc_auc_score(spoilt, -usual))
    return measured


def with_spoilt_rows(frame, rng):
    """Return the frame with spoilt rows, and which rows they are."""
    n_rows, n_columns = frame.shape
    chosen = rng.choice(n_rows, size=max(1, round(PLANTED * n_rows)), replace=False)
    sources = np.tile(np.arange(n_rows)[:, None], n_columns)  # where each cell comes from
    for row in chosen:
        columns = rng.choice(n_columns, size=-(-n_columns // 2), replace=False)
        sources[row, columns] = rng.integers(n_rows, size=columns.size)
    spoilt = frame.copy()
    for position, name in enumerate(frame.columns):
        spoilt[name] = frame[name].take(sources[:, position]).reset_index(drop=True)
    return spoilt, np.isin(np.arange(n_rows), chosen)


def _circuit(learner):
    def usual(split, table, measured):
        estimator = circuits(split.seed, schema=split.schema, **CAUTIOUS)[learner]
        detector = CircuitOutlierDetector(estimator, contamination=PLANTED)
        with measured.fitting():
            detector.fit(table)
        with measured.answering():
            scores = detector.score_samples(table)
        return np.maximum(scores, np.finfo(float).min)  # the ranking of −inf is the lowest

    return usual


def _forest(split, table, measured):
    rows = OneHot(split.schema, table).encode(table)
    with measured.fitting():
        detector = IsolationForest(random_state=split.seed, n_jobs=-1).fit(rows)
    with measured.answering():
        return detector.score_samples(rows)


def _neighbours(split, table, measured):
    rows = OneHot(split.schema, table).encode(table)
    with measured.fitting():
        return LocalOutlierFactor(n_jobs=-1).fit(rows).negative_outlier_factor_


SYSTEMS = {
    SINGLE: _circuit(SINGLE),
    MIXTURE: _circuit(MIXTURE),
    "IsolationForest": _forest,
    "LocalOutlierFactor": _neighbours,
}
