"""Dependence: the bound that proves independence, the strongest pairs, and their words."""

from __future__ import annotations

import numpy as np
import pytest

from random_circuits import random_circuit
from softlearn import Categorical, Gaussian, Model
from softlearn.circuit import Product
from softlearn.datasets.worlds import households
from softlearn.query import mutual_information
from softlearn.query.dependence import dependence_bound, independent_columns
from softlearn.show import dependence
from softlearn.show.cells import over_cells, quantile_cells
from softlearn.show.dependence import compared_columns, strongest
from zoo import dag, two_coins, xor


def twin_of(circuit):
    return over_cells(circuit, quantile_cells(Model(circuit)))


def pairs_of(model, most=20):
    cells = quantile_cells(model)
    twin = over_cells(model.circuit, cells)
    return strongest(twin, cells, compared_columns(twin, dependence_bound(twin)), most)


def test_independent_coins_have_a_bound_of_zero():
    np.testing.assert_allclose(dependence_bound(twin_of(two_coins())), 0.0, atol=1e-12)


def test_a_part_that_all_branches_share_is_independent():
    bound = dependence_bound(twin_of(dag()))
    assert bound[dag().schema.index("b")] == pytest.approx(0.0, abs=1e-12)
    assert independent_columns(bound) == [dag().schema.index("b")]


def test_a_mixture_over_one_column_alone_is_independent():
    spread = 0.5 * Gaussian("x", 0, 1) + 0.5 * Gaussian("x", 9, 1)
    model = Model(Product((spread, Gaussian("y", 0, 1))))
    assert independent_columns(dependence_bound(twin_of(model.circuit))) == [0, 1]


def test_bits_that_always_differ_share_all_they_know():
    assert dependence_bound(twin_of(xor())) == pytest.approx(np.log(2.0))
    (found,) = pairs_of(Model(xor()))
    assert found.share == pytest.approx(1.0)
    assert found.nats == pytest.approx(np.log(2.0))


@pytest.mark.parametrize("seed", range(10))
def test_no_column_tells_more_than_the_bound(seed):
    circuit = random_circuit(np.random.default_rng(seed), n_discrete=3, n_numeric=2, depth=3)
    twin = twin_of(circuit)
    told, bound = mutual_information(twin), dependence_bound(twin)
    np.fill_diagonal(told, 0.0)
    assert (told.max(axis=1) <= bound + 1e-9).all()


def test_mutual_information_of_discrete_columns_is_the_models_own():
    model = households()
    own = model.mutual_information()
    found = {(one.first, one.second): one.nats for one in pairs_of(model)}
    for pair in (("place", "owns"), ("place", "car"), ("owns", "car")):
        assert found[pair] == pytest.approx(own[pair])


def test_pairs_come_strongest_first():
    shares = [one.share for one in pairs_of(households())]
    assert shares == sorted(shares, reverse=True)


def line(slope, kind="number"):
    """Five clusters on a line, so that x tells much about y."""
    parts = []
    for step in range(5):
        y = Gaussian("y", slope * step, 0.3) if kind == "number" else Categorical("y", kind[step])
        parts.append(Product((Gaussian("x", step, 0.3), y)))
    return Model(sum((0.2 * part for part in parts[1:]), 0.2 * parts[0]))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (line(1.0), "rise together"),
        (line(-1.0), "one falls as the other rises"),
        (line(0.0, [{"a": 1.0, "b": 0.0}] * 4 + [{"a": 0.0, "b": 1.0}]), "x lower with y=a"),
        (Model(xor()), "a=0 goes with b=1"),
    ],
    ids=["rising", "falling", "levels", "pairs of levels"],
)
def test_the_way_is_said_in_words(model, words):
    assert [one.words for one in pairs_of(model)] == [words]


def test_a_valley_has_no_single_direction():
    ends = [Product((Gaussian("x", x, 0.4), Gaussian("y", abs(x), 0.4))) for x in (-4, 0, 4)]
    (found,) = pairs_of(Model(0.25 * ends[0] + 0.5 * ends[1] + 0.25 * ends[2]))
    assert found.words == "in no single direction"


def test_too_many_columns_leave_out_those_that_depend_least(monkeypatch):
    model = households()
    twin = twin_of(model.circuit)
    bound = dependence_bound(twin)
    monkeypatch.setattr(dependence, "_WORK", twin.n_nodes * 12)
    kept = compared_columns(twin, bound)
    assert 1 < len(kept) < len(bound)
    assert min(bound[kept]) >= max(np.delete(bound, kept))
