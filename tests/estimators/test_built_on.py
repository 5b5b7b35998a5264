"""What a learner must have for others to be built on it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from estimators.people import kinds, people
from softlearn import CircuitClassifier, CircuitImputer, SoftLearn, SoftlearnError

FRAME = people(60)


class Stranger(BaseEstimator):
    """Learns nothing, and has no schema."""

    def fit(self, _table, sample_weight=None):
        return self


class Friend(BaseEstimator):
    """Somebody else's learner."""

    def __init__(self, schema=None):
        self.schema = schema

    def fit(self, table, sample_weight=None):
        learnt = SoftLearn(n_clusters=1, schema=self.schema).fit(table, sample_weight=sample_weight)
        self.model_ = learnt.model_
        return self


def test_any_object_with_fit_and_a_model_serves():
    learnt = CircuitClassifier(Friend()).fit(FRAME, kinds(FRAME))
    p = learnt.predict_proba(FRAME)
    assert np.allclose(p, p[0])  # columns are independent, so features say nothing


def test_a_learner_without_a_model_is_refused():
    with pytest.raises(SoftlearnError, match="a Model as model_ after fit; Stranger has none"):
        CircuitImputer(Stranger()).fit(FRAME)


def test_a_learner_that_cannot_be_told_the_columns_is_refused():
    with pytest.raises(SoftlearnError, match=r"must have a parameter schema.*; Stranger has none"):
        CircuitClassifier(Stranger()).fit(FRAME, kinds(FRAME))


def test_a_seed_is_handed_on_only_to_learners_without_their_own():
    own = CircuitImputer(SoftLearn(random_state=3), random_state=5).fit(FRAME)
    none = CircuitImputer(SoftLearn(), random_state=5).fit(FRAME)
    assert own.estimator_.random_state == 3
    assert none.estimator_.random_state == 5


def test_the_callers_learner_is_not_fitted():
    mine = SoftLearn()
    CircuitImputer(mine, random_state=0).fit(FRAME)
    assert not hasattr(mine, "model_")
    assert mine.random_state is None
