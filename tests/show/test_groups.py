"""Kinds of rows: branches of the topmost sums, with products looked through."""

from __future__ import annotations

import numpy as np
import pytest

from random_circuits import random_circuit
from softlearn import Categorical, Gaussian, Model
from softlearn.circuit import Product, flatten, scopes
from softlearn.datasets.worlds import households
from softlearn.show.groups import branches


def shares(circuit, wanted):
    return [branch.share for branch in branches(circuit, wanted)]


def pair(mean):
    return Gaussian("x", mean, 1) * Gaussian("y", mean, 1)


def test_the_branches_of_the_root_come_largest_first():
    assert shares(households().circuit, 4) == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_a_product_at_the_root_is_looked_through():
    circuit = flatten(
        Product((Categorical("alone", {0: 0.5, 1: 0.5}), 0.3 * pair(0) + 0.7 * pair(5)))
    )
    assert shares(circuit, 2) == pytest.approx([0.7, 0.3])


def test_a_sum_in_a_branch_is_opened_while_more_are_wanted():
    inner = 0.5 * pair(5) + 0.5 * pair(9)
    circuit = flatten(0.3 * pair(0) + 0.7 * inner)
    assert shares(circuit, 3) == pytest.approx([0.35, 0.35, 0.3])
    assert shares(circuit, 1) == [1.0]


def test_a_mixture_of_one_column_is_no_kind_of_rows():
    circuit = flatten(
        Product((0.5 * Gaussian("x", 0, 1) + 0.5 * Gaussian("x", 9, 1), Gaussian("y", 0, 1)))
    )
    assert shares(circuit, 5) == [1.0]


@pytest.mark.parametrize("seed", range(8))
def test_shares_add_to_one_and_each_branch_covers_every_column(seed):
    circuit = random_circuit(np.random.default_rng(seed), n_discrete=4, n_numeric=2, depth=4)
    found = branches(circuit, 6)
    scope_of = scopes(circuit)
    assert sum(branch.share for branch in found) == pytest.approx(1.0)
    for branch in found:
        assert sum(scope_of[node] for node in branch.nodes) == scope_of[circuit.root]


def test_a_single_leaf_is_one_kind():
    assert len(branches(Model(Gaussian("x", 0, 1)).circuit, 3)) == 1
