"""Information against sums over all worlds and closed forms."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from random_circuits import agrees, every_world, random_circuit, random_evidence
from softlearn.circuit import Categorical, Gaussian, Product, Scaled, Sum, cells_of, flatten
from softlearn.errors import EvidenceError, ImpossibleEvidenceError, SchemaError, SoftlearnError
from softlearn.leaf import Interval
from softlearn.query.evidence import Evidence, intersect
from softlearn.query.information import entropy, kl_divergence, mutual_information
from softlearn.query.likelihood import log_likelihood
from softlearn.query.posteriors import posteriors
from softlearn.table import Choices, Column, Schema, find_scale

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


def scaled_circuit():
    """Numbers with and without a grid, one of them sometimes missing, and levels."""
    rng = np.random.default_rng(0)
    whole = find_scale([0] * 12 + list(range(1, 31)) * 2 + [math.nan] * 5, whole=True)
    line = find_scale(rng.normal(size=300))
    schema = Schema(
        (
            Column("c", "categorical", (0, 1)),
            Column("n", "integer", scale=whole, missing="modelled"),
            Column("x", "numeric", scale=line),
            Column("plain", "numeric"),
        )
    )
    parts = [
        Categorical("c", {0: 1 - p, 1: p})
        * Scaled("n", mean, 0.6, atoms={0: p / 2, None: 0.1}, own=0.05)
        * Scaled("x", -mean, 0.5)
        * Gaussian("plain", mean, 1.0)
        for p, mean in ((0.1, -1.0), (0.7, 0.2), (0.4, 1.5))
    ]
    return flatten(Sum((0.2, 0.5, 0.3), tuple(parts)), schema)


def cell_table(circuit, known, i, j):
    """The joint probability of two columns' levels or cells, each by its own interval or value."""

    def ways(position):
        column = circuit.schema.columns[position]
        if column.is_discrete:
            return [(float(code), None) for code in range(column.n_levels)]
        cells = cells_of(column)
        ends = zip(cells.left.tolist(), cells.right.tolist(), strict=True)
        return [(math.inf, None) if math.isinf(lo) else (math.nan, (lo, hi)) for lo, hi in ends]

    table = np.empty((len(ways(i)), len(ways(j))))
    for a, (value, bounds) in enumerate(ways(i)):
        for b, (other, limits) in enumerate(ways(j)):
            rows = Evidence.nothing(len(circuit.schema))
            rows.values[i], rows.values[j] = value, other
            pairs = {i: bounds, j: limits}
            intervals = {
                p: Interval(np.array([own[0]]), np.array([own[1]]))
                for p, own in pairs.items()
                if own is not None
            }
            event = Evidence(rows.values, {}, intervals)
            both = intersect(circuit.schema, event, known)
            table[a, b] = np.exp(log_likelihood(circuit, both)[0])
    return table / table.sum()


def information(table):
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    there = table > 0.0
    return float((table[there] * np.log(table[there] / expected[there])).sum())


KNOWN = {
    "nothing": {},
    "an interval that cuts cells": {2: Interval(np.array([-0.313]), np.array([1.117]))},
    "no missing cell": {1: Interval(np.array([-1e9]), np.array([1e9]))},
    "an interval of a plain number": {3: Interval(np.array([0.5]), np.array([2.0]))},
}


@pytest.mark.parametrize("intervals", KNOWN.values(), ids=KNOWN)
def test_cells_of_numbers_agree_with_sums_over_all_pairs_of_cells(intervals):
    circuit = scaled_circuit()
    known = Evidence(np.full((4, 1), np.nan), {}, intervals)
    found = mutual_information(circuit, [0, 1, 2], evidence=known)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = information(cell_table(circuit, known, i, j))
        assert found[i, j] == pytest.approx(expected, rel=1e-9)
        assert expected > 1e-3


def test_a_known_number_counts_as_its_cell_and_one_beyond_its_bounds_is_impossible():
    circuit = scaled_circuit()
    values = np.full((4, 1), np.nan)
    values[1] = 7.0
    found = mutual_information(circuit, [0, 2], evidence=Evidence(values))
    parts = posteriors(circuit, Evidence(values), columns=[0])
    entropy_of_levels = -(parts.levels(0) * np.log(parts.levels(0))).sum()
    assert found[0, 0] == pytest.approx(entropy_of_levels)
    assert mutual_information(circuit, [0], evidence=Evidence(values)) == pytest.approx(
        found[:1, :1]
    )
    hard = replace(
        circuit.schema.columns[1],
        scale=find_scale([1, 2, 3] * 9, whole=True, choices=Choices(lower=0.0, upper=5.0)),
        missing="unobserved",
    )
    leaf = Scaled("n", atoms={1: 0.2, 2: 0.3, 3: 0.5})
    small = flatten(leaf * Categorical("c", {0: 0.5, 1: 0.5}), Schema((hard, circuit.schema[0])))
    with pytest.raises(ImpossibleEvidenceError):
        mutual_information(small, [1], evidence=Evidence(np.array([[9.0], [np.nan]])))


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
