"""What boosted trees learn from drawn rows, judged by real ones that nobody has seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import r2_score, roc_auc_score, root_mean_squared_error
from xgboost import XGBRegressor

from benchmarks.tables.cells import as_categories
from benchmarks.tables.detection import trees
from benchmarks.tables.splits import Split

LOG_RANGE = (1.0, 20_000.0)  # what the papers cut a target to, before its logarithm


def usefulness(learnt_from: Any, split: Split) -> dict[str, float]:
    """Return how well the target of the test rows is predicted."""
    known = learnt_from[learnt_from[split.target].notna()]
    measure = _auc if split.task == "classification" else _errors
    return measure(known, split.test, split.target)


def _auc(known: Any, test: Any, target: str) -> dict[str, float]:
    """Return the mean AUC of the classes, one against all others."""
    classes, codes = np.unique(known[target].astype(str), return_inverse=True)
    truth = test[target].astype(str).to_numpy()
    guessed = dict.fromkeys(classes, np.zeros(len(test)))
    if classes.size > 1:
        train_rows, test_rows = _features(known, test, target)
        shares = trees().fit(train_rows, codes).predict_proba(test_rows)
        guessed = dict(zip(classes, shares.T, strict=True))
    never = np.zeros(len(test))  # of a class that was not drawn: as good as a coin
    present = np.unique(truth)
    ones = [float(roc_auc_score(truth == one, guessed.get(one, never))) for one in present]
    return {"auc": float(np.mean(ones))}


def _errors(known: Any, test: Any, target: str) -> dict[str, float]:
    train_rows, test_rows = _features(known, test, target)
    y_train, y_test = (frame[target].to_numpy(dtype=float) for frame in (known, test))
    guessed = _regressed(train_rows, y_train, test_rows)
    logs = [np.log(np.clip(y, *LOG_RANGE)) for y in (y_train, y_test)]
    guessed_logs = _regressed(train_rows, logs[0], test_rows)
    return {
        "rmse": float(root_mean_squared_error(y_test, guessed)),
        "r2": float(r2_score(y_test, guessed)),
        "rmse_of_log": float(root_mean_squared_error(logs[1], guessed_logs)),
    }


def _regressed(rows: Any, target: Any, unseen: Any) -> Any:
    judge = XGBRegressor(enable_categorical=True, random_state=0, n_jobs=1)
    return judge.fit(rows, target).predict(unseen)


def _features(known: Any, test: Any, target: str) -> list[Any]:
    return as_categories(known.drop(columns=target), test.drop(columns=target))
