"""How probable held-out rows of the numeric columns are, in standard deviations of each column.

Whole numbers are spread evenly over their unit: else a bump as narrow as one likes, at a value that
occurs often, would win.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KernelDensity

from benchmarks.tasks.measured import MIXTURE, SINGLE, Measured, circuits
from benchmarks.tasks.split import Split

COMPONENTS = (1, 2, 3, 5, 8, 12, 20)
BANDWIDTHS = np.geomspace(0.03, 1.0, 8)  # in standard deviations
BANDWIDTH_ROWS = 1_000  # rows that the bandwidth is chosen on; all rows are then learnt from


def measure(system: str, split: Split) -> Measured:
    """Return the mean log-density of the test rows, in nats."""
    train, test = _standardised(split)
    measured = Measured()
    with measured.fitting():
        fitted = SYSTEMS[system](train, split.seed)
    with measured.answering():
        found = fitted.score_samples(test)
    measured.figures["log-density"] = float(np.mean(found))
    measured.figures["impossible rows"] = float(np.mean(np.isneginf(found)))
    return measured


def _standardised(split):
    kinds = {column.name: column.kind for column in split.schema.columns}
    rng = split.rng()
    train, test = (
        {name: part[name] for name in split.numeric} for part in (split.train, split.test)
    )
    for name in split.numeric:
        if kinds[name] == "integer":
            train[name] = train[name] + rng.random(len(split.train))
            test[name] = test[name] + rng.random(len(split.test))
        mean, deviation = train[name].mean(), train[name].std()
        train[name], test[name] = ((part[name] - mean) / deviation for part in (train, test))
    return pd.DataFrame(train), pd.DataFrame(test)


def _circuit(learner, leaf):
    def fit(train, seed):
        # Plain numbers: with a scale, values with a cell of their own would count probability.
        plain = {name: {"kind": "numeric", "scale": "plain"} for name in train.columns}
        return circuits(seed, leaf=leaf, schema=plain)[learner].fit(train)

    return fit


def _mixture(train, seed):
    tried = [GaussianMixture(k, random_state=seed).fit(train) for k in COMPONENTS if k < len(train)]
    return min(tried, key=lambda mixture: mixture.bic(train))


def _kernels(train, seed):
    folds = KFold(3, shuffle=True, random_state=seed)
    search = GridSearchCV(KernelDensity(), {"bandwidth": BANDWIDTHS}, cv=folds)
    search.fit(train[:BANDWIDTH_ROWS])
    return KernelDensity(**search.best_params_).fit(train)


SYSTEMS = {
    f"{SINGLE}, Gaussian leaves": _circuit(SINGLE, "gaussian"),
    f"{SINGLE}, histogram leaves": _circuit(SINGLE, "histogram"),
    f"{MIXTURE}, Gaussian leaves": _circuit(MIXTURE, "gaussian"),
    "GaussianMixture": _mixture,
    "KernelDensity": _kernels,
}
