"""Smaller models: exact where nothing is left out, else within the size or the loss asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_circuits import random_circuit
from softlearn import Categorical, CircuitMixture, Gaussian, Model, SoftLearn, SoftlearnError
from softlearn.circuit import Product, Sum


def table(n_rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    group = rng.random(n_rows) < 0.5
    return (rng.random((n_rows, 6)) < np.where(group[:, None], 0.85, 0.15)).astype(float)


@pytest.fixture(scope="module")
def mixture() -> Model:
    learner = SoftLearn(significance=0.5, n_jobs=1)
    return CircuitMixture(learner, n_estimators=4, random_state=0).fit(table(300, 0)).model_


ROWS = table(500, 1)


def test_equal_parts_are_made_one_and_nothing_is_lost():
    def person() -> Product:
        return Product((Gaussian("x", 1, 2), Categorical("c", {"a": 0.3, "b": 0.7})))

    other = Product((Gaussian("x", 5, 1), Categorical("c", {"a": 0.3, "b": 0.7})))
    model = Model(Sum((0.2, 0.3, 0.5), (person(), other, person())))
    smaller, loss = model.compress()
    assert loss == 0.0
    # Two Gaussians, one column of levels, two products and a sum.
    assert smaller.circuit.n_nodes == 6
    assert sorted(smaller.circuit.weight[-2:]) == pytest.approx([0.3, 0.7])
    rows = model.sample(50, random_state=0)
    assert smaller.score_samples(rows) == pytest.approx(model.score_samples(rows), abs=1e-12)


def test_a_sum_of_equal_parts_vanishes():
    model = Model(Sum((0.2, 0.8), (Gaussian("x", 1, 2), Gaussian("x", 1, 2))))
    smaller, _ = model.compress()
    assert smaller.circuit.n_nodes == 1
    assert smaller.score_samples(np.array([[2.0]])) == pytest.approx(
        model.score_samples(np.array([[2.0]]))
    )


def test_the_loss_is_told_and_bounded(mixture):
    sizes = []
    for bound in (0.0, 0.01, 0.1):
        smaller, loss = mixture.compress(ROWS, max_loss=bound)
        assert loss <= bound
        assert loss == pytest.approx(mixture.score(ROWS) - smaller.score(ROWS), abs=1e-12)
        sizes.append(smaller.circuit.n_nodes)
    assert mixture.circuit.n_nodes > sizes[0] >= sizes[1] > sizes[2]


def test_the_size_is_bounded(mixture):
    bound = mixture.circuit.n_nodes // 4
    smaller, loss = mixture.compress(ROWS, max_nodes=bound)
    assert smaller.circuit.n_nodes <= bound
    assert loss == pytest.approx(mixture.score(ROWS) - smaller.score(ROWS), abs=1e-12)


def test_what_is_never_used_goes_first():
    far = Product((Gaussian("x", 1e4, 1), Gaussian("y", 1e4, 1)))
    near = Product((Gaussian("x", 0, 1), Gaussian("y", 0, 1)))
    model = Model(Sum((0.1, 0.9), (far, near)))
    smaller, loss = model.compress(np.zeros((10, 2)), max_loss=0.0)
    assert smaller.circuit.n_nodes == 3
    assert loss == pytest.approx(np.log(0.9))  # below 0: the rows are more likely now


def test_leaves_that_are_nearly_alike_are_made_one():
    def pair(x: float, y: float) -> Product:
        return Product((Gaussian("x", x, 1), Gaussian("y", y, 1)))

    model = Model(Sum((0.25, 0.25, 0.5), (pair(0.001, 5), pair(-0.001, 5), pair(9, 5.001))))
    rows = model.sample(400, random_state=0)
    smaller, loss = model.compress(rows, max_loss=1e-3)
    # Two of the column x, one of y, two products and a sum.
    assert smaller.circuit.n_nodes == 6
    assert smaller.circuit.params[0] == pytest.approx(0.0, abs=1e-5)
    assert loss == pytest.approx(0.0, abs=1e-4)


def test_sums_that_are_nearly_alike_are_made_one():
    """The two sums over y weigh the same leaves a little differently."""

    def side(x: float, weight: float) -> Product:
        low, high = Gaussian("y", -3, 1), Gaussian("y", 3, 1)
        return Product((Gaussian("x", x, 1), Sum((weight, 1.0 - weight), (low, high))))

    model = Model(Sum((0.3, 0.7), (side(0, 0.501), side(9, 0.499))))
    rows = model.sample(400, random_state=0)
    smaller, loss = model.compress(rows, max_loss=1e-3)
    # Two leaves of each column, one sum over those of y, two products and a sum.
    assert smaller.circuit.n_nodes == 8
    assert loss <= 1e-3
    far = Model(Sum((0.3, 0.7), (side(0, 0.9), side(9, 0.1))))
    assert far.compress(rows, max_loss=1e-3).model.circuit.n_nodes == 9


def test_a_sum_below_a_sum_becomes_a_part_of_it():
    def pair(x: float) -> Product:
        return Product((Gaussian("x", x, 1), Gaussian("y", x, 1)))

    nested = Sum((0.4, 0.6), (Sum((0.5, 0.5), (pair(0), pair(1))), pair(2)))
    model = Model(nested)
    smaller, _ = model.compress()
    assert smaller.circuit.n_nodes == model.circuit.n_nodes - 1
    assert sorted(smaller.circuit.weight[-3:]) == pytest.approx([0.2, 0.2, 0.6])
    rows = model.sample(50, random_state=0)
    assert smaller.score_samples(rows) == pytest.approx(model.score_samples(rows), abs=1e-12)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_equal_parts_cost_nothing_in_any_circuit(seed):
    model = Model(random_circuit(np.random.default_rng(seed), n_numeric=2, depth=3))
    rows = model.sample(30, random_state=seed)
    smaller, _ = model.compress()
    assert smaller.circuit.n_nodes <= model.circuit.n_nodes
    assert smaller.score_samples(rows) == pytest.approx(model.score_samples(rows), abs=1e-9)


@given(st.integers(0, 10_000), st.sampled_from([0.001, 0.05, 1.0]))
@settings(max_examples=25, deadline=None)
def test_the_loss_is_bounded_in_any_circuit(seed, bound):
    model = Model(random_circuit(np.random.default_rng(seed), n_numeric=2, depth=3))
    rows = model.sample(30, random_state=seed)
    smaller, loss = model.compress(rows, max_loss=bound)
    assert smaller.circuit.n_nodes <= model.circuit.n_nodes
    assert loss <= bound
    assert loss == pytest.approx(model.score(rows) - smaller.score(rows), abs=1e-9)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"max_nodes": 3}, "pass a table"),
        ({"frame": ROWS, "max_nodes": 3, "max_loss": 0.1}, "not both"),
        ({"frame": ROWS, "max_nodes": 3}, "cannot be compressed to fewer than"),
    ],
)
def test_what_cannot_be_done_is_told(asked, reason, mixture):
    with pytest.raises(SoftlearnError, match=reason):
        mixture.compress(**asked)
