"""Columns with a scale: what stands out is seen, and so is the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from softlearn import SoftLearn
from softlearn.show import plots
from softlearn.show.distributions import GivenDistributions

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    late = rng.random(3000) < 0.5
    paid = np.where(rng.random(3000) < 0.7, 0.0, rng.gamma(3.0, 20.0, 3000).round(2))
    age = np.where(rng.random(3000) < 0.2, np.nan, rng.integers(18, 80, 3000))
    return pd.DataFrame({"late": late, "paid": np.where(late, paid, 2 * paid), "age": age})


@pytest.fixture(scope="module")
def model(frame):
    return SoftLearn(missing="modelled", random_state=0).fit(frame).model_


def test_a_spike_is_clipped_and_its_probability_written(model, frame):
    axes = plots.marginals(model, frame, ["paid", "age"])
    written = [text.get_text() for text in axes[0].texts]
    assert any(text.startswith("7") and text.endswith("%") for text in written)
    tallest = max(patch.get_data().values.max() for patch in axes[0].patches)
    assert axes[0].get_ylim()[1] < tallest
    assert not any(text.get_text().endswith("%") for text in axes[1].texts)


def test_the_probabilities_of_spikes_that_are_close_do_not_overlap():
    rng = np.random.default_rng(0)
    hours = np.concatenate([np.full(2000, 40), np.full(900, 50), rng.integers(1, 99, 800)])
    model = SoftLearn(random_state=0).fit(pd.DataFrame({"hours": hours})).model_
    (ax,) = plots.marginals(model)
    renderer = ax.figure.canvas.get_renderer()
    first, second = (text.get_window_extent(renderer) for text in ax.texts)
    assert not first.overlaps(second)


def test_bars_of_the_model_hold_its_probability(model, frame):
    axes = plots.marginals(model, frame, ["age"])
    line = axes[0].patches[-1].get_data()
    assert (line.values * np.diff(line.edges)).sum() == pytest.approx(1.0, abs=0.02)
    plots.marginals(model, columns=["age"])


def test_what_is_believed_of_cells_is_what_the_model_says(model):
    distributions = GivenDistributions(model, [1, 2])
    edges = np.array([0.5, 20.0, 50.0, 1000.0])
    given = {"paid": (None, None)}
    asked = [(0.5, 20.0), (20.000001, 50.0), (50.000001, 1000.0)]
    expected = [model.probability({"paid": ends}, given=given) for ends in asked]
    assert distributions.between(1, edges) == pytest.approx(expected, rel=1e-6)
    low, high = distributions.quantiles([2], [0.1, 0.9])[0]
    assert (low, high) == pytest.approx(model.distribution("age").quantile([0.1, 0.9]))


def test_other_plots_take_modelled_gaps_and_sets_of_numbers(model, frame):
    plots.pairs(model, frame, ["paid", "age"])
    plots.conditional(model, "late", "paid")
    plots.conditional(model, "age", "paid")
    ax = plots.calibration(model, frame.head(500), {"paid": {0}})
    assert "Brier" in ax.get_xlabel()
    matplotlib.pyplot.close("all")
