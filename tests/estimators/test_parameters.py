"""Parameters are stored untouched, survive clone, and are refused by name when they are wrong."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from softlearn import LearnSPN, SoftLearn, SoftlearnError, estimators
from softlearn.errors import SchemaError
from softlearn.learn import LEARNERS
from softlearn.learn.parameters import parameters_of, read_parameters

ESTIMATORS = (SoftLearn, LearnSPN)
FRAME = pd.DataFrame({"height": [1.0, 2.5, 3.0, 4.5] * 5, "colour": ["red", "blue"] * 10})

# For each parameter a value that is not the default.
OTHER = {
    "clustering": "kmeans",
    "n_clusters": 3,
    "test": "g",
    "significance": 0.2,
    "smoothing": 0.5,
    "smoothing_per": "level",
    "beta": 20.0,
    "max_iter": 2,
    "min_weight": 0.0,
    "leaf": {"height": "histogram"},
    "max_depth": 3,
    "min_rows": 5,
    "max_nodes": 100,
    "time_budget": 10.0,
    "fine_tune": 3,
    "checkpoint": "kept",
    "random_state": 5,
    "n_jobs": 1,
    "verbose": 1,
    "on_interrupt": "keep",
    "schema": {"height": "numeric"},
    "missing": "modelled",
    "unknown": "missing",
    "variant": "gens",
    "cluster_penalty": 0.2,
}
WRONG = [
    *(("clustering", value) for value in ("hard", None, 2)),
    *(("n_clusters", value) for value in (0, 2.0, True, "2")),
    *(("test", value) for value in ("chi", None)),
    *(("significance", value) for value in (0.0, 1.0, 1, np.nan, "0.1")),
    *(("smoothing", value) for value in (-0.1, np.inf, None)),
    *(("beta", value) for value in (0.0, -1, None)),
    *(("max_iter", value) for value in (0, 1.5)),
    *(("min_weight", value) for value in (-1e-9, np.nan)),
    *(("leaf", value) for value in ("normal", 3, None)),
    *(("max_depth", value) for value in (-1, 0.5)),
    *(("min_rows", value) for value in (-1, 2.5)),
    *(("max_nodes", value) for value in (0, "all")),
    *(("time_budget", value) for value in (0, -1.0, np.inf)),
    *(("checkpoint", value) for value in ("", 3)),
    *(("fine_tune", value) for value in (-1, 1.5, True)),
    *(("random_state", value) for value in (-1, 0.5, "seed")),
    *(("n_jobs", value) for value in (0, -2, 1.0)),
    *(("verbose", value) for value in (2, "yes")),
    *(("on_interrupt", value) for value in ("stop", None)),
    *(("schema", value) for value in ("numeric", 3)),
    ("smoothing_per", "row"),
    *(("missing", value) for value in ("ignored", None)),
    *(("unknown", value) for value in ("ignore", None)),
    *(("variant", value) for value in ("Gens", None)),
    *(("cluster_penalty", value) for value in (-0.1, np.nan)),
]


def of(estimator) -> dict[str, object]:
    return {name: value for name, value in OTHER.items() if name in estimator().get_params()}


def that_go_together(estimator):
    """Those of them with which a fit is possible: what time allows cannot be resumed."""
    return {name: value for name, value in of(estimator).items() if name != "checkpoint"}


def test_what_only_softlearn_and_only_learnspn_have():
    of_learnspn = {"variant", "cluster_penalty"}
    assert set(SoftLearn().get_params()) == set(OTHER) - of_learnspn
    assert set(LearnSPN().get_params()) == set(OTHER) - {"beta"}


@pytest.mark.parametrize(
    "name",
    [name for name in estimators.__all__ if hasattr(getattr(estimators, name), "get_params")],
)
def test_every_parameter_of_every_estimator_has_a_rule(name):
    estimator = getattr(estimators, name)
    assert set(parameters_of(estimator)) == set(estimator().get_params(deep=False))
    for parameter, known in parameters_of(estimator).items():
        assert known.rule.holds(getattr(estimator(), parameter)), parameter


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_are_explicit_keywords(estimator):
    parameters = inspect.signature(estimator).parameters.values()
    assert {p.kind for p in parameters} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_are_stored_untouched(estimator):
    made = estimator(**of(estimator))
    assert all(getattr(made, name) is value for name, value in of(estimator).items())


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_clone_keeps_every_parameter(estimator):
    defaults = estimator().get_params()
    assert all(defaults[name] != value for name, value in of(estimator).items())
    assert clone(estimator(**of(estimator))).get_params() == of(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_are_set_by_name(estimator):
    assert estimator().set_params(**of(estimator)).get_params() == of(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_all_parameters_away_from_their_defaults_fit(estimator):
    assert np.isfinite(estimator(**that_go_together(estimator)).fit(FRAME).score(FRAME))


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_parameter_is_named(name, value):
    estimator = SoftLearn if name in SoftLearn().get_params() else LearnSPN
    with pytest.raises(SoftlearnError, match=f"^{name} must be .*, not ") as caught:
        estimator(**{name: value}).fit(FRAME)
    assert repr(value) in str(caught.value)


def test_every_parameter_can_be_wrong():
    assert {name for name, _ in WRONG} == set(OTHER)


def test_numbers_of_any_type_are_read_as_pythons_own():
    """Kernels would be compiled once more for each other type."""
    given = {
        "n_clusters": np.int8(3),
        "max_depth": np.int64(3),
        "smoothing": 1,
        "beta": np.float32(5),
    }
    rules = {name: one.rule for name, one in LEARNERS["softlearn"].parameters.items()}
    read = read_parameters(given, rules)
    assert read == given
    assert [type(value) for value in read.values()] == [int, int, float, float]


@pytest.mark.parametrize(
    ("leaf", "error", "message"),
    [
        ({"heigth": "gaussian"}, SchemaError, "leaf: there is no column 'heigth'; .* 'height'"),
        ({"colour": "histogram"}, SchemaError, "leaf: column 'colour' is categorical"),
        ({"height": "normal"}, SoftlearnError, "leaf: column 'height' may have .*, not 'normal'"),
    ],
)
def test_leaves_that_fit_no_column_are_refused(leaf, error, message):
    with pytest.raises(error, match=message):
        SoftLearn(leaf=leaf).fit(FRAME)


def test_an_override_of_an_unknown_column_is_refused():
    with pytest.raises(SchemaError, match="no column 'heigth'; did you mean 'height'"):
        SoftLearn(schema={"heigth": "numeric"}).fit(FRAME)


@pytest.mark.parametrize("ask", ["score", "score_samples"])
def test_questions_come_after_fit(ask):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(SoftLearn(), ask)(FRAME)


def test_samples_come_after_fit():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        SoftLearn().sample(3)


def test_a_refused_parameter_leaves_the_earlier_fit_alone():
    learnt = SoftLearn(random_state=0).fit(FRAME)
    model = learnt.model_
    with pytest.raises(SoftlearnError):
        learnt.set_params(n_clusters=0).fit(FRAME)
    assert learnt.model_ is model


def test_one_cluster_takes_all_columns_as_independent():
    one, flat = (SoftLearn(random_state=0, **c) for c in ({"n_clusters": 1}, {"max_depth": 0}))
    assert np.array_equal(one.fit(FRAME).score_samples(FRAME), flat.fit(FRAME).score_samples(FRAME))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_reach_the_learner(estimator, monkeypatch):
    seen, entry = [], LEARNERS[estimator.learner]

    def watched(blocks, schema, config, seed, engine):
        seen.append(config)
        return entry.function(blocks, schema, config, seed, engine)

    monkeypatch.setitem(LEARNERS._entries, entry.name, replace(entry, function=watched))
    given = that_go_together(estimator)
    estimator(**given).fit(FRAME)
    estimator().fit(FRAME)
    own = {name: value for name, value in given.items() if name in entry.parameters}
    assert seen == [entry.config(**own), entry.config()]


def test_hyper_parameters_are_searched_by_scikit_learn():
    table = np.random.default_rng(0).normal(size=(60, 3))
    search = GridSearchCV(SoftLearn(random_state=0), {"significance": [0.01, 0.5]}, cv=2)
    assert np.isfinite(search.fit(table).best_score_)
