"""The outline of a circuit: never too large, with the right shares, and shared parts drawn once."""

from __future__ import annotations

import numpy as np
import pytest

from model_examples import patients
from random_circuits import random_circuit
from softlearn import Categorical, Gaussian
from softlearn.circuit import Product, Sum, flatten
from softlearn.datasets.worlds import households
from softlearn.show.outline import outline


def pair(mean):
    return Gaussian("x", mean, 1) * Gaussian("y", mean, 1)


def test_a_small_circuit_is_drawn_as_it_is():
    entries = outline(flatten(0.3 * pair(0) + 0.7 * pair(5)), 40)
    assert [entry.kind for entry in entries] == ["sum", "columns", "columns"]
    assert [link.share for link in entries[0].links] == [0.7, 0.3]
    assert [entry.mass for entry in entries] == pytest.approx([1.0, 0.7, 0.3])


def test_a_shared_part_is_drawn_once_and_linked_twice():
    entries = outline(households().circuit, 40)
    links = [link for entry in entries for link in entry.links]
    shared = [link.child for link in links if not link.in_tree]
    assert len(shared) == 2
    assert all(sum(link.child == child for link in links) == 2 for child in shared)


def test_many_branches_are_cut_to_the_heaviest():
    weights = np.arange(1.0, 21.0) / 210.0
    entries = outline(flatten(Sum(tuple(weights), tuple(pair(i) for i in range(20)))), 40)
    rest = entries[entries[0].links[-1].child]
    assert (rest.kind, len(rest.nodes)) == ("rest", 14)
    assert sum(link.share for link in entries[0].links) == pytest.approx(1.0)
    assert entries[0].links[0].share == pytest.approx(20 / 210)


def test_no_room_means_folded():
    (only,) = outline(patients().circuit, 1)
    assert (only.kind, only.mass) == ("folded", 1.0)


def test_a_leaf_is_a_column():
    (only,) = outline(flatten(Categorical("c", {"a": 1.0})), 10)
    assert only.kind == "columns"


def test_independent_columns_stand_together():
    entries = outline(flatten(Product((0.5 * pair(0) + 0.5 * pair(9), Gaussian("z", 0, 1)))), 40)
    assert [entry.kind for entry in entries] == ["product", "sum", "columns", "columns", "columns"]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("most", [1, 5, 12, 200])
def test_every_outline_keeps_its_laws(seed, most):
    circuit = random_circuit(np.random.default_rng(seed), n_discrete=4, n_numeric=3, depth=5)
    entries = outline(circuit, most)
    assert len(entries) <= most
    in_tree = [link.child for entry in entries for link in entry.links if link.in_tree]
    assert sorted(in_tree) == list(range(1, len(entries)))  # each but the root has one parent
    for entry in entries:
        assert 0.0 <= entry.mass <= 1.0
        if entry.kind == "sum":
            assert sum(link.share for link in entry.links) == pytest.approx(1.0)
        if entry.kind == "product":
            assert all(link.share is None for link in entry.links)
