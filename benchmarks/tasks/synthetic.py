"""Rows are drawn; a classifier tries to tell them from real ones, and another learns from them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from benchmarks.tasks.foreign import rows_by
from benchmarks.tasks.measured import MIXTURE, SINGLE, Measured, circuits
from benchmarks.tasks.split import Split

FOLDS = 5
FOREIGN = {"Gaussian copula": "copula_rows.py", "CTGAN": "ctgan_rows.py"}
REAL = "(real rows)"


def measure(system: str, split: Split, pythons: Mapping[str, str]) -> Measured:
    """Draw as many rows as were learnt from, and judge them by real rows that nobody has seen.

    A system of another environment is run by the Python that `pythons` names for it.
    """
    measured = Measured()
    if system == REAL:
        drawn = split.train
    elif system in FOREIGN:
        drawn, measured.fit_seconds = rows_by(FOREIGN[system], pythons[system], split)
    else:
        estimator = circuits(split.seed, schema=split.schema)[system]
        with measured.fitting():
            estimator.fit(split.train)
        with measured.answering():
            drawn = estimator.sample(len(split.train), random_state=split.seed)
    drawn = drawn.astype(split.train.dtypes)
    measured.figures = {
        "detection AUC": _detection(drawn, split),
        "accuracy on real rows": _usefulness(drawn, split),
    }
    return measured


def _detection(drawn, split):
    """Return how well held-out rows are told from as many drawn ones; 0.5 is not at all."""
    n_each = min(len(split.test), len(drawn))
    both = pd.concat([split.test[:n_each], drawn[:n_each]], ignore_index=True)
    is_drawn = np.arange(len(both)) >= n_each
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=split.seed)
    judge = HistGradientBoostingClassifier(random_state=split.seed)
    found = cross_val_predict(judge, both, is_drawn, cv=folds, method="predict_proba")
    return float(roc_auc_score(is_drawn, found[:, 1]))


def _usefulness(drawn, split):
    """Return the accuracy on real rows of a classifier that has only seen drawn ones."""
    classes = drawn[split.target].astype(str)
    pupil = HistGradientBoostingClassifier(random_state=split.seed)
    if classes.nunique() == 1:
        pupil = DummyClassifier()
    pupil.fit(drawn.drop(columns=split.target), classes)
    found = pupil.predict(split.test.drop(columns=split.target))
    return float(np.mean(found == split.test[split.target].astype(str).to_numpy()))


SYSTEMS = (SINGLE, MIXTURE, *FOREIGN, REAL)
