"""What is said of a scale: true, and short enough for a terminal."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from softlearn.table import Choices, find_scale, infer_schema

DAY = 86400.0
WORDS = {
    "whole numbers": (np.arange(17, 91), {"whole": True}, "17 to 90, never below 0"),
    "a heap at the end": (
        [0] * 300 + list(range(400)) * 2,
        {"whole": True},
        "0 to 399, never lower, often 0",
    ),
    "decimals": (np.arange(101, 900) / 100, {}, "1.01 to 8.99, 2 decimals, never below 0"),
    "one decimal": (np.arange(-50, 900) / 10, {}, "-5 to 89.9, 1 decimal"),
    "a step": (np.arange(0, 5000, 25), {"whole": True}, "0 to 4975, in steps of 25, never lower"),
    "large numbers": ([12285 + i * i for i in range(1200)], {"whole": True}, "12285 to 1449886"),
    "few values": ([1, 2, 3] * 9, {"whole": True}, "1, 2, 3"),
    "several values": (list(range(1, 9)) * 9, {"whole": True}, "1 to 8, 8 values"),
    "one value": ([9.0] * 8, {"whole": True}, "always 9"),
    "days": (np.arange(0, 400) * DAY, {"signed": True}, "1970-01-01 to 1971-02-04, days"),
    "minutes": (
        np.arange(0, 9000) * 60.0,
        {"signed": True},
        "1970-01-01T00:00 to 1970-01-07T05:59, minutes",
    ),
}


@pytest.mark.parametrize("case", WORDS)
def test_a_scale_is_told_in_a_few_words(case):
    values, choices, words = WORDS[case]
    found = find_scale(np.asarray(values, float), **choices).reason
    assert found.startswith(words) if case == "large numbers" else found == words


def test_bounds_of_the_caller_are_told():
    found = find_scale(np.arange(17.0, 91.0), whole=True, choices=Choices(lower=0.0, upper=120.0))
    assert found.reason == "17 to 90, never below 0, never above 120"
    found = find_scale(np.arange(17.0, 91.0), whole=True, choices=Choices(lower=17.0, upper=90.0))
    assert found.reason == "17 to 90, never outside"


def test_times_may_be_bounds():
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60)})
    schema = infer_schema(frame, overrides={"day": {"lower": datetime(2023, 12, 1)}})
    assert "never below 2023-12-01" in schema["day"].in_words


def test_numbers_that_hardly_repeat_have_a_density():
    schema = infer_schema(pd.DataFrame({"x": np.random.default_rng(0).normal(size=60)}))
    assert schema["x"].score_counts == "density"


@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e12])
def test_units_make_no_grid(unit):
    x = np.random.default_rng(0).normal(size=500) * unit
    assert find_scale(x).step == 0.0
