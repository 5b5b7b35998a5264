"""What all estimators that learn a circuit share: their choices, fit, and the usual questions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.estimators.parameters import check_leaves, read_parameters, read_seed, read_weights
from softlearn.estimators.progress import progress_line
from softlearn.learn import LEARNERS, Block, Engine, GrowConfig
from softlearn.model import Model
from softlearn.model.asking import Said
from softlearn.model.given import Frame
from softlearn.model.randomness import RandomState
from softlearn.table import Column, Schema, encode, infer_schema

_DEFAULT = GrowConfig()
_CHOICES = frozenset(field.name for field in fields(GrowConfig))


# A dataclass writes the constructor that scikit-learn wants: explicit keywords, stored untouched.
@dataclass(eq=False, repr=False, kw_only=True)
class CircuitEstimator(DensityMixin, BaseEstimator):
    """A learner behind scikit-learn's interface; ``SoftLearn`` explains the parameters."""

    learner: ClassVar[str]  # a name in LEARNERS

    clustering: Literal["em", "kmeans"] = _DEFAULT.clustering
    n_clusters: int = _DEFAULT.n_clusters
    significance: float = _DEFAULT.significance
    smoothing: float = _DEFAULT.smoothing
    max_iter: int = _DEFAULT.max_iter
    min_weight: float = _DEFAULT.min_weight
    leaf: str | Mapping[str, str] = "gaussian"
    max_depth: int | None = None
    max_nodes: int | None = None
    time_budget: float | None = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0
    on_interrupt: Literal["raise", "keep"] = "raise"
    schema: Schema | Mapping[str, str | Column] | None = None

    def fit(self, X: Frame, y: object = None, sample_weight: object = None) -> Self:  # noqa: N803
        """Learn a circuit from a table.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            At least two rows; missing cells are welcome.
        y : ignored
            A target is a column like any other: keep it in ``X``.
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 is the row twice, 0 its absence.

        Returns
        -------
        self
        """
        chosen = read_parameters(self.get_params(deep=False))
        schema = self._schema_of(X)
        check_leaves(self.leaf, schema)
        values = encode(X, schema)
        weights = read_weights(sample_weight, values.shape[1])
        config = GrowConfig(**{name: chosen[name] for name in _CHOICES & chosen.keys()})
        self.model_ = Model(self._learn(Block(values, weights), schema, config))
        self.schema_ = schema
        self.n_features_in_ = len(schema)
        self._remember_names(X)
        return self

    def score_samples(self, X: Frame) -> Floats:  # noqa: N803
        """Return the log-density of each row, (rows,); missing cells are summed out."""
        return self._fitted().score_samples(X)

    def score(self, X: Frame, y: object = None) -> float:  # noqa: N803
        """Return the mean log-density of the rows, in nats."""
        return self._fitted().score(X)

    def sample(
        self,
        n_samples: int = 1,
        *,
        given: Said | Frame | None = None,
        random_state: RandomState = None,
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
        """
        return self._fitted().sample(n_samples, given, random_state)

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _schema_of(self, table: Frame) -> Schema:
        if isinstance(self.schema, Schema):
            return self.schema
        return infer_schema(table, overrides=self.schema)

    def _learn(self, block: Block, schema: Schema, config: GrowConfig) -> Circuit:
        with progress_line(self.verbose) as watch:
            engine = Engine(
                n_jobs=_n_threads(self.n_jobs),
                watch=watch,
                keep_partial=self.on_interrupt == "keep",
            )
            seed = read_seed(self.random_state)
            return LEARNERS[self.learner]([block], schema, config, seed, engine)

    def _remember_names(self, table: Frame) -> None:
        if not isinstance(table, np.ndarray):
            self.feature_names_in_ = np.array(self.schema_.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):  # from an earlier fit
            del self.feature_names_in_

    def _fitted(self) -> Model:
        check_is_fitted(self, "model_")
        return self.model_


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
