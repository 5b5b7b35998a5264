"""A fitted estimator answers every question of its model, in the model's own words."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from softlearn import CircuitMixture, LearnSPN, Model, SoftLearn, SoftlearnError, load
from softlearn.estimators.questions import ModelQuestions

RNG = np.random.default_rng(0)
LEFT = RNG.random(150) < 0.5
FRAME = pd.DataFrame(
    {
        "x": RNG.normal(np.where(LEFT, -2.0, 2.0)),
        "y": RNG.normal(np.where(LEFT, 5.0, -5.0)),
        "side": np.where(RNG.random(150) < np.where(LEFT, 0.9, 0.1), "left", "right"),
        "flag": RNG.random(150) < np.where(LEFT, 0.2, 0.7),
    }
)
ESTIMATORS = (
    SoftLearn(random_state=0),
    LearnSPN(random_state=0),
    CircuitMixture(n_estimators=2, random_state=0),
)
GAPS = FRAME.head(10).assign(x=None)
# Every question, with what is asked.
ASKED = {
    "probability": ({"side": "left"}, {"x": (0, None)}),
    "distribution": ("side", {"x": 1.0}),
    "distributions": ({"x": 1.0},),
    "expectation": (["x", "y"], {"side": "left"}),
    "variance": ("x", {"flag": True}),
    "covariance": (["x", "y"],),
    "mutual_information": (),
    "entropy": (500, 3),
    "impute": (GAPS, "mean"),
    "most_probable": ({"side": "left"},),
    "describe": (),
    "describe_columns": (),
}
QUESTIONS = sorted(name for name in vars(ModelQuestions) if not name.startswith("_"))
# What an estimator asks in its own way, or has by another name.
OWN = {"sample", "score", "score_samples", "schema", "explore", "fine_tune", "compress"}


@pytest.fixture(scope="module", params=ESTIMATORS, ids=lambda one: type(one).__name__)
def learnt(request):
    return request.param.fit(FRAME)


def test_no_question_of_the_model_is_left_out():
    public = {name for name in dir(Model) if not name.startswith("_")}
    assert public - OWN == set(QUESTIONS) == {*ASKED, "save"}


@pytest.mark.parametrize("name", ASKED)
def test_the_estimator_answers_as_its_model_does(learnt, name):
    mine, models = (getattr(one, name)(*ASKED[name]) for one in (learnt, learnt.model_))
    if name == "impute":
        pd.testing.assert_frame_equal(mine, models)
    elif name == "most_probable":
        pd.testing.assert_frame_equal(mine.rows, models.rows)
        assert mine.log_likelihood == models.log_likelihood
    else:
        assert repr(mine) == repr(models)


@pytest.mark.parametrize("name", QUESTIONS)
def test_signature_and_words_are_the_models(name):
    mine, models = getattr(SoftLearn, name), getattr(Model, name)
    assert inspect.signature(mine) == inspect.signature(models)
    assert mine.__doc__ == models.__doc__
    assert name in vars(ModelQuestions)


@pytest.mark.parametrize("name", ASKED)
def test_questions_come_after_fit(name):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(SoftLearn(), name)(*ASKED[name])


def test_the_estimator_saves_its_model(learnt, tmp_path):
    learnt.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert np.array_equal(again.score_samples(FRAME), learnt.score_samples(FRAME))


def test_criteria_are_the_likelihood_less_a_price_for_each_parameter(learnt):
    total = learnt.score_samples(FRAME).sum()
    n_parameters = learnt.model_.circuit.n_parameters
    assert learnt.aic(FRAME) == pytest.approx(2 * n_parameters - 2 * total)
    assert learnt.bic(FRAME) == pytest.approx(np.log(150) * n_parameters - 2 * total)


def test_parameters_of_independent_columns_are_counted_by_hand():
    alone = SoftLearn(n_clusters=1).fit(FRAME)
    # Of each number without atoms: 16 bins and the column as a whole less one, mean and deviation.
    assert alone.model_.circuit.n_parameters == 18 + 18 + 1 + 1
    assert alone.aic(FRAME) == pytest.approx(76 - 2 * alone.score_samples(FRAME).sum())


@pytest.mark.parametrize("estimator", [SoftLearn, LearnSPN])
def test_more_clusters_are_chosen_by_the_criterion_when_there_are_some(estimator):
    learnt = estimator(n_clusters=2, random_state=0).fit(FRAME)
    assert learnt.bic(FRAME) < SoftLearn(n_clusters=1).fit(FRAME).bic(FRAME)


def test_a_weighted_score_is_the_score_of_repeated_rows(learnt):
    weights = np.arange(150) % 3
    repeated = FRAME.loc[np.repeat(np.arange(150), weights)]
    assert learnt.score(FRAME, sample_weight=weights) == pytest.approx(learnt.score(repeated))
    assert type(learnt.score(FRAME, sample_weight=weights)) is float


def test_a_score_of_no_rows_is_refused(learnt):
    with pytest.raises(SoftlearnError, match="sample_weight leaves no row"):
        learnt.score(FRAME, sample_weight=np.zeros(150))
