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
    """Return the classes of a target, or refuse it with scikit-learn's messages.

    Parameters
    ----------
    y
        One class a row: text, whole numbers or truth values.
    weights
        (rows,) a class whose rows all have weight 0 is ignored.
    asking
        Name of the estimator, for messages.
    """
    if y is None:
        raise SoftlearnError(f"{asking} requires y to be passed, but the target y is None")
    cells = read_cells(y, weights, asking)
    classes = np.unique(cells[weights > 0.0])
    codes = codes_of(cells, weights, classes)
    return Labels(classes, codes, classes[codes])


def read_cells(y: object, weights: Floats, asking: str) -> AnyArray:
    """Return the class of each row, (rows,), or refuse the target; see ``read_labels``."""
    try:
        cells = column_or_1d(np.asarray(y), warn=True)
        assert_all_finite(cells, input_name="y")
        if cells.dtype.kind == "O" and any(map(is_missing, cells.tolist())):
            raise SoftlearnError("Input y contains NaN")
        check_classification_targets(cells)
    except (TypeError, ValueError) as error:
        raise SoftlearnError(f"y must hold one class per row: {error}") from error
    if cells.shape != weights.shape:
        raise SoftlearnError(
            f"X and y have inconsistent numbers of samples: {weights.size} and {cells.size}"
        )
    found: AnyArray = cells
    return found


def codes_of(cells: AnyArray, weights: Floats, classes: AnyArray) -> Offsets:
    """Return the position of each row's class; 0 for rows of weight zero."""
    known = np.where(weights > 0.0, cells, classes[0])
    return np.searchsorted(classes, known).astype(np.int64)


def target_name(y: object, features: Sequence[str]) -> str:
    """Return a name for the target that no feature has."""
    own = y if isinstance(y, str) else getattr(y, "name", None)
    is_dask_array = hasattr(y, "chunks")  # the name of a Dask array is that of its graph
    name = own if isinstance(own, str) and own and not is_dask_array else "target"
    while name in features:
        name += "_"
    return name
