"""Tables as the numbers that rivals understand: levels one-hot, numbers in standard deviations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from softlearn.arrays import Floats
from softlearn.table import Schema


class OneHot:
    """Frames to arrays and back; means and deviations are those of the training rows.

    A missing number is NaN, and so are all columns of a missing level.
    """

    def __init__(self, schema: Schema, train: Any) -> None:
        self._columns = [column for column in schema.columns if column.name in train.columns]
        self._scales = {
            column.name: (train[column.name].mean(), train[column.name].std() or 1.0)
            for column in self._columns
            if column.kind != "categorical"
        }

    def encode(self, frame: Any) -> Floats:
        """Return (rows, numbers)."""
        parts = []
        for column in self._columns:
            if column.name in self._scales:
                mean, deviation = self._scales[column.name]
                parts.append(((frame[column.name] - mean) / deviation).to_numpy(float)[:, None])
            else:
                parts.append(_one_hot(frame[column.name]))
        return np.hstack(parts)

    def decode(self, array: Floats, like: Any) -> Any:
        """Return a frame with the dtypes of another; of several levels the largest number wins."""
        found, start = {}, 0
        for column in self._columns:
            name = column.name
            if name in self._scales:
                mean, deviation = self._scales[name]
                found[name] = pd.Series(array[:, start] * deviation + mean)
                start += 1
            else:
                dtype = like[name].dtype
                end = start + len(dtype.categories)
                codes = array[:, start:end].argmax(axis=1)
                found[name] = pd.Series(pd.Categorical.from_codes(codes, dtype=dtype))
                start = end
        return pd.DataFrame(found)


def _one_hot(levels: Any) -> Floats:
    codes = levels.cat.codes.to_numpy()
    array = np.zeros((codes.size, len(levels.cat.categories)))
    array[np.arange(codes.size), codes] = 1.0
    array[codes < 0] = np.nan
    return array
