"""A model in words: the numbers are those of the model, and the text fits a terminal."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from model_examples import patients
from random_circuits import random_circuit
from softlearn import Categorical, Gaussian, Histogram, Model, SoftLearn, SoftlearnError
from softlearn.circuit import Product
from softlearn.datasets.worlds import households
from softlearn.show import dependence, tell
from softlearn.show.shifts import LevelShift, NumberShift
from softlearn.show.wording import WIDTH


def lines_fit(text):
    return all(len(line) <= WIDTH for line in text.splitlines())


def test_the_kinds_of_households_are_found_with_what_makes_them_special():
    groups = tell(households()).groups
    assert [group.share for group in groups] == pytest.approx([0.4, 0.3, 0.2, 0.1])
    students = {shift.column: shift for shift in groups[2].shifts}
    age, owns = students["age"], students["owns"]
    assert isinstance(age, NumberShift)
    assert (age.mean, age.deviation, age.direction) == (
        pytest.approx(23),
        pytest.approx(2.5),
        "lower",
    )
    assert age.overall_mean == pytest.approx(households().expectation("age"))
    assert age.overall_deviation**2 == pytest.approx(households().variance("age"))
    assert isinstance(owns, LevelShift)
    assert (owns.level, owns.share) == (False, pytest.approx(0.98))
    assert owns.overall == pytest.approx(households().probability({"owns": False}))
    farmers = groups[3].shifts[0]
    assert (farmers.column, farmers.level, farmers.share) == ("place", "village", 1.0)


def test_the_text_names_shares_columns_and_pairs():
    text = str(tell(households()))
    assert lines_fit(text)
    for part in ("7 columns", "40 %", "place=village 100 %", "age lower: 23 ± 2.5", "car, km"):
        assert part in text


def test_a_column_with_three_levels_tells_what_became_rare():
    (families,) = [shift for shift in tell(households()).groups[0].shifts if shift.column == "car"]
    assert families.words == "car=petrol 75 % (overall 42 %), none 0 % (45 %)"
    owns = next(s for s in tell(households()).groups[2].shifts if s.column == "owns")
    assert owns.words == "owns=False 98 % (overall 47 %)"


def test_findings_are_json_and_frozen():
    found = tell(patients())
    read = json.loads(json.dumps(found.to_dict()))
    assert read["groups"][0]["share"] == pytest.approx(found.groups[0].share)
    assert read["size"]["columns"] == {
        "categorical": 2,
        "boolean": 1,
        "integer": 1,
        "numeric": 1,
        "datetime": 1,
    }
    with pytest.raises(FrozenInstanceError):
        found.n_compared = 3


def test_times_are_dates_with_a_deviation_in_days():
    shifts = [shift for group in tell(patients()).groups for shift in group.shifts]
    joined = [shift.words for shift in shifts if shift.column == "joined"]
    assert joined[0] == "joined later: 2023-11-14 ± 20 days (overall 2023-08-26 ± 102 days)"


def test_columns_that_stand_alone_are_named():
    pair = 0.5 * Gaussian("x", 0, 1) * Gaussian("y", 0, 1) + 0.5 * Gaussian("x", 5, 1) * Gaussian(
        "y", 5, 1
    )
    found = tell(Model(Product((pair, Categorical("coin", {"h": 0.5, "t": 0.5})))))
    assert found.independent == ("coin",)
    assert "Independent of all other columns: coin." in str(found)
    assert (found.n_compared, found.n_uncompared) == (2, 0)


def test_columns_that_are_all_independent_leave_little_to_say():
    found = tell(Model(Gaussian("x", 0, 1) * Categorical("c", {"a": 0.5, "b": 0.5})))
    assert len(found.groups) == 1
    assert found.dependencies == ()
    assert found.independent == ("x", "c")
    assert "does not distinguish kinds of rows" in str(found)
    assert "No two columns depend on each other." in str(found)


@pytest.mark.parametrize(
    "model",
    [
        Model(Gaussian("x", 0, 1)),
        Model(Categorical("only", {"yes": 1.0})),
        Model(Product((Categorical("a", {"yes": 1.0}), Histogram("b", [0, 1], [1.0])))),
    ],
    ids=["one number", "one level", "constants"],
)
def test_small_and_constant_models_can_be_told(model):
    assert lines_fit(str(tell(model)))


@pytest.mark.parametrize("seed", range(12))
def test_any_circuit_can_be_told(seed):
    circuit = random_circuit(np.random.default_rng(seed), n_discrete=3, n_numeric=3, depth=4)
    found = tell(Model(circuit))
    assert lines_fit(str(found))
    told = sum(group.share for group in found.groups) + found.other_share
    assert told == pytest.approx(1.0)
    json.dumps(found.to_dict(), allow_nan=False)


def test_more_kinds_than_wanted_are_counted():
    found = tell(households(), n_groups=2)
    assert [group.share for group in found.groups] == pytest.approx([0.4, 0.3])
    assert found.n_other_groups == 2
    assert found.other_share == pytest.approx(0.3)
    assert "30 %  2 more, together" in str(found)


def test_columns_that_were_not_compared_are_counted(monkeypatch):
    model = households()
    monkeypatch.setattr(dependence, "_WORK", model.circuit.n_nodes * 12)
    found = tell(model)
    assert found.n_uncompared == 7 - found.n_compared > 0
    assert f"Only the {found.n_compared} columns" in str(found)


def test_three_hundred_columns_with_long_names():
    rng = np.random.default_rng(0)
    names = [f"a rather long name of column number {i}" for i in range(300)]
    left, right = (
        Product(
            tuple(
                Categorical(name, dict(zip("ab", rng.dirichlet([1, 1]), strict=True)))
                for name in names
            )
        )
        for _ in range(2)
    )
    found = tell(Model(0.5 * left + 0.5 * right))
    assert lines_fit(str(found))
    assert found.n_compared == 300


def test_a_learnt_model_is_told_like_the_world_it_comes_from():
    rows = households().sample(300, random_state=0)
    found = tell(SoftLearn(random_state=0).fit(rows).model_)
    assert found.dependencies[0].share > 0.1
    assert {"car", "km", "age", "income"} & {
        found.dependencies[0].first,
        found.dependencies[0].second,
    }


def test_an_estimator_is_refused_with_a_hint():
    with pytest.raises(SoftlearnError, match="pass its model_"):
        tell(SoftLearn().fit(households().sample(20, random_state=0)))


@pytest.mark.parametrize("n_groups", [0, 2.5, True])
def test_a_wrong_number_of_groups_is_refused(n_groups):
    with pytest.raises(SoftlearnError, match="n_groups must be a whole number"):
        tell(households(), n_groups=n_groups)
