"""Information against sums over all worlds and closed forms."""

import tracemalloc

import numpy as np
import pytest

from random_circuits import agrees, every_world, random_circuit, random_evidence
from softlearn.circuit import Categorical, Gaussian, Product, Sum, flatten
from softlearn.errors import EvidenceError, ImpossibleEvidenceError, SchemaError, SoftlearnError
from softlearn.query.evidence import Evidence
from softlearn.query.information import entropy, kl_divergence, mutual_information
from softlearn.query.likelihood import log_likelihood

# Estimates are compared within 6 standard errors: a false alarm in 5e8, were the seed not fixed.
ERRORS = 6


def by_enumeration(worlds: np.ndarray, p: np.ndarray, i: int, j: int) -> float:
    """The mutual information of two columns, summed over all pairs of levels."""
    total = 0.0
    for a in np.unique(worlds[i]):
        for b in np.unique(worlds[j]):
            joint = p[(worlds[i] == a) & (worlds[j] == b)].sum()
            if joint > 0.0:
                total += joint * np.log(joint / (p[worlds[i] == a].sum() * p[worlds[j] == b].sum()))
    return total


@pytest.mark.parametrize("seed", range(20))
def test_pairs_agree_with_sums_over_all_worlds(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 4, 0, 3, share=0.3 * (seed % 2))
    worlds = every_world(circuit)
    p = np.exp(log_likelihood(circuit, Evidence(worlds)))
    found = mutual_information(circuit)
    expected = [[by_enumeration(worlds, p, i, j) for j in range(4)] for i in range(4)]
    assert found == pytest.approx(np.array(expected), rel=1e-9, abs=1e-13)
    assert (found == found.T).all()
    assert (found >= 0.0).all()


@pytest.mark.parametrize("seed", range(20))
def test_pairs_given_evidence_agree_with_sums_over_the_worlds_that_are_left(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 4, 0, 3, zeros=0.0)
    evidence = random_evidence(circuit, rng, 1)
    worlds = every_world(circuit)
    p = np.exp(log_likelihood(circuit, Evidence(worlds))) * agrees(worlds, evidence, 0)
    found = mutual_information(circuit, [3, 1], evidence=evidence)
    expected = [[by_enumeration(worlds, p / p.sum(), i, j) for j in (3, 1)] for i in (3, 1)]
    assert found == pytest.approx(np.array(expected), rel=1e-9, abs=1e-13)


def test_the_diagonal_is_the_entropy_and_a_constant_column_has_none():
    fair, constant = Categorical("fair", {0: 0.5, 1: 0.5}), Categorical("one", {"a": 1.0, "b": 0.0})
    found = mutual_information(flatten(fair * constant * Gaussian("x", 0, 1)))
    assert found == pytest.approx(np.diag([np.log(2), 0.0]), abs=1e-15)


def test_copies_share_all_their_information():
    circuit = flatten(
        Sum(
            (0.25, 0.75),
            tuple(
                Categorical("a", {0: 1 - v, 1: v}) * Categorical("b", {0: v, 1: 1 - v})
                for v in (0, 1)
            ),
        )
    )
    entropy_of_one = -0.25 * np.log(0.25) - 0.75 * np.log(0.75)
    assert mutual_information(circuit) == pytest.approx(np.full((2, 2), entropy_of_one), rel=1e-14)


def test_independent_columns_share_nothing_to_the_last_digits():
    rng = np.random.default_rng(0)
    leaves = [Categorical(f"c{i}", dict(enumerate(rng.dirichlet(np.ones(5))))) for i in range(8)]
    found = mutual_information(flatten(Product(tuple(leaves))))
    assert (found[~np.eye(8, dtype=bool)] < 1e-15).all()
    assert (found >= 0.0).all()


def test_five_hundred_columns_need_no_gigabytes():
    rng = np.random.default_rng(1)
    parts = tuple(
        Product(tuple(Categorical(f"c{i}", {0: 1 - p, 1: p}) for i, p in enumerate(row)))
        for row in rng.uniform(0.05, 0.95, (4, 500)).tolist()
    )
    circuit = flatten(Sum((0.25,) * 4, parts))
    mutual_information(circuit, [0, 1])  # compiles
    tracemalloc.start()
    found = mutual_information(circuit)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6
    assert found[3, 400] == pytest.approx(mutual_information(circuit, [3, 400])[0, 1], rel=1e-9)


def test_only_discrete_columns_and_one_row_of_evidence_are_accepted():
    circuit = flatten(Categorical("c", {0: 0.5, 1: 0.5}) * Gaussian("x", 0, 1))
    with pytest.raises(EvidenceError, match="'x' is numeric"):
        mutual_information(circuit, [0, 1])
    with pytest.raises(EvidenceError, match="no column 2"):
        mutual_information(circuit, [2])
    with pytest.raises(EvidenceError, match="named once"):
        mutual_information(circuit, [0, 0])
    with pytest.raises(EvidenceError, match="one row, not 2"):
        mutual_information(circuit, evidence=Evidence.nothing(2, 2))
    assert mutual_information(flatten(Gaussian("x", 0, 1))).shape == (0, 0)


def test_impossible_evidence_is_refused():
    circuit = flatten(Categorical("c", {0: 0.0, 1: 1.0}) * Categorical("d", {0: 0.5, 1: 0.5}))
    with pytest.raises(ImpossibleEvidenceError):
        mutual_information(circuit, evidence=Evidence(np.array([[0.0], [np.nan]])))


def test_entropy_of_independent_gaussians():
    circuit = flatten(Gaussian("x", 5, 0.1) * Gaussian("y", -5, 3))
    exact = np.log(2 * np.pi * np.e) + np.log(0.1 * 3)
    found = entropy(circuit, 20_000, np.random.default_rng(0))
    assert abs(found.value - exact) < ERRORS * found.standard_error
    # The log-density of two Gaussians varies by 2 · (1/2).
    assert found.standard_error == pytest.approx(20_000**-0.5, rel=0.05)


def test_entropy_agrees_with_the_sum_over_all_worlds():
    circuit = random_circuit(np.random.default_rng(6), 3, 0, 3, n_countable=1)
    log_p = log_likelihood(circuit, Evidence(every_world(circuit)))
    possible = log_p[np.isfinite(log_p)]
    found = entropy(circuit, 20_000, np.random.default_rng(1))
    assert abs(found.value + np.exp(possible) @ possible) < ERRORS * found.standard_error


def test_divergence_of_two_gaussians():
    p, q = flatten(Gaussian("x", 0, 1)), flatten(Gaussian("x", 1, 2))
    exact = np.log(2) + (1 + 1) / 8 - 0.5
    found = kl_divergence(p, q, 20_000, np.random.default_rng(0))
    assert abs(found.value - exact) < ERRORS * found.standard_error
    assert kl_divergence(p, p, 100, np.random.default_rng(0)) == (0.0, 0.0)


def test_divergence_is_infinite_where_q_rules_a_sample_out():
    p = flatten(Categorical("c", {"a": 0.5, "b": 0.5}))
    q = flatten(Categorical("c", {"a": 1.0, "b": 0.0}))
    assert kl_divergence(p, q, 100, np.random.default_rng(0)) == (np.inf, 0.0)
    assert kl_divergence(q, p, 100, np.random.default_rng(0)).value == pytest.approx(np.log(2))


def test_estimates_need_two_samples_and_one_schema():
    p, q = flatten(Gaussian("x", 0, 1)), flatten(Gaussian("y", 0, 1))
    with pytest.raises(SoftlearnError, match="2 samples or more, not 1"):
        entropy(p, 1, np.random.default_rng(0))
    with pytest.raises(SchemaError, match=r"'x' .* and 'y'"):
        kl_divergence(p, q, 10, np.random.default_rng(0))
    both = flatten(Gaussian("x", 0, 1) * Gaussian("y", 0, 1))
    with pytest.raises(SchemaError, match="over 1 and 2 columns"):
        kl_divergence(p, both, 10, np.random.default_rng(0))
