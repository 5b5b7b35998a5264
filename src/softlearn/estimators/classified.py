"""Training rows of a classifier: features with classes, in memory or in partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.errors import SoftlearnError, TableError
from softlearn.estimators.labels import Labels, codes_of, read_cells
from softlearn.model.given import Frame
from softlearn.table import append_column

if TYPE_CHECKING:
    from softlearn.scale import Partitions


class Weighted(NamedTuple):
    """A table, and the weights of its rows unless it contains them."""

    table: Frame
    weights: Floats | None


class ClassifiedRows(ABC):
    """Features with the class of each row."""

    @abstractmethod
    def with_target(self, name: str) -> Weighted:
        """Return the table with the target as its last column."""

    @abstractmethod
    def of_class(self, code: int) -> Weighted:
        """Return the features, with weight 0 for rows of other classes.

        A single row is counted twice, because learners need two.
        """

    @abstractmethod
    def share(self, code: int) -> float:
        """Return the weight of the rows of one class."""


@dataclass(frozen=True, eq=False)
class RowsHere(ClassifiedRows):
    """A frame."""

    table: Frame
    labels: Labels
    weights: Floats

    def with_target(self, name: str) -> Weighted:
        """Return the frame with one column more."""
        return Weighted(append_column(self.table, name, self.labels.cells), self.weights)

    def of_class(self, code: int) -> Weighted:
        """Return the frame with other weights."""
        weights = np.where(self.labels.codes == code, self.weights, 0.0)
        n_rows, mass = int(np.count_nonzero(weights)), float(weights.sum())
        return Weighted(self.table, weights * _factor(n_rows, mass))

    def share(self, code: int) -> float:
        """Return the sum of the weights."""
        return float(self.weights[self.labels.codes == code].sum())


class ClassSizes(NamedTuple):
    """The classes of some rows that have a weight."""

    classes: AnyArray  # sorted
    n_rows: Floats  # (classes,)
    mass: Floats  # (classes,)


@dataclass(frozen=True, eq=False)
class RowsInParts(ClassifiedRows):
    """Rows of a Dask table, each part with its target."""

    rows: Partitions
    targets: tuple[Any, ...]
    sizes: ClassSizes

    def with_target(self, name: str) -> Weighted:
        """Return parts that have one column more when they are read."""
        from softlearn.scale import mapped  # noqa: PLC0415 - loads Dask

        add = partial(_with_target, name=name, classes=self.sizes.classes)
        frames = mapped(add, self.rows, self.targets)
        return Weighted(replace(self.rows, frames=frames), None)

    def of_class(self, code: int) -> Weighted:
        """Return the parts with other weights."""
        from softlearn.scale import mapped  # noqa: PLC0415 - loads Dask

        factor = _factor(int(self.sizes.n_rows[code]), float(self.sizes.mass[code]))
        weigh = partial(_of_class, wanted=self.sizes.classes[code], factor=factor)
        return Weighted(replace(self.rows, weights=mapped(weigh, self.rows, self.targets)), None)

    def share(self, code: int) -> float:
        """Return the sum of the weights, part by part."""
        return float(self.sizes.mass[code])


def classified_parts(X: Frame, y: object, sample_weight: object, asking: str) -> RowsInParts:  # noqa: N803
    """Return the rows of a Dask table with their classes; `asking` is for messages.

    Parameters
    ----------
    X
        The features.
    y
        A Dask Series or 1-D Array with the same partitions, or the name of a column of ``X``.
    sample_weight
        The same.
    asking
        Name of the estimator, for messages.
    """
    from softlearn import scale  # noqa: PLC0415 - loads Dask

    if isinstance(X, scale.Partitions):
        raise TableError(
            f"{asking} learns from a Dask DataFrame or Array, which contains its target"
        )
    if y is None:
        raise SoftlearnError(f"{asking} requires y to be passed, but the target y is None")
    features, target = scale.without_column(X, y, "y")
    rows = scale.partitions_of(features, sample_weight, beside=True)
    rows = scale.with_training_weights(rows)
    targets = scale.parts_beside(target, len(rows.frames), "y")
    sizes = _merged(scale.compute(scale.mapped(partial(_sizes, asking=asking), rows, targets)))
    return RowsInParts(rows, targets, sizes)


def _factor(n_rows: int, mass: float) -> float:
    """Return the factor for the weights of a class."""
    return 2.0 / mass if n_rows < 2 and mass < 2.0 else 1.0


def _with_target(
    frame: Frame, weights: Floats, target: object, name: str, classes: AnyArray
) -> Frame:
    codes = codes_of(np.asarray(target), weights, classes)
    return append_column(frame, name, classes[codes])


def _of_class(
    frame: Frame, weights: Floats, target: object, wanted: object, factor: float
) -> Floats:
    return np.where(np.asarray(target) == wanted, weights * factor, 0.0)


def _sizes(frame: Frame, weights: Floats, target: object, asking: str) -> ClassSizes:
    if not weights.size:
        nothing = np.zeros(0)
        return ClassSizes(np.asarray(target), nothing, nothing)
    cells = read_cells(target, weights, asking)[weights > 0.0]
    classes, code = np.unique(cells, return_inverse=True)
    counted = weights[weights > 0.0]
    return ClassSizes(classes, *_added(code, classes.size, np.ones(counted.size), counted))


def _merged(parts: list[ClassSizes]) -> ClassSizes:
    some = [part for part in parts if part.classes.size]
    classes, code = np.unique(np.concatenate([part.classes for part in some]), return_inverse=True)
    n_rows, mass = (np.concatenate(own) for own in list(zip(*some, strict=True))[1:])
    return ClassSizes(classes, *_added(code, classes.size, n_rows, mass))


def _added(code: Offsets, n_codes: int, *given: Floats) -> tuple[Floats, ...]:
    """Return the sums of numbers that have the same code."""
    sums = [np.bincount(code, weights=own, minlength=n_codes) for own in given]
    return tuple(own.astype(np.float64) for own in sums)
