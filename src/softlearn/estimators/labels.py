"""The target of a classifier: its classes, and the class of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.errors import SoftlearnError
from softlearn.table.value import is_missing


class Labels(NamedTuple):
    """The classes of the rows that have a weight."""

    classes: AnyArray  # (classes,) sorted
    codes: Offsets  # (rows,) position in classes; 0 for rows of weight zero
    cells: AnyArray  # (rows,) the class itself


def read_labels(y: object, weights: Floats, asking: str) -> Labels:
    """Return the classes of a target, or refuse it in scikit-learn's words.

    Parameters
    ----------
    y
        One class a row: text, whole numbers or truth values.
    weights
        (rows,) a class whose rows all weigh nothing does not exist.
    asking
        Name of the estimator, for messages.
    """
    if y is None:
        raise SoftlearnError(f"{asking} requires y to be passed, but the target y is None")
    try:
        cells = column_or_1d(np.asarray(y), warn=True)
        assert_all_finite(cells, input_name="y")
        if cells.dtype.kind == "O" and any(map(is_missing, cells.tolist())):
            raise SoftlearnError("Input y contains NaN")
        check_classification_targets(cells)
    except (TypeError, ValueError) as error:
        raise SoftlearnError(f"y must hold one class a row: {error}") from error
    if cells.shape != weights.shape:
        raise SoftlearnError(
            f"X and y have inconsistent numbers of samples: {weights.size} and {cells.size}"
        )
    kept = weights > 0.0
    classes = np.unique(cells[kept])
    codes = np.searchsorted(classes, np.where(kept, cells, classes[0]))
    return Labels(classes, codes.astype(np.int64), classes[codes])


def target_name(y: object, features: Sequence[str]) -> str:
    """Return a name for the target that no feature has."""
    own = getattr(y, "name", None)
    name = own if isinstance(own, str) and own else "target"
    while name in features:
        name += "_"
    return name
