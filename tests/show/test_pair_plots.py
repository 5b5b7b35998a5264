"""The heat of pairs is the joint distribution."""

from __future__ import annotations

import numpy as np
import pytest

from model_examples import patients
from softlearn import Gaussian, Model
from softlearn.datasets.worlds import households
from softlearn.show import plots


def heat(ax):
    """The drawn density, (y, x)."""
    return (
        ax.collections[0].get_array().reshape(ax.collections[0].get_coordinates().shape[0] - 1, -1)
    )


def edges(ax):
    grid = ax.collections[0].get_coordinates()
    return grid[0, :, 0], grid[:, 0, 1]


def test_two_levels_have_their_joint_probability():
    model = households()
    ax = plots.pairs(model, columns=["place", "car"])[1, 0]
    for (row, column), share in np.ndenumerate(heat(ax)):
        event = {
            "place": model.schema["place"].levels[column],
            "car": model.schema["car"].levels[row],
        }
        assert share == pytest.approx(model.probability(event))
    written = {text.get_text() for text in ax.texts}
    assert "24 %" in written


def test_two_numbers_have_their_joint_density():
    model = Model(
        0.5 * Gaussian("x", 0, 1) * Gaussian("y", 0, 1)
        + 0.5 * Gaussian("x", 6, 1) * Gaussian("y", 6, 2)
    )
    ax = plots.pairs(model)[1, 0]
    x, y = edges(ax)
    assert heat(ax).sum() * (x[1] - x[0]) * (y[1] - y[0]) == pytest.approx(1.0, abs=0.02)
    for row, column in ((10, 10), (30, 30), (5, 40)):
        event = {"x": (x[column], x[column + 1]), "y": (y[row], y[row + 1])}
        area = (x[column + 1] - x[column]) * (y[row + 1] - y[row])
        assert heat(ax)[row, column] * area == pytest.approx(model.probability(event), rel=1e-6)


def test_a_number_and_a_level_have_their_joint_density():
    model = patients()
    ax = plots.pairs(model, columns=["weight", "sex"])[1, 0]
    x, _ = edges(ax)
    event = {"sex": "M", "weight": (x[20], x[21])}
    found = heat(ax)[model.schema["sex"].levels.index("M"), 20] * (x[21] - x[20])
    assert found == pytest.approx(model.probability(event), rel=1e-6)


def test_rows_are_dots_in_their_cells():
    model = households()
    rows = model.sample(30, random_state=0)
    ax = plots.pairs(model, rows, ["car", "km"])[1, 0]
    x, y = ax.lines[0].get_data()
    levels = model.schema["car"].levels
    assert [levels[round(place)] for place in x] == rows["car"].tolist()
    np.testing.assert_allclose(y, rows["km"])


def test_many_rows_are_thinned():
    rows = households().sample(1700, random_state=0)
    ax = plots.pairs(households(), rows, ["age", "km"])[1, 0]
    assert 200 < len(ax.lines[0].get_xdata()) <= 400


def test_the_columns_that_depend_most_are_chosen():
    grid = plots.pairs(households())
    chosen = [grid[i, i].get_title(loc="left") for i in range(5)]
    assert {"car", "km", "age", "income"} < set(chosen)
    assert chosen == sorted(chosen, key=households().schema.index)


def test_names_stand_at_the_outer_sides():
    grid = plots.pairs(households(), columns=["place", "car", "km"])
    assert [grid[i, 0].get_ylabel() for i in (1, 2)] == ["car", "km"]
    assert [grid[2, i].get_xlabel() for i in (0, 1)] == ["place", "car"]
    assert [label.get_text() for label in grid[1, 0].get_yticklabels()] == [
        "none",
        "petrol",
        "electric",
    ]
    assert not grid[0, 1].axison
