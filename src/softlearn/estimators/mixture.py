"""Average several circuits learnt with different seeds or from resampled rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from softlearn.arrays import Floats
from softlearn.circuit.combine import mixture
from softlearn.estimators.built_on import fit_learner, learner_like, schema_for, with_schema
from softlearn.estimators.density_estimator import DensityEstimator
from softlearn.estimators.parameters import (
    ESTIMATOR,
    N_JOBS,
    RANDOM_STATE,
    SCHEMA,
    UNKNOWN,
    read_seed,
    read_training_weights,
)
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import flag, whole
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState
from softlearn.table import Schema
from softlearn.table.choice import Choice


@dataclass(eq=False, repr=False)
class CircuitMixture(DensityEstimator):
    """Average several circuits learnt with different seeds, which is more accurate than one.

    The density is the mean of the members' densities. The result is one circuit, with all methods
    of a model.

    Parameters
    ----------
    estimator : estimator that learns a circuit, or the name of a learner, optional
        ``SoftLearn()`` by default. Its own ``random_state`` is not used.
    n_estimators : int
        How many circuits.
    bootstrap : bool
        Whether each circuit is learnt from a bootstrap sample, drawn with replacement by the rows'
        weights, instead of the table itself.
    random_state : int or numpy.random.Generator, optional
        The source of randomness; the same number gives the same circuit.
    n_jobs : int, optional
        The number of circuits that are learnt in parallel, in threads; -1 is one per core. By
        default one after the other, each with the estimator's own threads. It does not change the
        circuit.
    schema : Schema or mapping of column name to kind, Column or mapping, optional
        What the columns are, as in ``SoftLearn``; by default the estimator's.
    unknown : {"error", "missing"}
        Whether an unknown level is an error, or treated as missing, as in ``SoftLearn``.

    Attributes
    ----------
    model_ : Model
        The mixture: all circuits under one sum.
    estimators_ : list
        The fitted learners.
    schema_, n_features_in_, feature_names_in_
        As in ``SoftLearn``.

    Examples
    --------
    >>> import numpy as np
    >>> from softlearn import CircuitMixture
    >>> table = np.random.default_rng(0).normal(size=(200, 3))
    >>> learnt = CircuitMixture(n_estimators=3, random_state=0).fit(table)
    >>> each = [np.exp(one.score_samples(table)) for one in learnt.estimators_]
    >>> np.allclose(np.exp(learnt.score_samples(table)), np.mean(each, axis=0))
    True
    """

    estimator: Any = parameter(None, ESTIMATOR)
    _: KW_ONLY
    n_estimators: int = parameter(10, whole(1))
    bootstrap: bool = parameter(False, flag())
    random_state: RandomState = parameter(None, RANDOM_STATE)
    n_jobs: int | None = parameter(None, N_JOBS)
    schema: Schema | Mapping[str, Choice] | None = parameter(None, SCHEMA)
    unknown: Unknown = parameter("error", UNKNOWN)

    def fit(self, X: Frame, y: object = None, sample_weight: object = None) -> Self:  # noqa: N803
        """Learn the circuits.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            The table, which may have missing cells.
        y : ignored
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 counts it twice, 0 ignores it.
        """
        chosen = self._read_parameters()
        table = self._first_table(X)
        weights = read_training_weights(sample_weight, table.shape[0])
        learner = self._learner()
        schema = schema_for(learner, table, weights)
        seeds = read_seed(self.random_state).spawn(chosen["n_estimators"])
        members = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_learn_member)(
                with_schema(learner_like(learner), schema), table, weights, seed, self.bootstrap
            )
            for seed in seeds
        )
        self.estimators_ = members
        self.model_ = Model(mixture([member.model_.circuit for member in members]))
        self.schema_ = schema
        self._remember_columns(table)
        return self

    def _learner(self) -> Any:  # noqa: ANN401 - any estimator
        """Return the learner that is copied for each member."""
        learner = learner_like(self.estimator)
        choices = learner.get_params(deep=False)
        if self.schema is not None:
            learner.set_params(schema=self.schema)
        if self.unknown == "missing" and "unknown" in choices:
            learner.set_params(unknown="missing")
        if self.n_jobs is not None and "n_jobs" in choices:
            learner.set_params(n_jobs=1)  # members are the threads
        return learner


def _learn_member(
    learner: Any,  # noqa: ANN401 - any estimator
    table: Frame,
    weights: Floats,
    seed: np.random.SeedSequence,
    bootstrap: bool,
) -> Any:  # noqa: ANN401
    """Fit a copy of the learner with a seed, and optionally a bootstrap sample."""
    if "random_state" in learner.get_params(deep=False):
        learner.set_params(random_state=int(seed.generate_state(1)[0]))
    if bootstrap:
        weights = _resampled(weights, np.random.default_rng(seed))
    fit_learner(learner, table, weights)
    return learner


def _resampled(weights: Floats, rng: np.random.Generator) -> Floats:
    """Return how often each row is drawn, in as many draws as the rows weigh."""
    n_draws = max(2, round(float(weights.sum())))
    return rng.multinomial(n_draws, weights / weights.sum()).astype(np.float64)
