"""Expectations, variances and information by column name."""

import math

import numpy as np
import pandas as pd
import pytest

from model_examples import CELLS, NUMBERS, fork, in_library, patients
from softlearn import Categorical, Gaussian, Model, SoftlearnError
from softlearn.errors import EvidenceError, ImpossibleEvidenceError, SchemaError

MODEL = patients()


def test_one_name_gives_a_number_and_several_give_a_dict():
    assert MODEL.expectation("smoker") == pytest.approx(0.4 * 0.1 + 0.4 * 0.4 + 0.2)
    assert MODEL.expectation(["smoker"]) == {"smoker": MODEL.expectation("smoker")}
    assert set(MODEL.expectation()) == {"smoker", "stage", "age", "weight"}
    assert set(MODEL.variance()) == set(MODEL.expectation())


def test_the_law_of_total_expectation_holds():
    stages = MODEL.distribution("stage")
    parts = [share * MODEL.expectation("age", {"stage": level}) for level, share in stages.items()]
    assert sum(parts) == pytest.approx(MODEL.expectation("age"), rel=1e-12)


def test_the_law_of_total_variance_holds():
    sexes = MODEL.distribution("sex")
    means = {sex: MODEL.expectation("age", {"sex": sex}) for sex in sexes}
    centre = MODEL.expectation("age")
    within = sum(share * MODEL.variance("age", {"sex": sex}) for sex, share in sexes.items())
    between = sum(share * (means[sex] - centre) ** 2 for sex, share in sexes.items())
    assert within + between == pytest.approx(MODEL.variance("age"), rel=1e-12)


def test_each_row_of_a_frame_has_its_own_expectation():
    found = NUMBERS.expectation(given=in_library("polars"))
    assert set(found) == set(CELLS)
    assert found["count"][[0, 1, 4]].tolist() == [12.0, 35.0, 41.0]
    nothing_known = NUMBERS.expectation("count")
    assert found["count"][3] == pytest.approx(nothing_known)
    assert NUMBERS.variance(given=in_library("polars"))["x"][0] == 0.0


def test_covariances_are_symmetric_and_hold_the_variances():
    table = MODEL.covariance(["age", "weight", "stage"])
    assert table.names == ("age", "weight", "stage")
    assert table["age", "stage"] == table["stage", "age"]
    assert table["weight", "weight"] == pytest.approx(MODEL.variance("weight"))
    pair = fork().covariance(["size"], given={"colour": "blue"})
    assert pair.matrix == pytest.approx(np.array([[0.25]]))
    with pytest.raises(SchemaError, match="did you mean 'weight'"):
        table["age", "weigh"]
    assert str(table).splitlines()[0].split() == ["age", "weight", "stage"]


def test_independent_columns_tell_nothing_about_each_other():
    coins = Model(Categorical("a", {0: 0.5, 1: 0.5}) * Categorical("b", {0: 0.9, 1: 0.1}))
    table = coins.mutual_information()
    assert table["a", "b"] == pytest.approx(0.0, abs=1e-12)
    assert table["a", "a"] == pytest.approx(math.log(2))


def test_information_can_be_conditioned():
    assert MODEL.mutual_information(["sex", "stage"])["sex", "stage"] > 0.0
    known = MODEL.mutual_information(["sex", "stage"], given={"sex": "F"})
    assert known["sex", "stage"] == pytest.approx(0.0, abs=1e-12)


def test_the_entropy_of_rows_is_estimated_with_its_error():
    estimate = Model(Gaussian("x", 3, 2)).entropy(4000, random_state=0)
    truth = 0.5 * math.log(2 * math.pi * math.e * 4)
    # Five standard errors: a right estimate fails for one seed in two million.
    assert abs(estimate.value - truth) < 5 * estimate.standard_error
    assert Model(Gaussian("x", 3, 2)).entropy(4000, random_state=0) == estimate


def test_text_has_no_expectation():
    with pytest.raises(EvidenceError, match="'sex' holds text"):
        MODEL.expectation("sex")
    with pytest.raises(EvidenceError, match="no column holds numbers"):
        Model(Categorical("c", {"a": 0.5, "b": 0.5})).expectation()
    with pytest.raises(EvidenceError, match="at least one column"):
        MODEL.expectation([])


def test_impossible_conditions_are_named():
    known = {"colour": "red", "size": (3, None)}
    for question in (fork().expectation, fork().variance):
        with pytest.raises(ImpossibleEvidenceError, match="'colour': 'red'"):
            question("size", given=known)
    with pytest.raises(ImpossibleEvidenceError, match="'colour': 'red'"):
        fork().covariance(["size"], given=known)
    with pytest.raises(ImpossibleEvidenceError, match="'colour': 'red'"):
        fork().mutual_information(given=known)
    frame = pd.DataFrame({"colour": ["red", "red"], "size": [5.0, 1.0]})
    assert np.isnan(fork().expectation(given=frame, impossible="nan")["size"][0])


def test_an_entropy_needs_samples():
    with pytest.raises(SoftlearnError, match="2 samples"):
        MODEL.entropy(1)
