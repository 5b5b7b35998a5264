"""Results of several systems, read back from the picture."""

from __future__ import annotations

import pytest

from softlearn import SoftlearnError
from softlearn.show import plots

RESULTS = [
    {"dataset": "nltcs", "system": "SoftLearn", "value": -6.0, "sd": 0.1},
    {"dataset": "nltcs", "system": "LearnSPN", "value": -6.2, "sd": 0.2},
    {"dataset": "plants", "system": "SoftLearn", "value": -12.5},
    {"dataset": "plants", "system": "LearnSPN", "value": -13.0, "sd": None},
]


def dots(ax):
    return {box.get_label(): box[0].get_xdata().tolist() for box in ax.containers}


def test_each_system_has_a_dot_for_each_data_set():
    ax = plots.comparison(RESULTS)
    assert dots(ax) == {"SoftLearn": [-6.0, -12.5], "LearnSPN": [-6.2, -13.0]}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["nltcs", "plants"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["SoftLearn", "LearnSPN"]


def test_bars_reach_one_deviation():
    ax = plots.comparison(RESULTS)
    (bars,) = ax.containers[1][2]
    assert bars.get_segments()[0][:, 0] == pytest.approx([-6.4, -6.0])


def test_values_can_be_differences_to_one_system():
    found = dots(plots.comparison(RESULTS, "LearnSPN"))
    assert found["SoftLearn"] == pytest.approx([0.2, 0.5])
    assert found["LearnSPN"] == [0.0, 0.0]


def test_a_missing_result_leaves_a_gap():
    ax = plots.comparison(RESULTS[:3])
    assert dots(ax)["LearnSPN"] == [-6.2]
    rows = {box.get_label(): box[0].get_ydata() for box in ax.containers}
    assert rows["LearnSPN"][0] > rows["SoftLearn"][0]  # side by side, not on top of each other


@pytest.mark.parametrize(
    ("table", "relative_to", "reason"),
    [
        ([], None, "no results"),
        ([{"dataset": "d", "value": 1.0}], None, "no 'system'"),
        (RESULTS[:3], "LearnSPN", "no result of 'LearnSPN' on 'plants'"),
    ],
)
def test_tables_that_lack_something_are_refused(table, relative_to, reason):
    with pytest.raises(SoftlearnError, match=reason):
        plots.comparison(table, relative_to)
