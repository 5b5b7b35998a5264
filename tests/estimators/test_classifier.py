"""A classifier is a conditional of one joint circuit, and copes with what it does not know."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from estimators.people import LIBRARIES, kinds, people
from softlearn import CircuitClassifier, CircuitMixture, LearnSPN, SoftLearn, SoftlearnError
from softlearn.circuit import validate

FRAME = people()
KINDS = kinds(FRAME)
STRUCTURES = ("joint", "per_class")


@pytest.fixture(scope="module", params=STRUCTURES)
def learnt(request):
    return CircuitClassifier(structure=request.param, random_state=0).fit(FRAME, KINDS)


def asked_one_by_one(learnt, frame) -> np.ndarray:
    """P(class | row), each from a question of its own."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return np.array(
        [
            [
                learnt.model_.probability({learnt.target_name_: c}, given=row)
                for c in learnt.classes_
            ]
            for row in rows
        ]
    )


def test_probabilities_are_the_models_conditionals(learnt):
    rows = FRAME.head(30)
    found = learnt.predict_proba(rows)
    assert found == pytest.approx(asked_one_by_one(learnt, rows), rel=1e-9, abs=1e-300)
    assert found.sum(axis=1) == pytest.approx(np.ones(30))


def test_logarithms_odds_and_predictions_agree(learnt):
    p = learnt.predict_proba(FRAME)
    assert np.exp(learnt.predict_log_proba(FRAME)) == pytest.approx(p)
    assert learnt.decision_function(FRAME) == pytest.approx(np.log(p / (1 - p)), rel=1e-6)
    assert list(learnt.predict(FRAME)) == list(learnt.classes_[p.argmax(axis=1)])


def test_two_classes_have_the_odds_of_the_second():
    old = FRAME["age"] > 37
    learnt = CircuitClassifier(random_state=0).fit(FRAME.drop(columns="age"), old)
    p = learnt.predict_proba(FRAME.drop(columns="age"))
    odds = learnt.decision_function(FRAME.drop(columns="age"))
    assert odds == pytest.approx(np.log(p[:, 1] / p[:, 0]), rel=1e-6)


def test_logarithms_of_hopeless_classes_stay_finite():
    table = np.r_[np.zeros((50, 1)), np.ones((50, 1))] + np.linspace(0, 0.01, 100)[:, None]
    plain = SoftLearn(schema={"0": {"scale": "plain"}})  # Gaussians, whose tails fall for ever
    learnt = CircuitClassifier(plain, structure="per_class", random_state=0)
    learnt.fit(table, np.repeat([0, 1], 50))
    log_p = learnt.predict_log_proba([[0.0]])
    assert np.isfinite(log_p).all()
    assert log_p[0, 1] < -800  # far below the smallest float
    assert learnt.predict_proba([[0.0]])[0, 1] == 0.0


def test_missing_features_are_summed_out(learnt):
    nothing = pd.DataFrame({name: [None] for name in FRAME}, dtype=object)
    prior = learnt.model_.distribution(learnt.target_name_)
    assert learnt.predict_proba(nothing)[0] == pytest.approx([prior[c] for c in learnt.classes_])


@pytest.mark.parametrize("weights", [np.ones(150), np.where(KINDS == "other", 3.0, 1.0)])
def test_classes_apart_have_the_shares_of_their_rows(weights):
    learnt = CircuitClassifier(structure="per_class", random_state=0)
    learnt.fit(FRAME, KINDS, sample_weight=weights)
    prior = learnt.model_.distribution("target")
    for label in learnt.classes_:
        assert prior[label] == pytest.approx(weights[label == KINDS].sum() / weights.sum())


def test_unknown_levels_are_missing(learnt):
    strange = FRAME.head(20).assign(sport="swim")
    empty = FRAME.head(20).assign(sport=pd.Series([None] * 20, dtype=FRAME["sport"].dtype))
    assert np.array_equal(learnt.predict_proba(strange), learnt.predict_proba(empty))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_impossible_numbers_are_missing(structure):
    inner = SoftLearn(leaf="histogram", smoothing=0.0)
    learnt = CircuitClassifier(inner, structure=structure, random_state=0).fit(FRAME, KINDS)
    far, empty = (FRAME.head(20).assign(speed=value) for value in (1e6, np.nan))
    assert np.array_equal(learnt.predict_proba(far), learnt.predict_proba(empty))


def test_of_a_row_that_contradicts_itself_only_the_prior_is_left():
    table = np.array([["a", "a"], ["b", "b"]] * 40)
    inner = SoftLearn(smoothing=0.0)
    learnt = CircuitClassifier(inner, structure="per_class", random_state=0)
    learnt.fit(table, ["x", "y"] * 40)
    assert learnt.predict_proba([["a", "b"]])[0] == pytest.approx([0.5, 0.5])
    assert learnt.predict_proba([["a", "a"]])[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "classes",
    [
        ["no", "yes"],
        [3, 7],
        [-1, 1],
        [False, True],
        [0.0, 2.0],
        list(range(25)),
        [f"class {i:02}" for i in range(25)],
    ],
)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_target_of_any_type_comes_back(classes, structure):
    y = np.resize(np.array(classes), 150)
    learnt = CircuitClassifier(structure=structure, random_state=0).fit(FRAME, y)
    assert learnt.classes_.tolist() == classes
    assert learnt.classes_.dtype == y.dtype
    assert set(learnt.predict(FRAME)) <= set(classes)
    assert learnt.model_.schema[learnt.target_name_].levels == tuple(classes)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_library_gives_the_same_answers(library, structure):
    frame = LIBRARIES[library](FRAME)
    clf = CircuitClassifier(structure=structure, random_state=0)
    expected = clf.fit(FRAME, KINDS).predict_proba(FRAME)
    assert np.array_equal(clf.fit(frame, KINDS).predict_proba(frame), expected)


@pytest.mark.parametrize(
    ("y", "columns", "expected"),
    [
        (KINDS, ["a", "b"], "target"),
        (KINDS, ["target", "target_"], "target__"),
        (pd.Series(KINDS, name="kind"), ["a", "b"], "kind"),
        (pd.Series(KINDS, name="a"), ["a", "b"], "a_"),
        (pd.Series(KINDS, name=3), ["a", "b"], "target"),
    ],
)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_target_has_a_name_of_its_own(y, columns, expected, structure):
    frame = FRAME[["age", "speed"]].set_axis(columns, axis=1)
    learnt = CircuitClassifier(structure=structure, random_state=0).fit(frame, y)
    assert learnt.target_name_ == expected
    assert learnt.model_.schema.names == (*columns, expected)


def test_the_model_answers_what_if_questions(learnt):
    validate(learnt.model_.circuit)
    young, old = (
        learnt.model_.expectation("age", given={learnt.target_name_: kind})
        for kind in ("young", "old")
    )
    assert young < 35
    assert old > 45


@pytest.mark.parametrize("inner", [None, LearnSPN(), CircuitMixture(n_estimators=2)])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_it_is_built_on_any_learner(inner, structure):
    learnt = CircuitClassifier(inner, structure=structure, random_state=0).fit(FRAME, KINDS)
    assert learnt.score(FRAME, KINDS) > 0.7
    assert len(learnt.estimators_) == (1 if structure == "joint" else 3)


def test_what_the_learner_was_told_of_columns_holds():
    inner = SoftLearn(schema={"age": "numeric"})
    learnt = CircuitClassifier(inner, random_state=0).fit(FRAME, KINDS)
    assert learnt.model_.schema["age"].kind == "numeric"
    assert inner.schema == {"age": "numeric"}


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_class_of_weight_zero_does_not_exist(structure):
    learnt = CircuitClassifier(structure=structure, random_state=0)
    learnt.fit(FRAME, KINDS, sample_weight=(KINDS != "other").astype(float))
    assert learnt.classes_.tolist() == ["old", "young"]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_class_of_one_row_is_learnt(structure):
    y = np.where(np.arange(150) == 5, "one", "many")
    learnt = CircuitClassifier(structure=structure, random_state=0).fit(FRAME, y)
    assert learnt.predict_proba(FRAME).shape == (150, 2)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_single_class_is_certain(structure):
    learnt = CircuitClassifier(structure=structure, random_state=0).fit(FRAME, ["all"] * 150)
    assert (learnt.predict_proba(FRAME) == 1.0).all()
    assert set(learnt.predict(FRAME)) == {"all"}


def test_features_help():
    learnt = CircuitClassifier(random_state=0).fit(FRAME, KINDS)
    other = people(200, seed=5)
    assert learnt.score(other, kinds(other, seed=6)) > 0.7


def test_a_column_vector_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        CircuitClassifier(random_state=0).fit(FRAME, KINDS[:, None])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "CircuitClassifier requires y to be passed, but the target y is None"),
        (KINDS[:-1], "inconsistent numbers of samples: 150 and 149"),
        (np.r_[np.nan, np.ones(149)], "Input y contains NaN"),
        (np.array([None, *KINDS[1:]], dtype=object), "Input y contains NaN"),
        (np.linspace(0, 1, 150), "Unknown label type: continuous"),
        (np.ones((150, 2)), "y should be a 1d array"),
    ],
)
def test_what_is_no_target_is_refused(y, message):
    with pytest.raises(SoftlearnError, match=message):
        CircuitClassifier().fit(FRAME, y)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"structure": "both"}, "structure must be 'joint' or 'per_class', not 'both'"),
        ({"estimator": SoftLearn}, "estimator must be None, the name of a learner such as"),
        ({"estimator": 3}, "estimator must be None, .*, not 3"),
        ({"estimator": SoftLearn(n_clusters=0)}, "n_clusters must be"),
    ],
)
def test_wrong_choices_are_refused(choices, message):
    with pytest.raises(SoftlearnError, match=message):
        CircuitClassifier(**choices).fit(FRAME, KINDS)
