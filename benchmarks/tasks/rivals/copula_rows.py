"""Rows drawn by a Gaussian copula; run in an environment that has `copulas`.

A copula knows numbers only. A level becomes a uniform draw from an interval of [0, 1] that is as
long as the level is frequent, and an interval becomes its level again: the usual way out.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from copulas.multivariate import GaussianMultivariate
from exchange import serve


def fit(table, categorical, seed):
    rng = np.random.default_rng(seed)
    ends = {name: table[name].value_counts(normalize=True).cumsum() for name in categorical}
    numbers = table.copy()
    for name, upper in ends.items():
        lower = upper.shift(fill_value=0.0)
        low, high = table[name].map(lower), table[name].map(upper)
        numbers[name] = rng.uniform(low.to_numpy(float), high.to_numpy(float))
    copula = GaussianMultivariate(random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copula.fit(numbers.astype(float))

    def draw(n_rows):
        return _with_levels(copula.sample(n_rows), ends, table)

    return draw


def _with_levels(drawn, ends, table) -> pd.DataFrame:
    """Return rows with levels for intervals, and whole numbers where the table has them."""
    for name in drawn.columns:
        if name in ends:
            place = np.searchsorted(ends[name].to_numpy(), drawn[name].to_numpy(), side="right")
            drawn[name] = ends[name].index.to_numpy()[np.minimum(place, len(ends[name]) - 1)]
        elif pd.api.types.is_integer_dtype(table[name]):
            drawn[name] = drawn[name].round().astype(int)
    return drawn


if __name__ == "__main__":
    serve(fit)
