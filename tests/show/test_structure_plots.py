"""The drawn circuit: shares on its edges, words at its ends, no two things in one place."""

from __future__ import annotations

import numpy as np
import pytest

from random_circuits import random_circuit
from softlearn import Categorical, Gaussian, Model, SoftlearnError
from softlearn.circuit import Product
from softlearn.datasets.worlds import households
from softlearn.show import plots


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_shares_and_what_distinguishes_the_branches_are_written():
    found = texts(plots.structure(households()))
    for part in ("40 %", "30 %", "20 %", "10 %", "75 %", "age 40 ± 6\ncar=petrol 75 %"):
        assert part in found
    assert any(text.startswith("place=village 100 %, owns=True 95 %") for text in found)


def test_differences_are_those_from_the_sum_above_not_from_the_whole():
    def part(x, y):
        return Product((Gaussian("x", x, 1), Gaussian("y", y, 1)))

    inner = 0.5 * part(100, 0) + 0.5 * part(100, 50)
    found = texts(plots.structure(Model(0.5 * part(0, 25) + 0.5 * inner)))
    assert "y 50 ± 1" in found  # x is far from the whole's, but both branches share it


def test_folded_nodes_say_what_they_hold():
    ax = plots.structure(households(), max_nodes=5)
    assert any("product of 7 columns" in text for text in texts(ax))
    assert "5 drawn" in ax.get_title(loc="left")


def test_a_part_that_is_shared_is_reached_by_dashed_lines():
    ax = plots.structure(households())
    assert sum(line.get_linestyle() == "--" for line in ax.lines) == 2


def test_many_branches_end_in_a_count():
    parts = [Categorical("a", {0: 0.5, 1: 0.5}) * Gaussian("x", i, 1) for i in range(20)]
    model = Model(sum((0.05 * part for part in parts[1:]), 0.05 * parts[0]))
    assert "14 more branches" in texts(plots.structure(model))


@pytest.mark.parametrize("seed", range(6))
def test_no_two_entries_stand_in_the_same_place(seed):
    circuit = random_circuit(np.random.default_rng(seed), n_discrete=4, n_numeric=3, depth=5)
    ax = plots.structure(Model(circuit), max_nodes=30)
    ax.figure.canvas.draw()
    dots = [line.get_data() for line in ax.lines if len(line.get_xdata()) == 1]
    places = {(float(x[0]), float(y[0])) for x, y in dots}
    assert len(places) == len(dots) <= 30


def test_ten_thousand_nodes_stay_readable():
    rng = np.random.default_rng(0)
    parts = [
        Product(tuple(Gaussian(f"x{i}", rng.normal(), 1) for i in range(50))) for _ in range(200)
    ]
    model = Model(sum(((1 / 200) * part for part in parts[1:]), (1 / 200) * parts[0]))
    assert model.circuit.n_nodes > 10_000
    ax = plots.structure(model)
    assert len(texts(ax)) < 100
    width, height = ax.figure.get_size_inches()
    assert width < 25
    assert height < 15


@pytest.mark.parametrize("max_nodes", [0, 1.5, True])
def test_a_wrong_number_of_nodes_is_refused(max_nodes):
    with pytest.raises(SoftlearnError, match="max_nodes must be a whole number"):
        plots.structure(households(), max_nodes)


def test_the_signs_that_are_drawn_are_explained():
    above = plots.structure(households()).get_title(loc="left")
    assert "+ kinds of rows" in above
    assert "× groups of columns" in above
    above = plots.structure(Model(Gaussian("x", 0, 1))).get_title(loc="left")
    assert "+" not in above
    assert "×" not in above
