"""A small table of two kinds of people that the tests of this room share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def people(n_rows: int = 150, seed: int = 0) -> pd.DataFrame:
    """Text, whole and decimal numbers and truth values, with gaps."""
    rng = np.random.default_rng(seed)
    young = rng.random(n_rows) < 0.4
    frame = pd.DataFrame(
        {
            "sport": np.where(rng.random(n_rows) < np.where(young, 0.9, 0.2), "climb", "row"),
            "age": np.where(young, 25, 50) + rng.integers(-9, 10, n_rows),
            "speed": np.where(young, 2.0, -2.0) + rng.normal(size=n_rows),
            "member": rng.random(n_rows) < np.where(young, 0.8, 0.1),
        }
    )
    frame.loc[::7, "speed"] = None
    frame.loc[::11, "sport"] = None
    return frame


def kinds(frame: pd.DataFrame, seed: int = 1) -> np.ndarray:
    """One of three kinds of each person, which mostly depends on age."""
    rng = np.random.default_rng(seed)
    kind = np.where(frame["age"] > 37, "old", "young").astype(object)
    kind[rng.random(len(frame)) < 0.2] = "other"
    return kind.astype(str)
