"""Numbers and names as people write them."""

from __future__ import annotations

import pytest

from softlearn import Column
from softlearn.show.wording import (
    WIDTH,
    deviation_text,
    hanging,
    listed,
    number_text,
    share_text,
    shortened,
    value_text,
)

WHEN = Column("when", "datetime")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.0001, "<0.1 %"),
        (0.003, "0.3 %"),
        (0.4, "40 %"),
        (0.994, "99 %"),
        (0.996, "99.6 %"),
        (0.99999, "99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_shares_are_per_cent_and_only_certainty_is_100(share, text):
    assert share_text(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.012345, "0.0123"), (12.3456, "12.3"), (-4567.8, "-4,568"), (0.0, "0")]
)
def test_numbers_have_three_digits_or_thousands(value, text):
    assert number_text(value) == text


def test_times_are_dates_or_minutes_as_their_deviation_asks():
    assert value_text(WHEN, 1.7e9, 3 * 86_400.0) == "2023-11-14"
    assert value_text(WHEN, 1.7e9, 3600.0) == "2023-11-14 22:13"
    assert deviation_text(WHEN, 3 * 86_400.0) == "3 days"
    assert deviation_text(WHEN, 5400.0) == "1.5 hours"


def test_a_time_beyond_every_calendar_is_still_said():
    assert value_text(WHEN, 1.0e15) == "1e+15 s"


def test_long_names_lose_their_middle():
    assert shortened("short", 10) == "short"
    found = shortened("a very long name of some level", 14)
    assert len(found) <= 14
    assert found.startswith("a very lo")
    assert found.endswith("vel")


def test_lines_hang_below_their_head_and_shares_stay_whole():
    text = hanging("    40 %  ", "; ".join(["income 12 ± 3 (overall 50 %)"] * 9))
    lines = text.splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert all(line.startswith(" " * 10) for line in lines[1:])
    assert not any(line.lstrip().startswith(("%", "±")) for line in lines)


def test_lists_count_the_rest():
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"
    assert listed(["a", "b"], 2) == "a, b"
