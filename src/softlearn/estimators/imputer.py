"""Fill missing cells given the rest of their row."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, get_args

from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from softlearn.estimators.built_on import fit_learner, learner_like
from softlearn.estimators.parameters import (
    ESTIMATOR,
    RANDOM_STATE,
    UNKNOWN,
    read_training_weights,
)
from softlearn.estimators.table_estimator import TableEstimator
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import one_of
from softlearn.model.completion import Method, filling, imputed
from softlearn.model.given import Frame, Given, Unknown
from softlearn.model.randomness import RandomState
from softlearn.query import Evidence
from softlearn.query.impossible_cells import without_impossible_cells
from softlearn.table import encode
from softlearn.table.partitioned import is_partitioned


@dataclass(eq=False, repr=False)
class CircuitImputer(OneToOneFeatureMixin, TransformerMixin, TableEstimator):
    """Fill missing cells from the joint distribution of all columns.

    Observed cells, dtypes and the type of frame are preserved. Unknown levels, unless they are
    rejected, are also kept, but not used as evidence.

    Parameters
    ----------
    estimator : estimator that learns a circuit, or the name of a learner, optional
        ``SoftLearn()`` by default; ``"auto"`` is an ``AutoCircuit()``.
    method : {"mean", "most_probable", "draw"}
        ``"mean"`` fills each cell by its posterior mean, or its most probable level, which has the
        smallest error; ``"most_probable"`` completes each row as a whole by max-product; ``"draw"``
        draws each row's missing cells jointly from their exact conditional distribution.
    random_state : int or numpy.random.Generator, optional
        The source of randomness of ``"draw"``, and of the estimator if it has none of its own.
    unknown : {"missing", "error"}
        Whether unknown levels are treated as missing (and kept), or rejected.

    Attributes
    ----------
    model_ : Model
        The joint distribution.
    estimator_ : estimator
        The fitted learner.
    n_features_in_, feature_names_in_
        As in ``SoftLearn``.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import CircuitImputer
    >>> table = np.array([[0, 10], [0, 12], [8, 3], [8, 4]] * 25, dtype=float)
    >>> table[0, 1] = np.nan
    >>> CircuitImputer(random_state=0).fit_transform(table)[0].round(1)
    array([ 0., 11.])
    """

    estimator: Any = parameter(None, ESTIMATOR)
    _: KW_ONLY
    method: Method = parameter("mean", one_of(*get_args(Method)))
    random_state: RandomState = parameter(None, RANDOM_STATE)
    unknown: Unknown = parameter("missing", UNKNOWN)

    def fit(self, X: Frame, y: object = None, sample_weight: object = None) -> Self:  # noqa: N803
        """Learn the joint distribution of a table with missing cells.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The table.
        y : ignored
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 counts it twice, 0 ignores it.
        """
        self._read_parameters()
        if is_partitioned(X):
            return self._fit_partitions(X, sample_weight)
        table = self._first_table(X)
        weights = read_training_weights(sample_weight, table.shape[0])
        learner = learner_like(self.estimator, self.random_state)
        self.model_ = fit_learner(learner, table, weights)
        self.estimator_ = learner
        self._remember_columns(table)
        return self

    def _fit_partitions(self, X: Frame, sample_weight: object) -> Self:  # noqa: N803
        learner = learner_like(self.estimator, self.random_state)
        self.model_ = fit_learner(learner, X, sample_weight)
        self.estimator_ = learner
        self._remember_columns(self.model_.sample(0))
        return self

    def transform(self, X: Frame) -> Frame:  # noqa: N803
        """Return the table with its missing cells filled; the given one is not changed."""
        table = self._same_table(X)
        if is_partitioned(table):
            from softlearn.scale import answer, like_the_table  # noqa: PLC0415 - loads Dask

            seed = {"random_state": self.random_state} if self.method == "draw" else {}
            return answer(self, "_filled", table, like_the_table, **seed)
        return self._filled(table, self.random_state)

    def _filled(self, table: Frame, random_state: RandomState = None) -> Frame:
        circuit = self.model_.circuit
        values = encode(table, circuit.schema, unknown=self.unknown, gaps="unobserved")
        known = Given(circuit.schema, Evidence(without_impossible_cells(circuit, values)), None)
        return imputed(circuit, table, known, filling(self.method, random_state), "error")
