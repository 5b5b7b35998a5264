"""Weights, numbers and times at the ends of what can be held."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from softlearn import SoftLearn
from softlearn.errors import TableError


def table(**further: object) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=100), "b": rng.integers(0, 3, 100)}).assign(**further)


@pytest.mark.parametrize("weight", [1e-310, 1e-150, 1e300])
def test_weights_of_any_magnitude_fit_as_ones(weight):
    rows = table()
    ones = SoftLearn(random_state=0).fit(rows, sample_weight=np.ones(100)).score(rows)
    found = SoftLearn(random_state=0).fit(rows, sample_weight=np.full(100, weight)).score(rows)
    assert found == ones


def test_a_column_of_huge_numbers_is_learnt():
    huge = 1e300 * np.random.default_rng(1).normal(size=100)
    learnt = SoftLearn(random_state=0).fit(table(a=huge))
    assert huge.min() <= learnt.model_.expectation("a") <= huge.max()


def test_integers_up_to_the_last_exact_one_are_learnt():
    numbers = 2**53 - np.arange(100)
    drawn = SoftLearn(random_state=0).fit(table(a=numbers)).model_.sample(50, random_state=0)
    assert drawn["a"].between(2**53 - 150, 2**53 + 50).all()


def test_integers_beyond_are_refused():
    with pytest.raises(TableError, match=r"column 'a' holds .*2\*\*53"):
        SoftLearn().fit(table(a=2**60 + np.arange(100)))


@pytest.mark.parametrize("year", ["300000", "-5000"])
def test_times_beyond_the_calendar_are_refused(year):
    times = np.datetime64(f"{year}-01-01", "s") + np.arange(100).astype("m8[D]")
    with pytest.raises(TableError, match="column 'a' holds a time that is not in the years 1"):
        SoftLearn().fit(table(a=times))
