"""Which member a search learns next, and how many rows its races begin with."""

from __future__ import annotations

import numpy as np

from softlearn.learn.search.race import _first_round, _n_fits
from softlearn.learn.search.recipes import Recipe, next_recipe
from softlearn.learn.search.trial import Candidate

CANDIDATE = Candidate("softlearn", {}, "softlearn")


def recipe(seconds: float, gain: float | None = None, size: int = 10) -> Recipe:
    return Recipe(CANDIDATE, bootstrap=False, seconds=seconds, gain=gain, size=size)


def test_what_was_not_tried_comes_first_in_order():
    first, quick, known = recipe(3.0), recipe(1.0), recipe(0.1, gain=1.0)
    assert next_recipe([known, first, quick], 10, left=100.0) is first
    assert next_recipe([known, first, quick], 10, left=10.0) is quick


def test_what_takes_too_much_of_the_time_left_is_not_tried_if_others_are_known():
    slow, known, useless = recipe(40.0), recipe(1.0, gain=0.001), recipe(1.0, gain=0.0)
    assert next_recipe([slow, known], 10, left=100.0) is known
    assert next_recipe([slow, useless], 10, left=100.0) is slow
    assert next_recipe([slow], 10, left=100.0) is slow


def test_then_comes_what_has_gained_most_per_second():
    good, better_but_slow = recipe(1.0, gain=0.01), recipe(10.0, gain=0.05)
    assert next_recipe([better_but_slow, good], 10, left=100.0) is good
    assert next_recipe([better_but_slow, good], 10, left=np.inf) is better_but_slow


def test_what_was_tried_and_pays_can_come_again_before_what_is_new():
    new, pays, useless = recipe(1.0), recipe(1.0, gain=0.01), recipe(1.0, gain=0.0)
    assert next_recipe([new, useless, pays], 10, left=100.0, again=True) is pays
    assert next_recipe([new, useless], 10, left=100.0, again=True) is new
    assert next_recipe([new], 10, left=100.0, again=True) is new


def test_an_old_gain_promises_less():
    old, new = recipe(1.0, gain=0.02, size=5), recipe(1.0, gain=0.012, size=10)
    assert next_recipe([old, new], 10, left=100.0) is new


def test_nothing_is_begun_that_the_time_does_not_allow():
    assert next_recipe([recipe(2.0), recipe(2.0, gain=1.0)], 10, left=1.0) is None


def test_a_race_begins_with_as_many_rows_as_there_is_time_for():
    rows, pace = [1000.0, 3000.0, 9000.0], 0.001
    # Nine candidates, then three, then one.
    assert _first_round(9, rows, pace, seconds=100.0) == 2
    assert _first_round(9, rows, pace, seconds=9 * 3.0 + 3 * 9.0) == 1
    assert _first_round(9, rows, pace, seconds=1.0) == 0
    assert _first_round(9, rows, pace, seconds=np.inf) == 0


def test_the_fits_of_a_race_are_counted():
    assert _n_fits(9, 3) == 9 + 3 + 1
    assert _n_fits(2, 2) == 2 + 1
