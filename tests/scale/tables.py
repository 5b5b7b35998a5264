"""Partitioned tables with all kinds of columns."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd

N_ROWS = 300


def mixed_table(n: int = N_ROWS, seed: int = 0) -> pd.DataFrame:
    """Two groups that differ in all columns, with missing cells, as Dask stores them."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "word": np.array(["red", "green"])[(group + (rng.random(n) < 0.1)) % 2],
            "x": rng.normal(3.0 * group, 1.0).round(2),
            "count": rng.poisson(3 + 5 * group),
            "yes": rng.random(n) < 0.2 + 0.6 * group,
            "day": np.datetime64("2024-01-01") + (rng.integers(0, 60, n)).astype("m8[D]"),
        }
    )
    frame.loc[rng.random(n) < 0.15, "x"] = np.nan
    frame.loc[rng.random(n) < 0.15, "word"] = None
    return in_partitions(frame, 1).compute()


def weights_of(frame: pd.DataFrame, seed: int = 1) -> pd.Series:
    values = np.random.default_rng(seed).exponential(size=len(frame))
    return pd.Series(values, index=frame.index, name="weight")


def in_partitions(frame, n):
    """The rows in their order, in n partitions of about the same size."""
    return dd.from_pandas(frame, npartitions=n, sort=False)
