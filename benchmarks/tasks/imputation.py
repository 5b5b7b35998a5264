"""A fifth of all cells is removed, in the rows to learn from and in those to fill."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - makes the next import work
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

from benchmarks.tasks.measured import MIXTURE, SINGLE, Measured, circuits
from benchmarks.tasks.one_hot import OneHot
from benchmarks.tasks.split import Split, with_holes
from softlearn import CircuitImputer

REMOVED = 0.2


def measure(system: str, split: Split) -> Measured:
    """Fill the holes of the test rows, and compare with what was there."""
    split, rng = split.with_floats(), split.rng()
    train, test = with_holes(split.train, REMOVED, rng), with_holes(split.test, REMOVED, rng)
    measured = Measured()
    filled = SYSTEMS[system](split, train, test, measured)
    measured.figures = _figures(split, test, filled)
    return measured


def _figures(split, test, filled):
    """Return the accuracy of levels, and the error of numbers in deviations of their column."""
    right, squares = [], []
    for name in split.categorical:
        hole = test[name].isna()
        right += list(filled[name][hole].astype(str) == split.test[name][hole].astype(str))
    for name in split.numeric:
        hole = test[name].isna()
        wrong = (filled[name][hole] - split.test[name][hole]) / split.train[name].std()
        squares += list(wrong.astype(float) ** 2)
    return {"accuracy": float(np.mean(right)), "rmse": float(np.sqrt(np.mean(squares)))}


def _by_circuit(split, train, test, measured, *, learner, method):
    estimator = circuits(split.seed, schema=split.schema)[learner]
    imputer = CircuitImputer(estimator, method=method)
    with measured.fitting():
        imputer.fit(train)
    with measured.answering():
        return imputer.transform(test)


def _by_columns(split, train, test, measured):
    """Fill in the mean of a column, or its most frequent level."""
    kinds = [(split.categorical, "most_frequent"), (list(split.schema.names), "mean")]
    names = set()
    filled = test.copy()
    for columns, strategy in kinds:
        wanted = [name for name in columns if name not in names]
        names |= set(wanted)
        imputer = SimpleImputer(strategy=strategy)
        as_cells = object if strategy == "most_frequent" else float
        with measured.fitting():
            imputer.fit(train[wanted].astype(as_cells))
        with measured.answering():
            cells = imputer.transform(test[wanted].astype(as_cells))
        filled[wanted] = pd.DataFrame(cells, columns=wanted).astype(as_cells)
    return filled


def _by_numbers(split, train, test, measured, *, imputer, last_level=True):
    one_hot = OneHot(split.schema, train, last_level=last_level)
    imputer = imputer(split.seed)
    with measured.fitting():
        imputer.fit(one_hot.encode(train))
    with measured.answering():
        return one_hot.decode(imputer.transform(one_hot.encode(test)), test)


SYSTEMS = {
    f"{SINGLE}, most probable": partial(_by_circuit, learner=SINGLE, method="most_probable"),
    f"{SINGLE}, mean": partial(_by_circuit, learner=SINGLE, method="mean"),
    f"{MIXTURE}, mean": partial(_by_circuit, learner=MIXTURE, method="mean"),
    "SimpleImputer": _by_columns,
    "KNNImputer": partial(_by_numbers, imputer=lambda _: KNNImputer(keep_empty_features=True)),
    "IterativeImputer": partial(
        _by_numbers,
        imputer=lambda seed: IterativeImputer(random_state=seed, keep_empty_features=True),
        last_level=False,
    ),
}
