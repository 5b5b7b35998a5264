"""Curves of one column given another, against the model's own answers."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from model_examples import patients
from softlearn import Categorical, Gaussian, Histogram, Model
from softlearn.circuit import Product
from softlearn.datasets.worlds import households
from softlearn.errors import ImpossibleEvidenceError
from softlearn.show import plots


def curves(ax):
    return {line.get_label(): line.get_data() for line in ax.lines}


def test_curves_are_conditional_probabilities():
    model = households()
    found = curves(plots.conditional(model, "car", "income", {"place": "city"}))
    assert list(found) == ["none", "petrol", "electric"]
    for name, (x, y) in found.items():
        for at in (0, 50, 159):
            given = {"income": x[at], "place": "city"}
            assert y[at] == pytest.approx(model.probability({"car": name}, given=given))


def test_whole_numbers_move_in_whole_steps():
    x, _ = curves(plots.conditional(households(), "car", "age"))["none"]
    np.testing.assert_array_equal(x, np.round(x))


def test_a_boolean_column_is_one_curve():
    model = households()
    ax = plots.conditional(model, "owns", "km")
    ((name, (x, y)),) = curves(ax).items()
    assert name == "True"
    assert y[7] == pytest.approx(model.probability({"owns": True}, given={"km": x[7]}))


@pytest.mark.parametrize("on", ["km", "pet"])
def test_the_axis_ends_a_little_above_the_highest_probability(on):
    rare = Categorical("ill", {False: 0.98, True: 0.02}) * Categorical("pet", {"a": 0.5, "b": 0.5})
    often = Categorical("ill", {False: 0.9, True: 0.1}) * Categorical("pet", {"a": 0.1, "b": 0.9})
    model = Model(0.5 * (rare * Gaussian("km", 0, 1)) + 0.5 * (often * Gaussian("km", 9, 1)))
    ax = plots.conditional(model, "ill", on)
    bottom, top = ax.get_ylim() if on == "km" else ax.get_xlim()
    drawn = ax.lines[0].get_ydata() if on == "km" else [bar.get_width() for bar in ax.patches]
    assert bottom == 0.0
    assert max(drawn) < top < 0.15


def test_probabilities_near_one_keep_the_whole_axis():
    model = Model(Categorical("pet", {"a": 0.99, "b": 0.01}) * Gaussian("km", 0, 1))
    assert plots.conditional(model, "pet", "km").get_ylim() == (0.0, 1.02)


def test_a_number_is_its_mean_with_a_deviation_to_each_side():
    model = households()
    ax = plots.conditional(model, "income", "km")
    x, y = ax.lines[0].get_data()
    mean, spread = (
        float(ask("income", given={"km": x[9]})) for ask in (model.expectation, model.variance)
    )
    assert y[9] == pytest.approx(mean)
    band = ax.collections[0].get_paths()[0].vertices
    at_x = np.sort(band[np.isclose(band[:, 0], x[9]), 1])
    assert at_x[[0, -1]] == pytest.approx([mean - spread**0.5, mean + spread**0.5])


def test_levels_of_a_level_are_stacked_to_one():
    model = households()
    ax = plots.conditional(model, "car", "place")
    for box in ax.containers:
        for bar, place in zip(box, model.schema["place"].levels, strict=True):
            told = model.probability({"car": box.get_label()}, given={"place": place})
            assert bar.get_width() == pytest.approx(told)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(
        model.schema["place"].levels
    )


def test_a_number_of_a_level_is_a_dot_with_a_bar():
    model = households()
    ax = plots.conditional(model, "km", "place")
    x, y = ax.lines[0].get_data()
    told = [
        model.expectation("km", given={"place": place}) for place in model.schema["place"].levels
    ]
    assert x == pytest.approx(told)
    assert y.tolist() == [0, 1, 2]


def test_values_that_cannot_be_are_gaps():
    red = Product((Categorical("colour", {"red": 1.0}), Histogram("size", [0, 1], [1.0])))
    blue = Product((Categorical("colour", {"blue": 1.0}), Histogram("size", [2, 3], [1.0])))
    x, y = curves(plots.conditional(Model(0.3 * red + 0.7 * blue), "colour", "size"))["red"]
    np.testing.assert_array_equal(np.isnan(y), (x > 1.0) & (x < 2.0))
    assert (y[x <= 1.0] == 1.0).all()


def test_the_title_says_what_is_given():
    ax = plots.conditional(patients(), "stage", "age", {"sex": "F"})
    assert ax.get_title(loc="left") == "stage given age"
    assert ax.get_title(loc="right") == "where sex = F"
    assert ax.get_xlabel() == "age"


@pytest.mark.parametrize(
    ("of", "on", "given", "reason"),
    [
        ("car", "car", None, "both 'car'"),
        ("car", "km", {"km": 3.0}, "'km' is what is drawn"),
        ("car", "km", {"car": "none"}, "'car' is what is drawn"),
        ("nothing", "km", None, "'nothing'"),
    ],
)
def test_questions_that_make_no_sense_are_refused(of, on, given, reason):
    with pytest.raises(ValueError, match=reason):
        plots.conditional(households(), of, on, given)
    assert plt.get_fignums() == []


def test_an_impossible_condition_is_refused():
    with pytest.raises(ImpossibleEvidenceError, match="probability zero"):
        plots.conditional(
            households(), "income", "age", {"car": "electric", "people": (1, 1), "place": "city"}
        )
    assert plt.get_fignums() == []
