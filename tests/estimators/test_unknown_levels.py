"""Levels that no training row has: refused by default where they matter, or taken as missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from softlearn import (
    CircuitClassifier,
    CircuitImputer,
    CircuitMixture,
    CircuitOutlierDetector,
    LearnSPN,
    Schema,
    SoftLearn,
    SoftlearnError,
    tune,
)
from softlearn.errors import UnknownLevelError
from softlearn.table import Column

RNG = np.random.default_rng(0)
YOUNG = RNG.random(90) < 0.5
FRAME = pd.DataFrame(
    {
        "sport": np.where(RNG.random(90) < np.where(YOUNG, 0.9, 0.1), "climbing", "rowing"),
        "speed": RNG.normal(np.where(YOUNG, 3.0, -3.0)),
    }
)
KIND = np.where(YOUNG, "young", "old")
STRANGE = pd.DataFrame({"sport": ["chess", "rowing"], "speed": [3.0, np.nan]})
BLANK = STRANGE.assign(sport=[None, "rowing"])
DENSITIES = [SoftLearn, LearnSPN, CircuitMixture]
ESTIMATORS = [*DENSITIES, CircuitClassifier, CircuitImputer, CircuitOutlierDetector]
ASKED = {
    "score_samples": lambda one, rows, **how: one.score_samples(rows, **how),
    "score": lambda one, rows, **how: one.score(rows, **how),
    "sample": lambda one, rows, **how: one.sample(2, given=rows, random_state=0, **how)["speed"],
    "impute": lambda one, rows, **how: one.impute(rows, "mean", **how)["speed"],
    "most_probable": lambda one, rows, **how: one.most_probable(rows, **how).rows["speed"],
    "probability": lambda one, rows, **how: one.probability(
        {"speed": (0, 9)}, rows[["sport"]], **how
    ),
    "expectation": lambda one, rows, **how: one.expectation("speed", rows[["sport"]], **how),
    "variance": lambda one, rows, **how: one.variance("speed", rows[["sport"]], **how),
}
ANSWERS = {
    CircuitClassifier: ["predict", "predict_proba", "predict_log_proba", "decision_function"],
    CircuitImputer: ["transform"],
    CircuitOutlierDetector: ["predict", "score_samples", "decision_function", "explain"],
}
every_answer = pytest.mark.parametrize(
    ("estimator", "ask"), [(one, ask) for one, asks in ANSWERS.items() for ask in asks]
)


def fitted(estimator, **parameters):
    small = {"n_estimators": 2} if estimator is CircuitMixture else {}
    return estimator(random_state=0, **small, **parameters).fit(FRAME, KIND)


def same(left, right) -> bool:
    left, right = np.asarray(left), np.asarray(right)
    return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


@pytest.mark.parametrize("estimator", DENSITIES)
@pytest.mark.parametrize("question", ASKED)
def test_every_question_refuses_them_unless_told_otherwise(estimator, question):
    ask = ASKED[question]
    strict, lenient = fitted(estimator), fitted(estimator, unknown="missing")
    expected = ask(strict, BLANK)
    with pytest.raises(UnknownLevelError, match="'sport' holds 'chess'"):
        ask(strict, STRANGE)
    assert same(ask(strict, STRANGE, unknown="missing"), expected)
    assert same(ask(lenient, STRANGE), expected)
    with pytest.raises(UnknownLevelError, match="'sport' holds 'chess'"):
        ask(lenient, STRANGE, unknown="error")
    with pytest.raises(UnknownLevelError, match="'sport' holds 'chess'"):
        ask(lenient.model_, STRANGE)  # which is not the estimator's any more


@every_answer
def test_answers_of_the_estimators_built_on_them_follow_the_parameter(estimator, ask):
    with pytest.raises(UnknownLevelError, match="'sport' holds 'chess'"):
        getattr(fitted(estimator, unknown="error"), ask)(STRANGE)
    lenient = getattr(fitted(estimator, unknown="missing"), ask)
    found, expected = lenient(STRANGE), lenient(BLANK)
    if estimator is CircuitImputer:  # the strange cell stays, the missing one is filled
        assert found["sport"].tolist() == ["chess", "rowing"]
        found, expected = found["speed"], expected["speed"]
    assert same(found, expected)


def test_the_defaults_of_those_built_on_a_learner_take_any_row():
    assert same(
        fitted(CircuitClassifier).predict_proba(STRANGE),
        fitted(CircuitClassifier).predict_proba(BLANK),
    )
    assert fitted(CircuitImputer).transform(STRANGE)["sport"][0] == "chess"
    detector = fitted(CircuitOutlierDetector)
    assert detector.score_samples(STRANGE)[0] == -np.inf
    assert detector.predict(STRANGE)[0] == -1
    assert detector.explain(STRANGE)["sport"][0] == np.inf


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("value", ["ignore", None, True])
def test_a_policy_that_does_not_exist_is_refused(estimator, value):
    with pytest.raises(SoftlearnError, match=f"^unknown must be .*, not {value!r}"):
        fitted(estimator, unknown=value)


def test_only_the_detector_knows_outliers():
    with pytest.raises(SoftlearnError, match="unknown must be 'error' or 'missing', not 'outlier'"):
        fitted(SoftLearn, unknown="outlier")


@pytest.mark.parametrize("estimator", DENSITIES)
def test_cross_validation_scores_rows_with_rare_levels(estimator):
    rare = FRAME.copy()
    rare.loc[5, "sport"], rare.loc[50, "sport"] = "chess", "darts"
    scores = cross_val_score(estimator(unknown="missing", random_state=0), rare, cv=3)
    assert np.isfinite(scores).all()
    with pytest.raises(UnknownLevelError, match=r"'sport' holds '(chess|darts)'"):
        cross_val_score(estimator(random_state=0), rare, cv=3, error_score="raise")


@pytest.mark.parametrize("estimator", DENSITIES)
def test_levels_beyond_a_given_schema_are_missing_in_learning_too(estimator):
    schema = Schema((Column("sport", "categorical", ("climbing",)), Column("speed", "numeric")))
    learnt = fitted(estimator, schema=schema, unknown="missing")
    assert learnt.model_.schema["sport"].levels == ("climbing",)
    with pytest.raises(UnknownLevelError, match="'sport' holds 'rowing'"):
        fitted(estimator, schema=schema)


def test_tuning_judges_by_the_learners_policy():
    grid = {"significance": [0.01]}
    with pytest.raises(UnknownLevelError, match="'sport' holds 'chess'"):
        tune(FRAME, grid=grid, valid=STRANGE, random_state=0)
    tuned = tune(FRAME, SoftLearn(unknown="missing"), grid, valid=STRANGE, random_state=0)
    assert tuned.best_score == tuned.model.score(BLANK)
