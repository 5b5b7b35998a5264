"""How estimators read tables, and which columns they expect later."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from softlearn.arrays import AnyArray
from softlearn.errors import TableError
from softlearn.estimators.estimator import Estimator
from softlearn.learn.parameters import parameters_of, read_parameters
from softlearn.model import Model
from softlearn.model.given import Frame
from softlearn.table.frames import open_frame
from softlearn.table.partitioned import is_partitioned

FEWEST_ROWS = 2  # one row has no spread, and nothing can be learnt from it


class TableEstimator(Estimator):
    """The base of all estimators; messages about tables are those of scikit-learn.

    Estimators are dataclasses, whose fields are their parameters with their rules.
    """

    model_: Model
    n_features_in_: int

    def _read_parameters(self) -> dict[str, Any]:
        """Return the parameters as learners read them, or refuse the first that is wrong."""
        rules = {name: one.rule for name, one in parameters_of(type(self)).items()}
        return read_parameters(self.get_params(deep=False), rules)

    def _first_table(self, X: object) -> Frame:  # noqa: N803
        """Return the table to learn from."""
        table = as_table(X)
        if is_partitioned(table):
            raise TableError(
                f"{type(self).__name__} does not learn from Dask tables; fit a learner such as "
                "SoftLearn on it, whose model_ answers most questions, or fit on a part of the rows"
            )
        opened = open_frame(table)
        shape = f"(shape=({opened.n_rows}, {len(opened.names)}))"
        if not opened.names:
            raise TableError(
                f"the table has 0 feature(s) {shape} while a minimum of 1 is required."
            )
        if opened.n_rows < FEWEST_ROWS:
            raise TableError(
                f"learning needs at least two rows: the table has {opened.n_rows} sample(s) "
                f"{shape} while a minimum of {FEWEST_ROWS} is required."
            )
        return table

    def _remember_columns(self, table: Frame) -> None:
        """Store the number of columns and, if there are any, their names."""
        opened = open_frame(table)
        self.n_features_in_ = len(opened.names)
        if opened.library != "numpy" and not opened.numbered:
            self.feature_names_in_ = np.array(opened.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):  # from an earlier fit
            del self.feature_names_in_

    def _same_table(self, X: object) -> Frame:  # noqa: N803
        """Return a table with the columns of the first one; named columns may be in any order."""
        self._fitted()
        table, mine = as_table(X), type(self).__name__
        opened = open_frame(_some_rows(table))
        has_names = opened.library != "numpy" and not opened.numbered
        names = getattr(self, "feature_names_in_", None)
        if names is not None and has_names:
            _check_names(set(opened.names), set(names))
            return table
        if len(opened.names) != self.n_features_in_:
            raise TableError(
                f"X has {len(opened.names)} features, but {mine} is expecting "
                f"{self.n_features_in_} features as input."
            )
        if has_names == (names is not None):
            return table
        if is_partitioned(table):
            raise TableError(
                f"X and the table that {mine} was fitted on do not both have feature names; make "
                "it a Dask DataFrame with these names, or a Dask Array"
            )
        state = ("has", "without") if has_names else ("does not have valid", "with")
        warnings.warn(
            f"X {state[0]} feature names, but {mine} was fitted {state[1]} feature names",
            UserWarning,
            stacklevel=3,
        )
        return np.asarray(table)  # matched by position

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            from sklearn.exceptions import NotFittedError  # noqa: PLC0415 - loads much

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet; call fit first"
            )
        return self.model_

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def as_table(X: object) -> Frame:  # noqa: N803
    """Return frames unchanged; nested lists and array-like objects become arrays."""
    if is_partitioned(X):
        return X
    is_array = isinstance(X, np.ndarray)
    converts = isinstance(X, list | tuple) or hasattr(X, "__array__")
    if not is_array and (not converts or hasattr(type(X), "columns")):
        return X
    try:
        array = np.asarray(X)
        if array.dtype.kind == "U" and not is_array:  # lists that mix text and numbers
            array = np.array(X, dtype=object)
    except ValueError as error:
        raise TableError(f"the rows are not all of the same length ({error})") from error
    if array.dtype.kind == "c":
        raise TableError(
            "Complex data not supported: give the real and the imaginary part a column each"
        )
    return X if isinstance(X, np.ma.MaskedArray) else array


def lazy_answer(
    fitted: TableEstimator,
    question: str,
    X: Frame,  # noqa: N803
    names: str | tuple[str, ...],
    dtype: npt.DTypeLike,
) -> AnyArray:
    """Return the lazy results of a method for the partitions of a Dask table.

    It is a Dask Series, DataFrame or Array, with the type of the computed result.
    """
    from softlearn.scale import Wanted, answer  # noqa: PLC0415 - loads Dask

    found: AnyArray = answer(
        fitted, question, fitted._same_table(X), Wanted(names, np.dtype(dtype))
    )
    return found


def _some_rows(table: Frame) -> Frame:
    """Return a frame with the table's columns, without loading partitions."""
    if not is_partitioned(table):
        return table
    from softlearn.scale import first_rows  # noqa: PLC0415 - loads Dask

    return first_rows(table)


def _check_names(found: set[str], expected: set[str]) -> None:
    lists = (("unseen at fit time", found - expected), ("now missing", expected - found))
    wrong = [f"{what}: {', '.join(map(repr, sorted(names)))}" for what, names in lists if names]
    if wrong:
        raise TableError(
            "The feature names should match those that were passed during fit; " + "; ".join(wrong)
        )
