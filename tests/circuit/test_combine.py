"""Circuits side by side: a mixture averages densities, a product multiplies them."""

from __future__ import annotations

import numpy as np
import pytest

import zoo
from circuit_examples import mixed, must_equal
from random_circuits import random_circuit_over, random_evidence, random_schema
from softlearn.circuit import Categorical, Gaussian, flatten, violations
from softlearn.circuit.combine import mixture, product
from softlearn.errors import CircuitError, SchemaError
from softlearn.query import Evidence, log_likelihood


def circuits_alike(seed: int, n: int):
    """Random circuits over the same columns, with leaves of several families."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng, 2, 2)
    return [random_circuit_over(schema, rng, depth=1 + i % 3) for i in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_a_mixture_has_the_weighted_mean_of_the_densities(seed):
    circuits = circuits_alike(seed, 3)
    weights = np.random.default_rng(seed).random(3) * 5
    evidence = random_evidence(circuits[0], np.random.default_rng(seed), 40)
    each = np.exp([log_likelihood(one, evidence) for one in circuits])
    found = mixture(circuits, weights)
    assert violations(found) == []
    expected = weights / weights.sum() @ each
    assert np.exp(log_likelihood(found, evidence)) == pytest.approx(expected, rel=1e-12)


def test_without_weights_all_count_alike():
    circuits = circuits_alike(0, 4)
    must_equal(mixture(circuits), mixture(circuits, [2.0] * 4))


def test_a_mixture_of_one_is_that_one():
    must_equal(mixture([mixed()]), mixed())


def test_parameters_and_nodes_add_up():
    circuits = circuits_alike(3, 3)
    found = mixture(circuits)
    assert found.n_nodes == sum(one.n_nodes for one in circuits) + 1
    assert found.n_parameters == sum(one.n_parameters for one in circuits) + 2


def test_a_product_multiplies_the_densities():
    parts = [zoo.gaussian_pair(), zoo.coin(), flatten(Categorical("kind", {"a": 0.2, "b": 0.8}))]
    found = product(parts)
    assert violations(found) == []
    assert found.schema.names == ("X", "Y", "coin", "kind")
    rows = np.array([[0.3, np.nan, -1.0], [2.0, 1.9, np.nan], [0, 1, 1], [1, 0, np.nan]])
    each = [
        log_likelihood(one, Evidence(np.ascontiguousarray(rows[first:last])))
        for one, first, last in zip(parts, (0, 2, 3), (2, 3, 4), strict=True)
    ]
    assert log_likelihood(found, Evidence(rows)) == pytest.approx(np.sum(each, axis=0))


def test_a_product_over_one_column_twice_is_refused():
    with pytest.raises(SchemaError, match="column 'coin' occurs more than once"):
        product([zoo.coin(), zoo.coin()])


@pytest.mark.parametrize(
    ("circuits", "weights", "message"),
    [
        ([], None, "a mixture needs at least one circuit"),
        ([zoo.coin(), flatten(Gaussian("coin", 0, 1))], None, "different schemas"),
        ([zoo.coin(), zoo.coin()], [1.0], "2 circuits need as many weights, not 1"),
        ([zoo.coin(), zoo.coin()], [1.0, -1.0], "not negative"),
        ([zoo.coin(), zoo.coin()], [0.0, 0.0], "not all zero"),
    ],
)
def test_what_cannot_be_mixed_is_refused(circuits, weights, message):
    with pytest.raises(CircuitError, match=message):
        mixture(circuits, weights)


def test_an_empty_product_is_refused():
    with pytest.raises(CircuitError, match="a product needs at least one circuit"):
        product([])
