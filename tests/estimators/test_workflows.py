"""Estimators do as scikit-learn's own in pipelines, searches, routing and joblib's backends."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from estimators.people import kinds, people
from softlearn import (
    CircuitClassifier,
    CircuitImputer,
    CircuitMixture,
    CircuitOutlierDetector,
    SoftLearn,
)

FRAME = people()
KINDS = kinds(FRAME)
NUMBERS = FRAME[["age", "speed"]].to_numpy()
CLASSIFIER = CircuitClassifier(SoftLearn(n_jobs=1), random_state=0)


def test_a_grid_search_changes_the_circuits():
    search = GridSearchCV(SoftLearn(random_state=0), {"n_clusters": [1, 3]}, cv=2).fit(FRAME)
    assert search.best_params_ == {"n_clusters": 3}
    assert len(set(search.cv_results_["mean_test_score"])) == 2
    assert search.best_estimator_.model_.circuit.n_nodes > 5


def test_a_grid_search_reaches_the_inner_learner():
    grid = {"estimator__n_clusters": [1, 2], "structure": ["joint", "per_class"]}
    search = GridSearchCV(CLASSIFIER, grid, cv=2).fit(FRAME, KINDS)
    scores = search.cv_results_["mean_test_score"]
    assert search.cv_results_["params"][int(np.argmin(scores))] == {
        "estimator__n_clusters": 1,
        "structure": "joint",
    }
    assert np.isfinite(scores).all()


def test_a_halving_search_works():
    search = HalvingGridSearchCV(
        SoftLearn(random_state=0), {"n_clusters": [1, 2]}, cv=2, min_resources=40, random_state=0
    )
    assert np.isfinite(search.fit(NUMBERS).best_score_)


@pytest.mark.parametrize(
    ("estimator", "y"),
    [
        (SoftLearn(random_state=0), None),
        (CircuitMixture(n_estimators=2, random_state=0), None),
        (CLASSIFIER, KINDS),
    ],
)
def test_cross_validation_gives_finite_scores(estimator, y):
    assert np.isfinite(cross_val_score(estimator, FRAME, y, cv=2)).all()


def test_an_imputer_begins_a_pipeline_of_frames():
    steps = make_pipeline(
        CircuitImputer(random_state=0), OneHotEncoder(handle_unknown="ignore"), LogisticRegression()
    )
    assert cross_val_score(steps, FRAME, KINDS, cv=2).mean() > 0.5


def test_density_and_outliers_end_a_pipeline():
    density = make_pipeline(StandardScaler(), SoftLearn(random_state=0)).fit(NUMBERS)
    assert np.isfinite(density.score(NUMBERS))
    odd = make_pipeline(StandardScaler(), CircuitOutlierDetector(random_state=0))
    assert (odd.fit_predict(NUMBERS) == -1).mean() == 0.1


def test_frames_stay_frames_along_a_pipeline():
    steps = make_pipeline(CircuitImputer(random_state=0), FunctionTransformer(), CLASSIFIER)
    steps.set_output(transform="pandas").fit(FRAME, KINDS)
    assert list(steps[-1].feature_names_in_) == list(FRAME.columns)


def test_weights_are_routed_through_pipelines_and_searches():
    young = (FRAME["age"] < 37).astype(float).to_numpy()
    with sklearn.config_context(enable_metadata_routing=True):
        learner = SoftLearn(random_state=0).set_fit_request(sample_weight=True)
        learner = learner.set_score_request(sample_weight=True)
        steps = make_pipeline(FunctionTransformer(), learner)
        search = GridSearchCV(steps, {"softlearn__n_clusters": [1, 2]}, cv=2)
        search.fit(FRAME, sample_weight=young)
    model = search.best_estimator_[-1].model_
    assert model.expectation("age") < 37
    direct = SoftLearn(**search.best_estimator_[-1].get_params()).fit(FRAME, sample_weight=young)
    assert np.array_equal(model.score_samples(FRAME), direct.score_samples(FRAME))


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_backends_of_joblib_give_the_same_answers(backend):
    alone = GridSearchCV(CLASSIFIER, {"structure": ["joint", "per_class"]}, cv=2).fit(FRAME, KINDS)
    with joblib.parallel_backend(backend, n_jobs=2):
        many = GridSearchCV(CLASSIFIER, {"structure": ["joint", "per_class"]}, cv=2)
        many.fit(FRAME, KINDS)
    assert np.array_equal(alone.cv_results_["mean_test_score"], many.cv_results_["mean_test_score"])


def test_a_model_survives_joblibs_dump(tmp_path):
    model = SoftLearn(random_state=0).fit(FRAME).model_
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    assert np.array_equal(again.score_samples(FRAME), model.score_samples(FRAME))
