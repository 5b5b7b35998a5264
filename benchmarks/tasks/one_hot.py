"""Tables as the numbers that rivals understand: levels one-hot, numbers in standard deviations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from softlearn.arrays import Floats
from softlearn.table import Schema


class OneHot:
    """Frames to arrays and back; means and deviations are those of the training rows.

    A missing number is NaN, and so are all columns of a missing level. Without its last level a
    column's indicators no longer add to 1: a regression of one on the others would have learnt
    nothing else, and predicted nothing but means.
    """

    def __init__(self, schema: Schema, train: Any, *, last_level: bool = True) -> None:
        self._last_level = last_level
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
                levels = _one_hot(frame[column.name])
                parts.append(levels if self._last_level else levels[:, :-1])
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
                end = start + len(dtype.categories) - (not self._last_level)
                levels = array[:, start:end]
                if not self._last_level:
                    levels = np.column_stack([levels, 1.0 - levels.sum(axis=1)])
                codes = levels.argmax(axis=1)
                found[name] = pd.Series(pd.Categorical.from_codes(codes, dtype=dtype))
                start = end
        return pd.DataFrame(found)


def _one_hot(levels: Any) -> Floats:
    codes = levels.cat.codes.to_numpy()
    array = np.zeros((codes.size, len(levels.cat.categories)))
    array[np.arange(codes.size), codes] = 1.0
    array[codes < 0] = np.nan
    return array
