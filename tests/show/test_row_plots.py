"""Plots about rows: calibration and likelihoods."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from softlearn import Categorical, Gaussian, Model, SoftlearnError
from softlearn.datasets.worlds import households
from softlearn.errors import EvidenceError
from softlearn.show import plots
from softlearn.show.plots.calibration import wilson

COIN = Model(
    0.5 * Categorical("side", {"a": 1.0, "b": 0.0}) * Categorical("wins", {0: 0.8, 1: 0.2})
    + 0.5 * Categorical("side", {"a": 0.0, "b": 1.0}) * Categorical("wins", {0: 0.3, 1: 0.7})
)
TOSSES = pd.DataFrame(
    {"side": ["a"] * 50 + ["b"] * 40, "wins": [1] * 15 + [0] * 35 + [1] * 30 + [0] * 10}
)


def dots(ax):
    (line,) = [line for line in ax.lines if line.get_label() == "rows"]
    return line.get_data()


def test_dots_are_the_prediction_and_what_came_true():
    ax = plots.calibration(COIN, TOSSES, {"wins": 1})
    predicted, observed = dots(ax)
    assert predicted == pytest.approx([0.2, 0.7])
    assert observed == pytest.approx([15 / 50, 30 / 40])
    counts = [text.get_text() for text in ax.texts]
    assert counts == ["50", "40"]


def test_bars_are_wilson_intervals():
    ax = plots.calibration(COIN, TOSSES, {"wins": 1})
    ends = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
    low, high = wilson(np.array([15 / 50, 30 / 40]), np.array([50.0, 40.0]))
    np.testing.assert_allclose(ends, np.stack([low, high], axis=1))


@pytest.mark.parametrize(("share", "n"), [(0.0, 7), (0.3, 40), (1.0, 3)])
def test_a_wilson_interval_ends_where_the_test_just_fails(share, n):
    """Its ends p solve |share − p| = z √(p (1 − p) / n)."""
    for (end,) in wilson(np.array([share]), np.array([float(n)])):
        assert (share - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / n, abs=1e-12)


def test_rows_without_the_outcome_are_left_out_and_counted():
    rows = TOSSES.astype({"wins": "Int64"})
    rows.loc[:4, "wins"] = None
    ax = plots.calibration(COIN, rows, {"wins": 1})
    assert "85 rows, 5 left out" in ax.get_xlabel()


def test_what_a_row_says_of_the_event_itself_is_not_used():
    predicted, _ = dots(plots.calibration(COIN, TOSSES, {"wins": {1}}))
    assert predicted == pytest.approx([0.2, 0.7])


def test_intervals_of_whole_numbers_are_events():
    model = households()
    rows = model.sample(300, random_state=5)
    ax = plots.calibration(model, rows, {"age": (30, 50), "car": {"petrol", "electric"}})
    predicted, observed = dots(ax)
    n = np.array([int(text.get_text()) for text in ax.texts])
    true = rows["age"].between(30, 50) & rows["car"].isin(["petrol", "electric"])
    assert (observed * n).sum() == pytest.approx(true.sum())
    assert n.sum() == 300
    assert np.abs(predicted - observed).max() < 0.25  # rows drawn from the model itself


def test_the_score_is_the_mean_squared_error():
    ax = plots.calibration(COIN, TOSSES, {"wins": 1})
    predicted = np.where(TOSSES["side"] == "a", 0.2, 0.7)
    assert f"{np.mean((predicted - TOSSES['wins']) ** 2):.3f}" in ax.get_xlabel()


def test_no_event_and_no_row_are_refused():
    with pytest.raises(EvidenceError, match="name an event"):
        plots.calibration(COIN, TOSSES, {})
    with pytest.raises(EvidenceError, match="no row of the table can be used"):
        plots.calibration(COIN, TOSSES.assign(wins=None), {"wins": 1})
    assert plt.get_fignums() == []


NORMAL = Model(Gaussian("x", 0, 1))


def heights(ax, label):
    (found,) = [box for box in ax.containers if box.get_label() == label]
    return np.array([bar.get_height() for bar in found])


def test_the_share_of_least_likely_rows_is_marked():
    rows = NORMAL.sample(200, random_state=0)
    ax = plots.likelihoods(NORMAL, rows, share=0.05)
    assert heights(ax, "least likely rows").sum() == 10
    assert heights(ax, "usual rows").sum() == 190
    scores = NORMAL.score_samples(rows)
    first = np.argsort(scores)[:5].tolist()
    assert f"row {', '.join(map(str, first))}, …" in ax.get_title(loc="left")


def test_a_threshold_decides_alone_and_is_the_border_of_a_bar():
    rows = NORMAL.sample(200, random_state=0)
    ax = plots.likelihoods(NORMAL, rows, -2.0)
    assert heights(ax, "least likely rows").sum() == (NORMAL.score_samples(rows) < -2.0).sum()
    borders = [bar.get_x() for bar in ax.containers[0]]
    assert min(abs(np.array(borders) + 2.0)) < 1e-9
    both = (heights(ax, "least likely rows") > 0) & (heights(ax, "usual rows") > 0)
    assert not both.any()


def test_rows_far_out_do_not_squeeze_the_rest():
    rows = pd.DataFrame({"x": [*np.linspace(-1, 1, 50), 1000.0]})
    ax = plots.likelihoods(NORMAL, rows)
    assert ax.get_xlim()[0] > -100
    assert heights(ax, "least likely rows").sum() + heights(ax, "usual rows").sum() == 51
    assert any("1 further" in text.get_text() for text in ax.texts)


def test_impossible_rows_are_counted():
    rows = pd.DataFrame({"side": ["a"] * 5 + ["b"] * 5, "wins": [0, 1] * 5})
    model = Model(Categorical("side", {"a": 1.0, "b": 0.0}) * Categorical("wins", {0: 0.5, 1: 0.5}))
    ax = plots.likelihoods(model, rows)
    assert "5 impossible" in ax.get_title(loc="left")


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_wrong_share_is_refused(share):
    with pytest.raises(SoftlearnError, match="share lies between 0 and 1"):
        plots.likelihoods(NORMAL, NORMAL.sample(5, random_state=0), share=share)


def test_a_table_without_possible_rows_is_refused():
    model = Model(Categorical("side", {"a": 1.0, "b": 0.0}))
    with pytest.raises(SoftlearnError, match="no row of the table is possible"):
        plots.likelihoods(model, pd.DataFrame({"side": ["b"]}))


@pytest.mark.parametrize("n_rows", [1, 2, 7, 40])
def test_rows_are_counted_in_whole_numbers(n_rows):
    model = households()
    ax = plots.likelihoods(model, model.sample(n_rows, random_state=0))
    ax.figure.canvas.draw()
    ticks = [float(label.get_text()) for label in ax.get_yticklabels()]
    assert len(ticks) > 1
    assert all(tick == int(tick) for tick in ticks)
