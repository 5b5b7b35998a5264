"""Numbers at the ends of what floats hold: a right answer, or one clear error."""

from __future__ import annotations

import time
from contextlib import suppress

import pandas as pd
import pytest

from softlearn import Categorical, Gaussian, Model, SoftlearnError
from softlearn.conditions import LanguageError, parse_conditions

HUGE = 10**400


def model() -> Model:
    left = Gaussian("x", 0, 1) * Categorical("c", {"a": 0.5, "b": 0.5})
    right = Gaussian("x", 5, 2) * Categorical("c", {"a": 0.1, "b": 0.9})
    return Model(0.5 * left + 0.5 * right)


def whole() -> Model:
    return Model(Gaussian("n", 0, 1), {"n": "integer"})


@pytest.mark.parametrize("said", [{"x": HUGE}, {"x": (0, HUGE)}, {"x": (-HUGE, None)}])
def test_a_number_beyond_all_floats_is_named(said):
    with pytest.raises(SoftlearnError, match="column 'x' cannot hold a number beyond") as raised:
        model().probability({"c": "a"}, said)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("n", [10**13, 10**30])
def test_too_many_rows_are_refused_at_once(n):
    with pytest.raises(SoftlearnError, match="cells do not fit into memory"):
        model().sample(n)


def test_a_quantile_of_a_text_is_refused():
    with pytest.raises(SoftlearnError, match="a quantile's probability is a number, not 'a'"):
        model().distribution("x").quantile("a")


def test_the_last_exact_integer_has_a_probability():
    assert whole().probability({"n": 2**53}) == 0.0
    assert whole().probability({"n": (-(2**60), 2**60)}) == 1.0


def test_an_integer_that_is_not_exact_is_refused():
    with pytest.raises(SoftlearnError, match=r"column 'n': whole numbers beyond 2\*\*53"):
        whole().probability({"n": 2**53 + 2})


def test_a_variance_beyond_all_floats_is_named_and_the_mean_is_right():
    wide = Model(Gaussian("x", 3, 1e155))
    assert wide.expectation("x") == 3
    with pytest.raises(SoftlearnError, match="column 'x': the answer is beyond the largest"):
        wide.variance("x")


@pytest.mark.parametrize("text", ["x" + " " * 100_000 + "=1", " " * 100_000, "x=" + " " * 100_000])
def test_a_condition_of_spaces_is_read_at_once(text):
    start = time.perf_counter()
    with suppress(LanguageError):
        parse_conditions(text, model().schema)
    assert time.perf_counter() - start < 0.5


def test_a_long_condition_is_shown_around_its_mistake():
    with pytest.raises(LanguageError) as raised:
        parse_conditions("x=1, " + "c=a " * 50_000, model().schema)
    assert len(str(raised.value)) < 800


@pytest.mark.parametrize("said", [{"c": "z" * 100_000}, {"q" * 100_000: 1}])
def test_errors_echo_the_beginning_of_a_long_text(said):
    with pytest.raises(SoftlearnError) as raised:
        model().probability(said)
    assert len(str(raised.value)) < 500


def test_columns_that_a_given_frame_lacks_are_unknown():
    known = pd.DataFrame({"c": ["a", "b"]})
    one_by_one = [model().expectation("x", {"c": level}) for level in known["c"]]
    assert model().expectation("x", given=known).tolist() == pytest.approx(one_by_one)
    numbers = pd.DataFrame({"x": [0.0, 5.0]})
    asked = [model().probability({"c": "a"}, {"x": number}) for number in numbers["x"]]
    assert model().probability({"c": "a"}, given=numbers).tolist() == pytest.approx(asked)


def test_what_is_asked_for_must_not_be_in_the_frame():
    given = pd.DataFrame({"x": [None, 1.0]})
    with pytest.raises(SoftlearnError, match="the value of 'x' is asked for and also given"):
        model().expectation("x", given=given)
    with pytest.raises(SoftlearnError, match="the value of 'x' is asked for and also given"):
        model().probability({"x": (0, 1)}, given=given)
