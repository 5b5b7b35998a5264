"""Models that the tests of this room share, and tables about them in every library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from softlearn import Categorical, Column, Gaussian, Histogram, Model
from softlearn.circuit import Product, Sum

JOINED = 1.7e9  # seconds: November 2023
DAY = 86_400.0


def patients() -> Model:
    """Every kind of column, three clusters, a shared part, and impossible combinations."""
    shared = 0.5 * Gaussian("weight", 60, 8) + 0.5 * Gaussian("weight", 90, 12)
    young = (
        Categorical("sex", {"F": 0.6, "M": 0.4})
        * Categorical("smoker", {False: 0.9, True: 0.1})
        * Categorical("stage", {1: 0.9, 2: 0.1})
        * Gaussian("age", 30, 6)
        * Gaussian("joined", JOINED, 20 * DAY)
        * shared
    )
    old = (
        Categorical("sex", {"F": 0.5, "M": 0.5})
        * Categorical("smoker", {False: 0.6, True: 0.4})
        * Categorical("stage", {1: 0.2, 2: 0.3, 4: 0.5})
        * Gaussian("age", 70, 8)
        * Gaussian("joined", JOINED - 200 * DAY, 40 * DAY)
        * shared
    )
    smokers = (
        Categorical("sex", {"M": 1.0})
        * Categorical("smoker", {True: 1.0})
        * Categorical("stage", {4: 1.0})
        * Histogram("age", [39.5, 49.5, 59.5], [0.3, 0.7])
        * Gaussian("joined", JOINED, 5 * DAY)
        * Gaussian("weight", 75, 5)
    )
    kinds = {"age": "integer", "joined": Column("joined", "datetime")}
    return Model(0.4 * young + 0.4 * old + 0.2 * smokers, kinds)


def fork() -> Model:
    """A deterministic circuit: the colour decides everything, and nothing red is larger than 2."""
    red = Product((Categorical("colour", {"red": 1.0}), Histogram("size", [0, 1, 2], [0.2, 0.8])))
    blue = Product((Categorical("colour", {"blue": 1.0}), Gaussian("size", 5.0, 0.5)))
    return Model(Sum((0.3, 0.7), (red, blue)))


# Three columns that every library, also a plain array of floats, can hold.
NUMBERS = Model(
    0.5 * Categorical("flag", {0: 0.8, 1: 0.2}) * Gaussian("count", 10, 3) * Gaussian("x", -1, 1)
    + 0.5 * Categorical("flag", {0: 0.1, 1: 0.9}) * Gaussian("count", 40, 9) * Gaussian("x", 2, 1),
    {"count": "integer"},
)
CELLS = {
    "flag": [1, None, 0, None, 1],
    "count": [12, 35, None, None, 41],
    "x": [0.5, None, -2.25, None, 2.0],
}


def in_library(library: str) -> object:
    """Return CELLS as a frame of one library."""
    if library == "pandas":
        return pd.DataFrame(CELLS).astype({"flag": "Int64", "count": "Int64"})
    if library == "polars":
        return pl.DataFrame(CELLS)
    if library == "pyarrow":
        return pa.table(CELLS)
    return np.array(list(CELLS.values()), dtype=float).T


def as_pandas(frame: object) -> pd.DataFrame:
    """Return any library's frame as plain floats in pandas, to compare."""
    if isinstance(frame, np.ndarray):
        frame = pd.DataFrame(frame, columns=list(CELLS))
    elif isinstance(frame, pl.DataFrame):
        frame = pd.DataFrame(frame.to_dict(as_series=False))
    elif isinstance(frame, pa.Table):
        frame = pd.DataFrame(frame.to_pydict())
    return frame.astype("float64")


LIBRARIES = ("pandas", "polars", "pyarrow", "numpy")
