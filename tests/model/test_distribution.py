"""Distributions of single columns agree with probabilities, expectations and themselves."""

import math
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_examples import fork, patients
from random_circuits import random_circuit
from softlearn import Categorical, Gaussian, Model, SoftLearn, SoftlearnError
from softlearn.errors import EvidenceError, ImpossibleEvidenceError, SchemaError

MODEL = patients()
CONDITIONS = [
    {},
    {"sex": "M", "age": (40, 60)},
    {"weight": (80, None), "stage": {1, 4}},
    {"age": 45, "weight": (70, 71), "smoker": True},
]
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("known", CONDITIONS)
def test_levels_match_probabilities_and_add_to_one(known):
    for name in ("sex", "smoker", "stage"):
        found = MODEL.distribution(name, given=known)
        assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
        for level, share in found.items():
            assert share == pytest.approx(MODEL.probability({name: level}, known), abs=1e-12)


def test_levels_know_their_mode_and_entropy():
    found = MODEL.distribution("stage", given={"age": (65, None)})
    assert list(found) == [1, 2, 4]
    assert found.mode == 4
    assert found.entropy == pytest.approx(-sum(p * math.log(p) for p in found.values()))
    certain = MODEL.distribution("sex", given={"sex": "F"})
    assert dict(certain) == {"F": 1.0, "M": 0.0}
    assert certain.entropy == 0.0


def test_levels_print_as_aligned_bars():
    lines = str(Model(Categorical("c", {"a": 0.75, "long": 0.25})).distribution("c")).splitlines()
    assert lines == ["a     0.7500  " + "█" * 24, "long  0.2500  " + "█" * 8]
    many = Model(Categorical("c", {f"level {i}": 1 / 20 for i in range(20)})).distribution("c")
    assert str(many).splitlines()[-1].startswith("(8 more)  0.4000")


@pytest.mark.parametrize("known", CONDITIONS)
def test_the_distribution_function_matches_probabilities(known):
    found = MODEL.distribution("weight", given=known)
    lo, hi = known.get("weight", (None, None))
    for x in (55.0, 70.5, 82.0):
        if (lo or 0.0) < x < (hi or np.inf):
            event = MODEL.probability({"weight": (None, x)}, given=known)
            assert found.cdf(x) == pytest.approx(event, abs=1e-12)


@pytest.mark.parametrize("known", CONDITIONS)
def test_the_density_is_the_slope_of_the_distribution_function(known):
    found = MODEL.distribution("weight", given=known)
    x = found.quantile(np.linspace(0.05, 0.95, 7))
    step = 1e-4
    slope = (found.cdf(x + step) - found.cdf(x - step)) / (2 * step)
    assert found.pdf(x) == pytest.approx(slope, rel=1e-5)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.floats(0.0, 1.0, exclude_min=True, exclude_max=True))
def test_quantiles_undo_the_distribution_function(seed, q):
    rng = np.random.default_rng(seed)
    # At a single value with a probability the distribution function jumps over many q.
    model = Model(random_circuit(rng, n_discrete=1, n_numeric=2, scales=False))
    bounds = (model.distribution("x0").quantile(0.2), None) if rng.random() < 0.5 else None
    found = model.distribution("x0", given={"x0": bounds})
    assert found.cdf(found.quantile(q)) == pytest.approx(q, abs=1e-9)


@pytest.mark.parametrize("known", CONDITIONS)
def test_mean_and_deviation_match_expectation_and_variance(known):
    found = MODEL.distribution("weight", given=known)
    assert found.mean == pytest.approx(MODEL.expectation("weight", given=known), rel=1e-9)
    assert found.std**2 == pytest.approx(MODEL.variance("weight", given=known), rel=1e-9)


def test_a_known_interval_bounds_the_distribution():
    found = MODEL.distribution("weight", given={"weight": (80, 85)})
    assert found.cdf([79.0, 80.0, 85.0, 90.0]).tolist() == pytest.approx([0.0, 0.0, 1.0, 1.0])
    assert found.pdf([79.9, 85.1]).tolist() == [0.0, 0.0]
    assert found.quantile([0.0, 1.0]).tolist() == [80.0, 85.0]
    assert 80.0 < found.mean < 85.0


def test_an_interval_far_out_keeps_its_moments():
    found = Model(Gaussian("x", 0, 1)).distribution("x", given={"x": (60, None)})
    # Beyond z the tail of a normal is nearly exponential with rate z; 1/z² is the next order.
    assert found.mean == pytest.approx(60 + 1 / 60, abs=2 / 60**3)
    assert found.std == pytest.approx(1 / 60, rel=4 / 60**2)
    assert found.quantile(0.5) == pytest.approx(60 + math.log(2) / 60, abs=2 / 60**3)


def test_quantiles_of_the_ends_are_the_support():
    assert MODEL.distribution("weight").quantile([0.0, 1.0]).tolist() == [-np.inf, np.inf]
    smokers = MODEL.distribution("age", given={"sex": "M", "stage": 4, "age": (40, 59)})
    assert smokers.quantile(0) == 39.5
    assert smokers.quantile(1) == 59.5


def test_the_central_interval_holds_its_share():
    lo, hi = MODEL.distribution("weight").interval(0.8)
    assert MODEL.probability({"weight": (lo, hi)}) == pytest.approx(0.8, abs=1e-9)


def test_times_come_back_as_times():
    found = MODEL.distribution("joined", given={"age": (None, 35)})
    assert isinstance(found.mean, datetime)
    median = found.quantile(0.5)
    assert isinstance(median, datetime)
    assert found.cdf(median) == pytest.approx(0.5, abs=1e-6)
    assert found.cdf(["2000-01-01", median]).tolist() == pytest.approx([0.0, 0.5], abs=1e-6)
    assert "between 2023-" in str(found)


def test_a_density_prints_a_summary_and_its_shape():
    text = str(Model(Gaussian("x", 5, 2)).distribution("x"))
    assert text.startswith("mean 5, std 2, 90 % between 1.71 and 8.29\n")
    assert "█" in text


def test_large_numbers_have_no_exponent():
    text = str(Model(Gaussian("x", 5e4, 2e4)).distribution("x"))
    assert text.startswith("mean 50000, std 20000, 90 % between 17103 and 82897\n")
    assert "mean 5e+12, " in str(Model(Gaussian("x", 5e12, 2)).distribution("x"))


def learnt_numbers(values, weights):
    """Return the distribution that is learnt from numbers, each repeated as often as it weighs."""
    table = pd.DataFrame({"x": np.repeat(values, weights)})
    return SoftLearn(random_state=0).fit(table).model_.distribution("x")


def test_the_shape_of_whole_numbers_has_a_bar_for_each():
    text = repr(learnt_numbers([1, 2, 4], [60, 30, 10]))
    assert text.splitlines()[1] == "1 █▅▁▂ 4"


def test_the_shape_of_many_whole_numbers_divides_none():
    bars = repr(learnt_numbers(np.arange(100), np.full(100, 2))).splitlines()[1].split()[1]
    assert len(bars) <= 32
    assert set(bars[:-1]) <= set("▇█")  # the last may hold fewer numbers


@pytest.mark.parametrize("digits", [2, 17])
def test_the_shape_includes_a_lowest_value_that_stands_out(digits):
    rng = np.random.default_rng(0)
    values = np.concatenate([np.zeros(300), rng.uniform(0, 50, 100).round(digits)])
    bars = repr(learnt_numbers(values, 1)).splitlines()[1].split()[1]
    assert bars[0] == "█"
    assert set(bars[1:]) == {"▁"}


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_quantile_needs_a_probability(wrong):
    with pytest.raises(SoftlearnError, match="between 0 and 1"):
        MODEL.distribution("weight").quantile(wrong)
    with pytest.raises(SoftlearnError, match="between 0 and 1"):
        MODEL.distribution("weight").interval(wrong)


@pytest.mark.parametrize("known", CONDITIONS)
def test_all_distributions_at_once_are_those_one_by_one(known):
    together = MODEL.distributions(known)
    given_values = {name for name, what in known.items() if not isinstance(what, tuple | set)}
    assert set(together) == set(MODEL.schema.names) - given_values
    assert dict(together["stage"]) == dict(MODEL.distribution("stage", given=known))
    assert together["joined"].mean == MODEL.distribution("joined", given=known).mean


def test_distributions_refuse_what_they_cannot_answer():
    with pytest.raises(EvidenceError, match="'weight' is given"):
        MODEL.distribution("weight", given={"weight": 70.0})
    with pytest.raises(SchemaError, match="did you mean 'weight'"):
        MODEL.distribution("wait")
    with pytest.raises(EvidenceError, match="one condition"):
        MODEL.distribution("weight", given=[1, 2])
    with pytest.raises(ImpossibleEvidenceError, match="'red', 'size': 5"):
        fork().distribution("colour", given={"colour": "red", "size": 5})
