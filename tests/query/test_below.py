"""What lies below nodes, against the queries about whole models."""

from __future__ import annotations

import numpy as np
import pytest

from model_examples import patients
from random_circuits import random_circuit
from softlearn import Categorical, Model
from softlearn.circuit import Sum, flatten, scopes
from softlearn.query import Evidence, posteriors
from softlearn.query.below import cell_shares, mean_and_deviation, reach
from softlearn.show.cells import over_cells, quantile_cells


@pytest.mark.parametrize("seed", range(6))
def test_what_the_root_reaches_is_the_posterior_of_knowing_nothing(seed):
    circuit = random_circuit(np.random.default_rng(seed), n_discrete=3, n_numeric=1)
    flow = reach(circuit, [[circuit.root]])
    believed = posteriors(circuit, Evidence.nothing(4))
    twin = over_cells(circuit, quantile_cells(Model(circuit)))
    for position, shares in enumerate(cell_shares(twin, flow)):
        if circuit.schema.columns[position].is_discrete:
            np.testing.assert_allclose(shares, believed.levels(position), atol=1e-12)
        else:
            leaves, weights = believed.leaves(position)
            np.testing.assert_allclose(flow[leaves].T, weights, atol=1e-12)


def test_a_branch_that_is_named_twice_counts_twice():
    leaf = Categorical("c", {"a": 1.0, "b": 0.0})
    other = Categorical("c", {"a": 0.0, "b": 1.0})
    circuit = flatten(Sum((0.25, 0.25, 0.5), (leaf, leaf, other)))
    np.testing.assert_allclose(np.sort(reach(circuit, [[circuit.root]])[:2, 0]), [0.5, 0.5])


def test_mean_and_deviation_are_those_of_the_model():
    model = patients()
    flow = reach(model.circuit, [[model.circuit.root]])
    for name in ("age", "weight"):
        mean, deviation = mean_and_deviation(model.circuit, flow, model.schema.index(name))
        assert mean[0] == pytest.approx(model.expectation(name))
        assert deviation[0] ** 2 == pytest.approx(model.variance(name))


def test_scopes_name_the_columns_below():
    circuit = patients().circuit
    found = scopes(circuit)
    assert found[circuit.root] == 0b111111
    for leaf in range(circuit.n_leaves):
        assert found[leaf] == 1 << circuit.leaf_column[leaf]
