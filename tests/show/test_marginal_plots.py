"""The bars and curves of single columns are the probabilities they stand for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from model_examples import patients
from softlearn import Categorical, Gaussian, Model
from softlearn.datasets.worlds import households
from softlearn.show import plots


def bars(ax, label):
    (found,) = [box for box in ax.containers if box.get_label() == label]
    return [bar.get_width() for bar in found]


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_bars_are_the_probabilities_of_the_model_and_the_shares_of_the_table():
    model = households()
    rows = model.sample(200, random_state=1)
    (ax,) = plots.marginals(model, rows, ["place"])
    assert names(ax) == list(model.schema["place"].levels)
    assert bars(ax, "model") == pytest.approx(list(model.distribution("place").values()))
    counted = rows["place"].value_counts(normalize=True)
    assert bars(ax, "table") == pytest.approx([counted[name] for name in names(ax)])
    assert ax.get_title(loc="left") == "place"


def test_many_levels_become_the_most_common_and_all_others():
    weights = np.arange(1.0, 31.0) / 465.0
    model = Model(Categorical("c", {f"level {i}": w for i, w in enumerate(weights)}))
    (ax,) = plots.marginals(model)
    assert names(ax)[-1] == "other (23)"
    assert names(ax)[0] == "level 23"
    assert bars(ax, "model")[-1] == pytest.approx(weights[:23].sum())
    assert sum(bars(ax, "model")) == pytest.approx(1.0)


def test_the_curve_is_the_density():
    model = Model(0.5 * Gaussian("x", 0, 1) + 0.5 * Gaussian("x", 10, 2))
    (ax,) = plots.marginals(model)
    (line,) = ax.lines
    x, y = line.get_data()
    np.testing.assert_allclose(y, model.distribution("x").pdf(x), atol=1e-4)
    assert y.sum() * (x[1] - x[0]) == pytest.approx(1.0, abs=0.01)


def test_a_spike_between_two_points_is_not_lost():
    model = Model(0.5 * Gaussian("x", 0, 100) + 0.5 * Gaussian("x", 0.7, 0.001))
    (ax,) = plots.marginals(model)
    x, y = ax.lines[0].get_data()
    assert np.sum(y) * (x[1] - x[0]) == pytest.approx(1.0, abs=0.01)


def test_the_histogram_counts_the_observed_cells_only():
    model = households()
    rows = model.sample(100, random_state=2)
    rows.loc[:24, "income"] = None
    (ax,) = plots.marginals(model, rows, ["income"])
    heights, edges, _ = ax.patches[0].get_data()
    assert (heights * np.diff(edges)).sum() == pytest.approx(1.0, abs=0.02)
    assert ax.get_title(loc="right") == "25 % missing"


def test_whole_numbers_have_a_bar_each():
    (ax,) = plots.marginals(households(), households().sample(100, random_state=0), ["people"])
    _, edges, _ = ax.patches[0].get_data()
    np.testing.assert_array_equal(edges % 1.0, 0.5)
    np.testing.assert_array_equal(np.diff(edges), 1.0)


def test_a_column_without_cells_shows_the_model_alone():
    rows = households().sample(5, random_state=0)
    rows["place"], rows["km"] = None, np.nan
    for ax in plots.marginals(households(), rows, ["place", "km"]):
        assert ax.get_title(loc="right") == "100 % missing"
        assert len(ax.lines) == 1 or bars(ax, "model")


def test_columns_that_the_model_does_not_have_are_left_out():
    rows = pd.DataFrame({**households().sample(5, random_state=0), "more": 1})
    assert plots.marginals(households(), rows).shape == (7,)


def test_the_colours_are_explained_once():
    axes = plots.marginals(patients(), patients().sample(9, random_state=0))
    assert axes[0].figure.get_supxlabel() == "blue: the model, grey: the table"


@pytest.mark.parametrize("n_rows", [300, 1500])
def test_a_narrow_peak_beside_wide_rows_is_seen_as_one(n_rows):
    """Half of the values within 2 % of the axis: their bars are no wider than a twentieth of it."""
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(2, 0.2, n_rows // 2), rng.uniform(5, 25, n_rows // 2)])
    model = Model(0.5 * Gaussian("x", 2, 0.2) + 0.5 * Gaussian("x", 15, 6))
    (ax,) = plots.marginals(model, pd.DataFrame({"x": rows}))
    edges = ax.patches[0].get_data().edges
    assert np.diff(edges).max() <= (edges[-1] - edges[0]) / 20
