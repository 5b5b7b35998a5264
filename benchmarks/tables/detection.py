"""Classifiers that try to tell real rows from drawn ones; 1 says that they cannot, 0 that they can.

The measure is that of sdmetrics' detection metrics, as in the papers: levels one-hot, missing
numbers by their mean, a robust scaling, three folds, and 1 - 2 (AUC - 0.5) of each, at most 1.
It differs in two ways: the folds have a seed, and a drawn level that the real rows lack is a row of
zeros instead of an error.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sdmetrics.utils import HyperTransformer
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler
from xgboost import XGBClassifier

from benchmarks.tables.cells import as_categories, as_plain

FOLDS = 3


def trees(**choices: Any) -> XGBClassifier:
    """Return the papers' classifier; `n_jobs` changes the time only."""
    return XGBClassifier(
        eval_metric="logloss", enable_categorical=True, random_state=0, n_jobs=1, **choices
    )


def c2st_xgb(real: Any, drawn: Any, seed: int) -> float:
    """Return the score of boosted trees on one-hot rows, as published."""
    return _c2st(real, drawn, trees(), seed)


def c2st_lr(real: Any, drawn: Any, seed: int) -> float:
    """Return the score of logistic regression on one-hot rows, as published."""
    return _c2st(real, drawn, LogisticRegression(solver="lbfgs"), seed)


def c2st_xgb_native(real: Any, drawn: Any, seed: int) -> float:
    """Return the score of boosted trees that see levels as levels, and missing cells as such."""
    both, is_real = _together(as_categories(real, drawn))
    return _score(trees(), both, is_real, seed)


def fold_aucs(judge: Any, rows: Any, is_real: Any, seed: int) -> list[float]:
    """Return the AUC of each fold's unseen rows."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    found = []
    for seen, unseen in folds.split(np.zeros(len(is_real)), is_real):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = clone(judge).fit(_take(rows, seen), is_real[seen])
        guessed = fitted.predict_proba(_take(rows, unseen))[:, 1]
        found.append(float(roc_auc_score(is_real[unseen], guessed)))
    return found


def _c2st(real: Any, drawn: Any, classifier: Any, seed: int) -> float:
    frames = as_plain(real, drawn)
    encoder = HyperTransformer()
    encoder.fit(frames[0])
    for transform in encoder.column_transforms.values():
        if "one_hot_encoder" in transform:
            transform["one_hot_encoder"].handle_unknown = "ignore"
    rows, is_real = _together([encoder.transform(frame) for frame in frames])
    judge = make_pipeline(SimpleImputer(), RobustScaler(), classifier)
    return _score(judge, rows.to_numpy(), is_real, seed)


def _score(judge: Any, rows: Any, is_real: Any, seed: int) -> float:
    aucs = fold_aucs(judge, rows, is_real, seed)
    return float(1.0 - np.mean([2.0 * max(0.5, auc) - 1.0 for auc in aucs]))


def _together(frames: list[Any]) -> tuple[Any, Any]:
    real, drawn = frames
    is_real = np.r_[np.ones(len(real)), np.zeros(len(drawn))]
    return pd.concat([real, drawn], ignore_index=True), is_real


def _take(rows: Any, positions: Any) -> Any:
    return rows.iloc[positions] if hasattr(rows, "iloc") else rows[positions]
