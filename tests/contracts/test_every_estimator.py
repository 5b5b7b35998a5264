"""What every estimator promises; a new one is found by itself, and asked for an example."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from learn.table_examples import small
from softlearn import SoftlearnError, estimators, infer_schema
from softlearn.estimators import (
    AutoCircuit,
    CircuitClassifier,
    CircuitImputer,
    CircuitMixture,
    CircuitOutlierDetector,
    LearnSPN,
    SoftLearn,
)
from softlearn.estimators.estimator import Estimator
from softlearn.estimators.from_registry import estimator_of
from softlearn.learn import LEARNERS, Takes

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [(DOCS / page).read_text(encoding="utf-8") for page in ("estimators.md", "learners.md")]
EVERY = sorted(
    name
    for name in estimators.__all__
    if inspect.isclass(getattr(estimators, name))
    and issubclass(getattr(estimators, name), Estimator)
)
# One instance or more of each estimator, small enough for many fits. Those of learners that take
# every table need no line here; others cannot learn from the tables below.
EXAMPLES = {
    "AutoCircuit": [
        AutoCircuit(
            None, max_fits=4, learners=["softlearn", "chowliutree"], random_state=0, n_jobs=1
        )
    ],
    **{
        entry.estimator: [estimator_of(entry)(**small(entry), random_state=0, n_jobs=1)]
        * (entry.takes == Takes())
        for entry in LEARNERS.values()
    },
    "CircuitClassifier": [
        CircuitClassifier(random_state=0),
        CircuitClassifier(LearnSPN(), structure="per_class", random_state=0),
    ],
    "CircuitImputer": [CircuitImputer(method="mean", random_state=0)],
    "CircuitOutlierDetector": [CircuitOutlierDetector(random_state=0)],
    "CircuitMixture": [CircuitMixture(n_estimators=2, random_state=0)],
}
INSTANCES = [one for name in EVERY for one in EXAMPLES.get(name, [])]


def shown(one: object) -> str:
    structure = getattr(one, "structure", "")
    return f"{type(one).__name__}{'-' if structure else ''}{structure}"


every_class = pytest.mark.parametrize("name", EVERY)
every_estimator = pytest.mark.parametrize("one", INSTANCES, ids=shown)


def people(n_rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two kinds of people with gaps in what is known of them, and which kind they are."""
    rng = np.random.default_rng(seed)
    young = rng.random(n_rows) < 0.4
    frame = pd.DataFrame(
        {
            "sport": np.where(rng.random(n_rows) < np.where(young, 0.9, 0.2), "climb", "row"),
            "age": np.where(young, 25, 50) + rng.integers(-9, 10, n_rows),
            "speed": np.where(young, 1.0, -1.0) + rng.normal(size=n_rows),
        }
    )
    frame.loc[::7, "speed"] = None
    frame.loc[::11, "sport"] = None
    return frame, np.where(young, "young", "old")


def fitted(one, frame, y, **options):
    return clone(one).fit(frame, y, **options)


def model_bytes(learnt, path) -> bytes:
    learnt.model_.save(path)
    return path.read_bytes()


@parametrize_with_checks(INSTANCES)
def test_scikit_learns_own_checks_hold(estimator, check, monkeypatch):
    # One of them shuffles rows by the global generator, which is out of bounds here.
    monkeypatch.setattr(np.random, "permutation", np.random.default_rng(0).permutation)
    check(estimator)


@every_class
def test_there_is_an_example(name):
    assert name in EXAMPLES


@every_class
def test_it_stands_on_its_page(name):
    assert any(f"`{name}`" in page for page in PAGES)


@every_class
def test_every_parameter_and_attribute_is_explained(name):
    estimator = getattr(estimators, name)
    told = inspect.getdoc(estimator)
    assert [p for p in estimator().get_params(deep=False) if p not in told] == []
    assert "model_" in told


@every_class
def test_parameters_are_explicit_and_at_most_one_goes_without_its_name(name):
    kinds = [p.kind for p in inspect.signature(getattr(estimators, name)).parameters.values()]
    assert set(kinds) <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= 1


@every_estimator
def test_the_same_seed_gives_the_same_file(one, tmp_path):
    frame, y = people()
    files = [model_bytes(fitted(one, frame, y), tmp_path / "model") for _ in range(2)]
    assert files[0] == files[1]


@every_estimator
def test_weight_two_is_the_row_twice(one, tmp_path):
    frame, y = people()
    schema = infer_schema(frame)
    weights = np.where(np.arange(len(frame)) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(frame)), weights.astype(int))
    told = with_schema(one, schema)
    weighted = fitted(told, frame, y, sample_weight=weights)
    repeated = fitted(told, frame.iloc[twice], y[twice])
    assert model_bytes(weighted, tmp_path / "w") == model_bytes(repeated, tmp_path / "r")


@every_estimator
def test_weight_zero_is_absence(one, tmp_path):
    frame, y = people()
    schema = infer_schema(frame)
    weights = np.where(np.arange(len(frame)) % 3 == 0, 0.0, 1.0)
    told = with_schema(one, schema)
    weighted = fitted(told, frame, y, sample_weight=weights)
    without = fitted(told, frame[weights > 0], y[weights > 0])
    assert model_bytes(weighted, tmp_path / "w") == model_bytes(without, tmp_path / "o")


def with_schema(one, schema):
    """The schema is inferred from all rows, whatever they weigh; so it is told here."""
    copy = clone(one)
    if "schema" in copy.get_params(deep=False):
        return copy.set_params(schema=schema)
    inner = SoftLearn() if copy.estimator is None else copy.estimator
    return copy.set_params(estimator=clone(inner).set_params(schema=schema))


@every_estimator
def test_names_may_come_in_any_order(one):
    frame, y = people()
    learnt = fitted(one, frame, y)
    ask = learnt.score_samples if hasattr(learnt, "score_samples") else asking(learnt)
    turned = frame[["speed", "sport", "age"]]
    assert np.array_equal(np.asarray(ask(frame)), as_first(ask(turned), frame))


def asking(learnt):
    return learnt.predict_proba if hasattr(learnt, "predict_proba") else learnt.transform


def as_first(answer, frame):
    return np.asarray(answer[frame.columns] if isinstance(answer, pd.DataFrame) else answer)


@every_estimator
@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_frames_have_names_and_arrays_have_none(one, convert):
    frame, y = people()
    learnt = fitted(one, convert(frame), y)
    assert list(learnt.feature_names_in_) == list(frame.columns)
    assert learnt.n_features_in_ == 3
    learnt.fit(np.random.default_rng(0).normal(size=(len(y), 2)), y)
    assert learnt.n_features_in_ == 2
    assert not hasattr(learnt, "feature_names_in_")


@every_estimator
def test_columns_may_be_numbers(one):
    frame, y = people()
    numbered = frame.set_axis(range(3), axis=1)
    learnt = fitted(one, numbered, y)
    assert not hasattr(learnt, "feature_names_in_")
    assert learnt.model_.schema.names[:3] == ("0", "1", "2")


@every_estimator
def test_it_survives_a_pickle_of_the_callers(one):
    frame, y = people()
    learnt = fitted(one, frame, y)
    again = pickle.loads(pickle.dumps(learnt))
    ask = "score_samples" if hasattr(learnt, "score_samples") else asking(learnt).__name__
    first, second = (np.asarray(getattr(est, ask)(frame)) for est in (learnt, again))
    assert np.array_equal(first, second)


@every_estimator
def test_a_wrong_parameter_is_refused_and_the_earlier_fit_stays(one):
    frame, y = people()
    learnt = fitted(one, frame, y)
    model = learnt.model_
    learnt.set_params(random_state="seed")
    with pytest.raises(SoftlearnError, match=r"random_state must be .*, not 'seed'"):
        learnt.fit(frame, y)
    assert learnt.model_ is model


@every_estimator
def test_questions_come_after_fit(one):
    frame, _ = people(20)
    unfitted = clone(one)
    ask = unfitted.score_samples if hasattr(unfitted, "score_samples") else asking(unfitted)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(frame)
