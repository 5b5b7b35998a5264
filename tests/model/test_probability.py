"""Probabilities by column name obey the laws, whatever way the evidence is said."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_examples import JOINED, NUMBERS, fork, in_library, patients
from random_circuits import random_circuit
from softlearn import Model
from softlearn.errors import (
    EvidenceError,
    ImpossibleEvidenceError,
    SchemaError,
    TableError,
    UnknownLevelError,
)

MODEL = patients()
SEEDS = st.integers(0, 2**32 - 1)


def random_model(seed: int, *, missing: bool = False) -> tuple[Model, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return Model(random_circuit(rng, n_discrete=3, n_numeric=2, missing=missing)), rng


def something(model: Model, rng: np.random.Generator) -> dict[str, object]:
    """A condition on some of the columns, drawn from the model so that it is possible."""
    row = model.sample(1, random_state=rng).iloc[0]
    said: dict[str, object] = {}
    for column in model.schema:
        way = rng.integers(3)
        value = row[column.name]
        if way == 0:
            continue
        if column.is_discrete:
            others = [level for level in column.levels if rng.random() < 0.5]
            said[column.name] = value if way == 1 else {value, *others}
        else:
            said[column.name] = value if way == 1 else (value - rng.random(), None)
    return said


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_levels_share_all_probability_under_any_condition(seed):
    model, rng = random_model(seed)
    known = something(model, rng)
    for column in model.schema:
        if column.is_discrete:
            shares = [model.probability({column.name: level}, known) for level in column.levels]
            assert sum(shares) == pytest.approx(1.0, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_missing_cells_have_what_is_left_where_they_are_modelled(seed):
    """A lone None says nothing, as in a table; in a set it is a missing cell."""
    model, _ = random_model(seed, missing=True)
    for column in model.schema:
        if column.missing == "modelled":
            there = column.levels[:-1] if column.is_discrete else (None, None)
            present = model.probability({column.name: set(there) if column.levels else there})
            gone = model.probability({column.name: {None}})
            assert present + gone == pytest.approx(1.0, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_total_probability_is_the_mean_of_the_conditionals(seed):
    model, _ = random_model(seed)
    event, total = {"x0": (0.0, 1.5), "d1": {3, 10}}, 0.0
    for level in model.schema["d2"].levels:
        share = model.probability({"d2": level})
        if share > 0.0:
            total += share * model.probability(event, given={"d2": level})
    assert total == pytest.approx(model.probability(event), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_a_set_and_its_complement_add_to_one(seed):
    model, rng = random_model(seed)
    known = something(model, rng)
    inside = model.probability({"d2": {"a", "c"}}, given=known)
    assert inside + model.probability({"d2": ["b", "d"]}, given=known) == pytest.approx(
        1.0, abs=1e-9
    )
    below = model.probability({"x0": (None, 0.3)}, given=known)
    above = model.probability({"x0": (0.3, None)}, given=known)
    if known.get("x0") != 0.3:
        assert below + above == pytest.approx(1.0, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_a_conditional_is_a_ratio_of_joints(seed):
    model, _ = random_model(seed)
    a, b = {"d0": True, "x1": (-1.0, None)}, {"x0": (-2.0, 2.0), "d1": [3, -1]}
    if model.probability(b) > 0.0:
        ratio = model.probability(a | b) / model.probability(b)
        assert model.probability(a, given=b) == pytest.approx(ratio, rel=1e-9, abs=1e-300)


def test_both_ends_of_an_interval_of_whole_numbers_belong_to_it():
    each = [MODEL.probability({"age": age}) for age in range(30, 41)]
    assert MODEL.probability({"age": (30, 40)}) == pytest.approx(sum(each), rel=1e-12)
    assert MODEL.probability({"age": (29.1, 40.9)}) == MODEL.probability({"age": (30, 40)})


def test_whole_numbers_share_all_probability():
    assert sum(MODEL.probability({"age": age}) for age in range(-30, 140)) == pytest.approx(
        1.0, abs=1e-9
    )
    young, old = MODEL.probability({"age": (None, 39)}), MODEL.probability({"age": (40, None)})
    assert young + old == pytest.approx(1.0, abs=1e-12)


def test_a_whole_number_is_certain_once_it_is_given():
    assert MODEL.probability({"age": 45}, given={"age": 45}) == 1.0
    assert MODEL.probability({"age": 45}, given={"age": 46}) == 0.0
    assert MODEL.probability({"age": (40, 45)}, given={"age": 45}) == 1.0


def test_an_interval_of_numeric_labels_means_the_labels_in_it():
    assert MODEL.probability({"stage": (2, None)}) == MODEL.probability({"stage": {2, 4}})
    assert MODEL.probability({"stage": (1.5, 3)}) == MODEL.probability({"stage": 2})


def test_unknown_and_open_say_nothing():
    for nothing in (None, float("nan"), pd.NA, pd.NaT):
        assert MODEL.probability(
            {"sex": "F"}, given={"sex": None, "age": nothing}
        ) == pytest.approx(0.44)
    assert MODEL.probability({"weight": (None, None), "sex": {"F", "M"}}) == pytest.approx(1.0)
    assert MODEL.probability({"weight": (-np.inf, np.inf)}) == pytest.approx(1.0)
    assert MODEL.probability({}) == pytest.approx(1.0)


def test_times_are_datetimes_or_iso_text():
    start, end = datetime(2023, 11, 1), datetime(2023, 12, 1, 6, 30)
    spoken = MODEL.probability({"joined": (start, end)})
    assert MODEL.probability({"joined": ("2023-11-01", "2023-12-01T06:30")}) == spoken
    assert 0.0 < spoken < 1.0
    middle = datetime.fromtimestamp(JOINED)
    assert MODEL.probability({"stage": 4}, given={"joined": middle}) > 0.2


def test_the_logarithm_is_the_logarithm():
    event, known = {"sex": "F"}, {"age": (30, 40)}
    log = MODEL.probability(event, known, log=True)
    assert np.exp(log) == pytest.approx(MODEL.probability(event, known))
    assert fork().probability({"colour": "red"}, {"colour": "blue"}, log=True) == -np.inf


def test_each_row_of_a_frame_is_a_condition_of_its_own():
    frame = in_library("pandas")
    frame = frame.drop(columns="flag")
    answers = NUMBERS.probability({"flag": 1}, given=frame)
    singles = [
        NUMBERS.probability({"flag": 1}, given=row)
        for row in frame.astype(object).to_dict(orient="records")
    ]
    assert answers.shape == (5,)
    assert answers == pytest.approx(np.array(singles), rel=1e-12)


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        ({"weight": 70.0}, EvidenceError, r"'weight' is numeric.*probability zero.*\(lo, hi\)"),
        ({"joined": "2023-11-01"}, EvidenceError, "'joined' is datetime.*interval"),
        ({"wieght": (1, 2)}, SchemaError, "did you mean 'weight'"),
        ({"sex": set()}, EvidenceError, "'sex': an empty set of levels"),
        ({"sex": ["F", None]}, EvidenceError, "levels only"),
        ({"sex": ("F", "M")}, EvidenceError, r"such as \{'F', 'M'\}"),
        ({"smoker": (False, True)}, EvidenceError, "'smoker' is boolean"),
        ({"sex": "X"}, UnknownLevelError, "'sex' holds 'X'"),
        ({"age": (40, 30)}, EvidenceError, r"\(40, 30\) ends before it begins"),
        ({"age": (30.2, 30.8)}, EvidenceError, "no whole number"),
        ({"age": 30.5}, EvidenceError, "no whole number"),
        ({"age": {30, 31}}, EvidenceError, r"'age' is integer: give an interval \(lo, hi\)"),
        ({"weight": (1, 2, 3)}, EvidenceError, r"an interval is \(lo, hi\)"),
        ({"weight": (1, float("nan"))}, EvidenceError, "None for an open end"),
        ({"weight": (5, 5)}, EvidenceError, "single value"),
        ({"weight": "heavy"}, TableError, "'weight' is numeric and needs a number"),
        ({"joined": ("soon", None)}, EvidenceError, "'soon' is not a time"),
        ({"stage": (5, None)}, EvidenceError, "none of its levels"),
        ("F", EvidenceError, "not as a str"),
    ],
)
def test_what_cannot_be_asked_is_explained(event, error, words):
    with pytest.raises(error, match=words):
        MODEL.probability(event)


def test_a_single_number_is_a_fine_condition():
    assert MODEL.probability({"stage": 4}, given={"weight": 75.0, "age": 45}) > 0.5


def test_an_impossible_condition_is_named():
    with pytest.raises(ImpossibleEvidenceError, match=r"\{'colour': 'red', 'size': \(3, None\)\}"):
        fork().probability({"colour": "red"}, {"colour": "red", "size": (3, None)})


def test_an_impossible_row_is_named_or_marked():
    model = fork()
    frame = pd.DataFrame({"colour": ["red", "red"], "size": [1.0, 5.0]})
    with pytest.raises(ImpossibleEvidenceError, match=r"row 1 \('colour': 'red', 'size': 5.0"):
        model.probability({}, given=frame)
    marked = model.probability({}, given=frame, impossible="nan")
    assert marked[0] == 1.0
    assert np.isnan(marked[1])
    with pytest.raises(EvidenceError, match="impossible must be"):
        model.probability({}, given=frame, impossible="maybe")
