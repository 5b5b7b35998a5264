"""The base of estimators of a joint density: scores, samples, criteria and query methods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.estimators.parameters import read_weights
from softlearn.estimators.questions import ModelQuestions
from softlearn.estimators.table_estimator import TableEstimator
from softlearn.model.asking import Conditions
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState


class DensityEstimator(ModelQuestions, TableEstimator):
    """An estimator of a joint distribution; it has all query methods of its ``model_``."""

    unknown: Unknown

    def score_samples(self, X: Frame, *, unknown: Unknown | None = None) -> Floats:  # noqa: N803
        """Return the log-density of each row, (rows,); missing cells are summed out.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The rows.
        unknown : {"error", "missing"}, optional
            Whether an unknown level is an error, or treated as missing; by default as the
            estimator's parameter says.
        """
        policy = self.unknown if unknown is None else unknown
        return self._fitted().score_samples(self._same_table(X), unknown=policy)

    def score(
        self,
        X: Frame,  # noqa: N803
        y: object = None,
        sample_weight: object = None,
        *,
        unknown: Unknown | None = None,
    ) -> float:
        """Return the mean log-density of the rows, in nats.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The rows; missing cells are summed out.
        y : ignored
        sample_weight : array of shape (rows,), optional
            How much each row counts in the mean.
        unknown : {"error", "missing"}, optional
            As in ``score_samples``.
        """
        scores = np.asarray(self.score_samples(X, unknown=unknown))
        if not scores.size:
            raise SoftlearnError("the table has no rows, so there is no mean to take")
        if sample_weight is None:
            return float(scores.mean())
        weights = read_weights(sample_weight, scores.size)
        counted = weights > 0.0  # a row of weight 0 is absent, even if it is impossible
        if not counted.any():
            raise SoftlearnError("sample_weight leaves no row, so there is no mean to take")
        return float(np.average(scores[counted], weights=weights[counted]))

    def sample(
        self,
        n_samples: int = 1,
        *,
        given: Conditions | Frame | None = None,
        random_state: RandomState = None,
        unknown: Unknown | None = None,
        partition_rows: int | None = None,
    ) -> Frame:
        """Return rows drawn from the model, as the kind of frame that it was fitted on.

        Parameters
        ----------
        n_samples : int
            How many rows; if a frame is given, how many for each of its rows.
        given : dict or frame, optional
            What is known of the rows, as in ``Model.sample``.
        random_state : int or numpy.random.Generator, optional
            The source of randomness; the same seed draws the same rows.
        unknown : {"error", "missing"}, optional
            Whether an unknown level in a given frame is an error, or treated as missing; by default
            as the estimator's parameter says.
        partition_rows : int, optional
            Return a Dask DataFrame, or Array, with partitions of so many rows, each drawn when it
            is needed.
        """
        policy = self.unknown if unknown is None else unknown
        return self._fitted().sample(
            n_samples, given, random_state, unknown=policy, partition_rows=partition_rows
        )

    def bic(self, X: Frame) -> float:  # noqa: N803
        """Return the Bayesian information criterion of the rows; lower is better.

        Twice the negative log-likelihood, plus the logarithm of the number of rows for each free
        parameter: of a sum with k children k − 1, of a categorical leaf its levels less one, of a
        Gaussian two, of a histogram its bins less one (``model_.circuit.n_parameters``).
        """
        scores = np.asarray(self.score_samples(X))
        return self._criterion(scores, math.log(scores.size))

    def aic(self, X: Frame) -> float:  # noqa: N803
        """Return Akaike's information criterion of the rows; lower is better.

        As ``bic``, with 2 for each free parameter.
        """
        return self._criterion(np.asarray(self.score_samples(X)), 2.0)

    def _criterion(self, scores: Floats, penalty: float) -> float:
        return float(-2.0 * scores.sum() + penalty * self._fitted().circuit.n_parameters)

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        return tags
