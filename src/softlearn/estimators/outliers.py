"""Outlier detection with explanations."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Final, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin

from softlearn.arrays import AnyArray, Bools, Floats
from softlearn.estimators.built_on import fit_learner, learner_like
from softlearn.estimators.from_registry import estimator_named
from softlearn.estimators.parameters import ESTIMATOR, RANDOM_STATE, read_training_weights
from softlearn.estimators.table_estimator import TableEstimator, lazy_answer
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import number, one_of
from softlearn.learners import DEFAULT_LEARNER
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState
from softlearn.numeric_policy import ROUNDING
from softlearn.query import Evidence, log_likelihood
from softlearn.query.coding import log_base
from softlearn.query.surprise import surprises
from softlearn.table import encode, numbers_like, unknown_cells
from softlearn.table.partitioned import is_partitioned

LARGEST_CONTAMINATION = 0.5  # beyond it most rows would be outliers
CONTAMINATION = number("a number above 0, at most 0.5", lambda x: 0.0 < x <= LARGEST_CONTAMINATION)
# A detector scores its own training rows, so it must not overfit to a small group of outliers.
# `python -m benchmarks.tasks --tasks outliers` measures it.
CAUTIOUS: Final[dict[str, Any]] = {"significance": 0.01, "min_rows": 50}
USUAL_ROWS = 2000  # rows for estimating the usual surprise, to a few hundredths of a nat


@dataclass(eq=False, repr=False)
class CircuitOutlierDetector(OutlierMixin, TableEstimator):
    """Detect outliers: the least probable rows.

    Missing cells are summed out, so a row is scored by its observed cells. By default a row with an
    unknown level has probability zero, and is an outlier; see ``unknown``.

    Parameters
    ----------
    estimator : estimator that learns a circuit, or the name of a learner, optional
        ``SoftLearn(significance=0.01, min_rows=50)`` by default, which splits less than usual, to
        avoid overfitting to the outliers; ``"auto"`` is an ``AutoCircuit()``.
    contamination : float
        The share of the training rows, by weight, that are outliers; at most 0.5.
    random_state : int or numpy.random.Generator, optional
        The source of randomness, if the estimator has none of its own.
    unknown : {"outlier", "error", "missing"}
        Whether a row with an unknown level is an outlier, is rejected, or is scored by its other
        cells.

    Attributes
    ----------
    model_ : Model
        The joint distribution.
    estimator_ : estimator
        The fitted learner.
    offset_ : float
        The score below which a row is an outlier.
    usual_surprise_ : ndarray of shape (columns,)
        The mean of −log P(cell | the row's other cells) in each column of the training rows, or of
        2000 of them.
    n_features_in_, feature_names_in_
        As in ``SoftLearn``.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import CircuitOutlierDetector
    >>> table = np.random.default_rng(0).normal([0, 100], [1, 10], size=(200, 2))
    >>> learnt = CircuitOutlierDetector(contamination=0.05, random_state=0).fit(table)
    >>> learnt.predict([[0.0, 105.0], [9.0, 100.0]])
    array([ 1, -1])
    >>> learnt.explain([[9.0, 100.0]])[0] > 10  # the first column is to blame
    array([ True, False])
    """

    estimator: Any = parameter(None, ESTIMATOR)
    _: KW_ONLY
    contamination: float = parameter(0.1, CONTAMINATION)
    random_state: RandomState = parameter(None, RANDOM_STATE)
    unknown: Literal["outlier", "error", "missing"] = parameter(
        "outlier", one_of("outlier", "error", "missing")
    )

    def fit(self, X: Frame, y: object = None, sample_weight: object = None) -> Self:  # noqa: N803
        """Learn the joint distribution, and the score that separates outliers from other rows.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The table, which may have missing cells. A Dask DataFrame or Array is read partition by
            partition.
        y : ignored
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 counts it twice, 0 ignores it.
        """
        contamination = self._read_parameters()["contamination"]
        if is_partitioned(X):
            return self._fit_partitions(X, sample_weight, contamination)
        table = self._first_table(X)
        weights = read_training_weights(sample_weight, table.shape[0])
        learner = learner_like(self._chosen_learner, self.random_state)
        model = fit_learner(learner, table, weights)
        scores = _scores(model, table, "missing")  # the learner has checked them
        offset = _lowest_usual(scores, weights, contamination)
        step = _step(int(np.count_nonzero(weights)))
        self.usual_surprise_ = _usual_surprise(model, *_every(table, weights, 0, model, step))
        self.model_, self.estimator_, self.offset_ = model, learner, offset
        self._remember_columns(table)
        return self

    def _fit_partitions(self, X: Frame, sample_weight: object, contamination: float) -> Self:  # noqa: N803
        """Learn from a Dask table; only scores and weights of its rows are loaded."""
        from softlearn import scale  # noqa: PLC0415 - loads Dask

        learner = learner_like(self._chosen_learner, self.random_state)
        model = fit_learner(learner, X, sample_weight)
        rows = scale.with_training_weights(scale.partitions_of(X, sample_weight))
        parts = scale.compute(scale.mapped(partial(_scored, model=model), rows))
        scores, weights = (np.concatenate(own) for own in zip(*parts, strict=True))
        self.offset_ = _lowest_usual(scores, weights, contamination)
        counted = [int(np.count_nonzero(own)) for _, own in parts]
        step = _step(sum(counted))
        firsts = [-before % step for before in np.cumsum([0, *counted[:-1]]).tolist()]
        some = scale.compute(scale.mapped(partial(_every, model=model, step=step), rows, firsts))
        values, of_some = zip(*some, strict=True)
        self.usual_surprise_ = _usual_surprise(
            model, np.concatenate(values, axis=1), np.concatenate(of_some)
        )
        self.model_, self.estimator_ = model, learner
        self._remember_columns(model.sample(0))
        return self

    def score_samples(self, X: Frame) -> Floats:  # noqa: N803
        """Return the log-probability of each row's cells, (rows,); outliers have low scores.

        Unlike a log-density, it does not depend on the precision with which numbers are written:
        more digits do not make a row less probable.
        """
        if is_partitioned(X):
            return lazy_answer(self, "score_samples", X, "score", float)
        table = self._same_table(X)
        scores = _scores(self.model_, table, self._encoding)
        return np.where(self._unknown_cells(table).any(axis=0), -np.inf, scores)

    def decision_function(self, X: Frame) -> Floats:  # noqa: N803
        """Return the score above ``offset_``, (rows,); negative for outliers."""
        if is_partitioned(X):
            return lazy_answer(self, "decision_function", X, "above_offset", float)
        return self.score_samples(X) - self.offset_

    def predict(self, X: Frame) -> AnyArray:  # noqa: N803
        """Return −1 for outliers and 1 for the others, (rows,)."""
        if is_partitioned(X):
            return lazy_answer(self, "predict", X, "outlier", int)
        return np.where(self.decision_function(X) < 0.0, -1, 1)

    def explain(self, X: Frame) -> Frame:  # noqa: N803
        """Return how surprising each cell is, beyond what is usual in its column, in nats.

        The surprise of a cell is −log P(cell | the row's other cells); the usual surprise is its
        mean over the training rows, so that the units of a column do not matter. Large values
        explain why a row is unusual; values near 0 are as expected.

        Returns
        -------
        frame
            A frame of numbers, of the same type as ``X``. A missing cell has 0, an unknown level
            that makes the row an outlier has infinity, and NaN means that the row is impossible
            even without the cell.
        """
        if is_partitioned(X):
            return lazy_answer(self, "explain", X, self.model_.schema.names, float)
        table = self._same_table(X)
        schema = self.model_.schema
        values = encode(table, schema, unknown=self._encoding)
        above = surprises(self.model_.circuit, values) - self.usual_surprise_[:, None]
        above[np.isnan(values)] = 0.0
        above[self._unknown_cells(table)] = np.inf
        return numbers_like(table, schema, above)

    @property
    def _chosen_learner(self) -> Any:  # noqa: ANN401
        return (
            estimator_named(DEFAULT_LEARNER)(**CAUTIOUS)
            if self.estimator is None
            else self.estimator
        )

    @property
    def _encoding(self) -> Unknown:
        """How tables are encoded; unknown levels that make outliers are found separately."""
        return "error" if self.unknown == "error" else "missing"

    def _unknown_cells(self, table: Frame) -> Bools:
        """Return which cells have probability zero because of their level, (columns, rows)."""
        strange = unknown_cells(table, self.model_.schema)
        return strange if self.unknown == "outlier" else np.zeros_like(strange)


def _scores(model: Model, table: Frame, unknown: Unknown) -> Floats:
    """Return the log-density of rows, corrected for the precision of numbers, (rows,)."""
    evidence = Evidence(encode(table, model.schema, unknown=unknown))
    found = log_likelihood(model.circuit, evidence) - log_base(model.schema, evidence)
    return np.asarray(found)


def _lowest_usual(scores: Floats, weights: Floats, contamination: float) -> float:
    """Return the score below which the share ``contamination`` of the rows lies.

    It is lowered by the rounding error, so that the row with this score is not an outlier.
    """
    order = np.argsort(scores, kind="stable")
    order = order[weights[order] > 0.0]
    below = np.cumsum(weights[order])
    allowed = contamination * below[-1] * (1.0 + ROUNDING)
    first = int(np.searchsorted(below, allowed, side="right"))
    lowest = float(scores[order[min(first, order.size - 1)]])
    return lowest - ROUNDING * abs(lowest)


def _scored(table: Frame, weights: Floats, model: Model) -> tuple[Floats, Floats]:
    return _scores(model, table, "missing"), weights


def _step(n_rows: int) -> int:
    """Return the step between rows whose surprise is measured."""
    return -(-n_rows // USUAL_ROWS)


def _every(
    table: Frame, weights: Floats, first: int, model: Model, step: int
) -> tuple[Floats, Floats]:
    """Return every ``step``-th of the rows that have a weight, encoded, and its weight."""
    values = encode(table, model.schema, unknown="missing")[:, weights > 0.0]
    weights = weights[weights > 0.0]
    return np.ascontiguousarray(values[:, first::step]), weights[first::step]


def _usual_surprise(model: Model, values: Floats, weights: Floats) -> Floats:
    """Return the weighted mean surprise of each column; 0 where every cell is missing."""
    found = surprises(model.circuit, values)
    counted = np.where(np.isfinite(found), weights, 0.0)
    total = counted.sum(axis=1)
    summed = (np.where(np.isfinite(found), found, 0.0) * counted).sum(axis=1)
    return np.asarray(summed / np.where(total > 0.0, total, 1.0))
