"""Tables as judges read them: numbers as floats, all else as labels, missing cells included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

MISSING = "(missing)"  # the label of a missing cell, so that judges can see it


def number_columns(train: Any) -> list[str]:
    """Return the names of the columns of numbers; truth values are labels."""
    return [
        name for name in train if is_numeric_dtype(train[name]) and not is_bool_dtype(train[name])
    ]


def as_plain(*frames: Any) -> list[Any]:
    """Return the frames with floats, text and, where no cell is missing, truth values.

    The first frame says what the columns are.
    """
    numbers = number_columns(frames[0])
    truths = [
        name
        for name in frames[0]
        if all(is_bool_dtype(frame[name]) and not frame[name].isna().any() for frame in frames)
    ]
    return [
        pd.DataFrame({name: _plain(frame[name], name in numbers, name in truths) for name in frame})
        for frame in (frame[list(frames[0])] for frame in frames)
    ]


def as_categories(*frames: Any) -> list[Any]:
    """Return the frames with floats and with categories that all of them share."""
    numbers = number_columns(frames[0])
    plain = as_plain(*frames)
    shared = {
        name: pd.Index(pd.unique(pd.concat([frame[name].astype(str) for frame in plain])))
        for name in frames[0]
        if name not in numbers
    }
    # Codes instead of text: trees then need not know how a version of pandas keeps text.
    return [
        frame.assign(
            **{
                name: pd.Categorical.from_codes(
                    levels.get_indexer(frame[name].astype(str)), categories=range(len(levels))
                )
                for name, levels in shared.items()
            }
        )
        for frame in plain
    ]


def as_points(train: Any, *frames: Any) -> list[Any]:
    """Return rows as points, (rows, dimensions), of Euclidean distances.

    A number counts in standard deviations of the training rows; another label is a distance of 1,
    and so is a missing number to one that is not.
    """
    numbers = number_columns(train)
    plain = as_plain(train, *frames)
    centre, spread = plain[0][numbers].mean(), plain[0][numbers].std().replace(0.0, 1.0)
    levels = {
        name: pd.unique(pd.concat([frame[name].astype(str) for frame in plain]))
        for name in train
        if name not in numbers
    }
    points = []
    for frame in plain[1:]:
        scaled = (frame[numbers] - centre) / spread
        parts = [scaled.fillna(0.0).to_numpy(), scaled.isna().to_numpy(float)]
        parts += [
            (frame[name].astype(str).to_numpy()[:, None] == np.asarray(known)) / np.sqrt(2.0)
            for name, known in levels.items()
        ]
        points.append(np.hstack(parts))
    return points


def _plain(column: Any, is_number: bool, is_truth: bool) -> Any:
    if is_number:
        return pd.Series(column.to_numpy(dtype=float, na_value=np.nan))
    if is_truth:
        return pd.Series(column.to_numpy(dtype=bool))
    known = zip(column, column.isna(), strict=True)
    return pd.Series([MISSING if gone else str(cell) for cell, gone in known], dtype=object)
