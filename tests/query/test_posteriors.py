"""Posteriors of all columns from one backward pass: against enumeration, and against one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import truncnorm

import zoo
from random_circuits import random_circuit, random_evidence
from softlearn.circuit import Categorical, Gaussian, Leaf, Product, Sum, flatten
from softlearn.errors import EvidenceError, ImpossibleEvidenceError
from softlearn.leaf import Interval
from softlearn.query import (
    Evidence,
    conditional_log_probability,
    intersect,
    log_likelihood,
    posteriors,
    reference,
)
from softlearn.table.schema import Column, Schema
from strategies import evidences, small_circuits
from worlds import agrees, world_probabilities

many = settings(max_examples=50, deadline=None)


@many
@given(st.data())
def test_levels_are_ratios_of_sums_over_worlds(data):
    circuit = data.draw(small_circuits(numeric=False, countable=True, max_columns=3))
    evidence = data.draw(evidences(circuit))
    found = posteriors(circuit, evidence, impossible="nan")
    worlds, p = world_probabilities(circuit)
    for row in range(evidence.n_rows):
        inside = agrees(worlds, evidence, row)
        total = p[inside].sum()
        for column, codes in enumerate(worlds):
            if not circuit.schema.columns[column].is_discrete:
                continue
            levels = found.levels(column)[row]
            if total == 0:
                assert np.isnan(levels).all()
                continue
            expected = [p[inside & (codes == k)].sum() / total for k in range(levels.size)]
            np.testing.assert_allclose(levels, expected, atol=1e-12)


def one_level_each(circuit, evidence, column):
    """The posterior of a column, by one conditional question for each level."""
    n_levels = circuit.schema.columns[column].n_levels
    answers = []
    for level in range(n_levels):
        event = np.full_like(evidence.values, np.nan)
        event[column] = level
        answers.append(
            np.exp(
                conditional_log_probability(circuit, Evidence(event), evidence, impossible="nan")
            )
        )
    return np.stack(answers, axis=1)


@many
@given(st.data())
def test_levels_equal_conditional_probabilities_and_add_to_one(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit))
    found = posteriors(circuit, evidence, impossible="nan")
    for column, about in enumerate(circuit.schema.columns):
        if about.is_discrete:
            levels = found.levels(column)
            np.testing.assert_allclose(
                levels, one_level_each(circuit, evidence, column), rtol=1e-9, atol=1e-12
            )
            possible = np.isfinite(found.log_likelihood)
            np.testing.assert_allclose(levels[possible].sum(axis=1), 1.0, atol=1e-12)


@many
@given(st.data())
def test_leaf_weights_add_to_one_and_give_every_interval_its_probability(data):
    circuit = data.draw(small_circuits())
    # A list of numbers, which all rows share, does not combine with an interval in some of them.
    evidence = data.draw(evidences(circuit, listed=False))
    found = posteriors(circuit, evidence, impossible="nan")
    possible = np.isfinite(found.log_likelihood)
    for column, about in enumerate(circuit.schema.columns):
        if about.is_discrete:
            continue
        leaves, weights = found.leaves(column)
        np.testing.assert_allclose(weights[possible].sum(axis=1), 1.0, atol=1e-12)
        free = possible & np.isnan(evidence.values[column]) & (column not in evidence.intervals)
        half_line = Interval(np.full(evidence.n_rows, 0.5), np.full(evidence.n_rows, np.inf))
        nothing = Evidence.nothing(*evidence.values.shape)
        event = Evidence(nothing.values, {}, {column: half_line})
        of_leaves = np.exp(reference.node_log_values(circuit, event)[leaves]).T
        conditional = conditional_log_probability(circuit, event, evidence, impossible="nan")
        np.testing.assert_allclose(
            (weights * of_leaves).sum(axis=1)[free], np.exp(conditional)[free], atol=1e-12
        )


@many
@given(st.data())
def test_the_log_likelihood_comes_along(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit))
    np.testing.assert_allclose(
        posteriors(circuit, evidence, impossible="nan").log_likelihood,
        log_likelihood(circuit, evidence),
        rtol=1e-12,
        atol=1e-13,
    )


def gaussian_mixture():
    return flatten(
        0.25 * (Gaussian("x", -3, 1) * Categorical("c", {"l": 0.9, "r": 0.1}))
        + 0.75 * (Gaussian("x", 5, 2) * Categorical("c", {"l": 0.2, "r": 0.8}))
    )


def test_leaf_weights_give_the_posterior_mean_of_a_mixture():
    circuit = gaussian_mixture()
    leaves, weights = posteriors(circuit, zoo.evidence(circuit, c="l")).leaves(
        circuit.schema.index("x")
    )
    means = circuit.params[circuit.param_start[leaves]]
    left, right = 0.25 * 0.9, 0.75 * 0.2
    assert weights @ means == pytest.approx((-3 * left + 5 * right) / (left + right), rel=1e-13)


def test_leaf_weights_under_an_interval_weigh_truncated_leaves():
    circuit = gaussian_mixture()
    evidence = zoo.evidence(circuit, x=(0.0, 4.0))
    leaves, weights = posteriors(circuit, evidence).leaves(circuit.schema.index("x"))
    parts = [truncnorm(3, 7, -3, 1), truncnorm(-2.5, -0.5, 5, 2)]
    masses = np.exp(reference.node_log_values(circuit, evidence)[leaves, 0])
    shares = np.array([0.25, 0.75]) * masses
    np.testing.assert_allclose(weights[0], shares / shares.sum(), rtol=1e-12)
    grid = np.linspace(0, 4, 200_001)
    density = np.exp(
        log_likelihood(circuit, Evidence(np.stack([grid, np.full(grid.size, np.nan)])))
    )
    brute = np.trapezoid(grid * density, grid) / np.trapezoid(density, grid)
    assert weights[0] @ [part.mean() for part in parts] == pytest.approx(brute, rel=1e-8)


def test_a_leaf_in_many_places_collects_all_its_flow():
    shared = Gaussian("x", 0, 1)
    a = [Categorical("a", {0: p, 1: 1 - p}) for p in (0.1, 0.5, 0.9)]
    circuit = flatten(
        Sum(
            (0.2, 0.3, 0.5),
            (
                Product((a[0], shared)),
                Product((a[1], shared)),
                Product((a[2], Gaussian("x", 2, 1))),
            ),
        )
    )
    leaves, weights = posteriors(circuit, zoo.evidence(circuit, a=0)).leaves(
        circuit.schema.index("x")
    )
    parts = np.array([0.2 * 0.1 + 0.3 * 0.5, 0.5 * 0.9])
    order = np.argsort(circuit.params[circuit.param_start[leaves]])
    np.testing.assert_allclose(weights[0, order], parts / parts.sum(), rtol=1e-13)


def test_a_leaf_below_a_sum_and_a_product_at_once_is_not_counted_twice():
    leaf = Gaussian("x", 0, 1)
    mixed = Sum((0.5, 0.5), (leaf, Gaussian("x", 4, 1)))
    a = [Categorical("a", {0: p, 1: 1 - p}) for p in (0.2, 0.7)]
    circuit = flatten(Sum((0.4, 0.6), (Product((a[0], leaf)), Product((a[1], mixed)))))
    leaves, weights = posteriors(circuit, zoo.evidence(circuit, a=0)).leaves(
        circuit.schema.index("x")
    )
    direct, through = 0.4 * 0.2, 0.6 * 0.7
    parts = np.array([direct + 0.5 * through, 0.5 * through])
    order = np.argsort(circuit.params[circuit.param_start[leaves]])
    np.testing.assert_allclose(weights[0, order], parts / parts.sum(), rtol=1e-13)


def test_known_values_are_certain():
    found = posteriors(zoo.dag(), zoo.evidence(zoo.dag(), a=1))
    np.testing.assert_array_equal(found.levels(0), [[0.0, 1.0]])


def test_one_bit_of_xor_settles_the_other():
    found = posteriors(zoo.xor(), Evidence(np.array([[0.0, 1.0, np.nan], [np.nan] * 3])))
    np.testing.assert_allclose(found.levels(1), [[0, 1], [1, 0], [0.5, 0.5]], atol=1e-15)


def test_only_some_columns():
    rng = np.random.default_rng(0)
    circuit = random_circuit(rng, 4, 2, depth=3, n_countable=1)
    evidence = random_evidence(circuit, rng, 50)
    whole = posteriors(circuit, evidence, impossible="nan")
    for column, about in enumerate(circuit.schema.columns):
        some = posteriors(circuit, evidence, columns=[column], impossible="nan")
        if about.is_discrete:
            np.testing.assert_array_equal(some.levels(column), whole.levels(column))
        else:
            np.testing.assert_array_equal(some.leaves(column)[1], whole.leaves(column)[1])


def test_a_column_that_was_not_asked_for_is_refused():
    found = posteriors(zoo.dag(), Evidence.nothing(2), columns=[1])
    with pytest.raises(EvidenceError, match="no posterior of column 'a' was asked for"):
        found.levels(0)


def test_continuous_columns_have_leaves_and_discrete_ones_levels():
    circuit = gaussian_mixture()
    found = posteriors(circuit, Evidence.nothing(2))
    with pytest.raises(EvidenceError, match="'x' is numeric: ask for leaves"):
        found.levels(circuit.schema.index("x"))
    with pytest.raises(EvidenceError, match="'c' is categorical: ask for levels"):
        found.leaves(circuit.schema.index("c"))


def test_impossible_evidence_is_an_error_that_names_the_row():
    with pytest.raises(ImpossibleEvidenceError, match=r"row 2: .*1 such row"):
        posteriors(zoo.xor(), Evidence(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])))


def test_impossible_rows_are_marked_and_leave_their_neighbours_alone():
    rng = np.random.default_rng(1)
    circuit = random_circuit(rng, 4, 2, depth=3, deterministic=True)
    evidence = random_evidence(circuit, rng, 700, unobserved=0.2)
    found = posteriors(circuit, evidence, impossible="nan")
    impossible = np.isneginf(found.log_likelihood)
    assert 0 < impossible.sum() < 700
    assert np.isnan(found.table[:, impossible]).all()
    assert np.isfinite(found.table[:, ~impossible]).all()
    alone = posteriors(circuit, evidence.rows(np.flatnonzero(~impossible)))
    np.testing.assert_allclose(found.table[:, ~impossible], alone.table, rtol=1e-10, atol=1e-14)


def test_a_set_that_leaves_nothing_is_impossible():
    circuit = zoo.dag()
    with pytest.raises(ImpossibleEvidenceError, match="row 0"):
        posteriors(circuit, zoo.evidence(circuit, a=set()))


def test_no_rows_have_no_posteriors():
    assert posteriors(zoo.dag(), Evidence.nothing(2, 0)).levels(0).shape == (0, 2)


def test_evidence_must_fit():
    with pytest.raises(EvidenceError, match="2 is not the code"):
        posteriors(zoo.dag(), Evidence(np.array([[2.0], [np.nan]])))


@pytest.mark.parametrize("n_levels", [1, 2, 3, 300, 70_000])
def test_columns_of_few_and_of_very_many_levels(n_levels):
    rng = np.random.default_rng(n_levels)
    schema = Schema(
        (
            Column("a", "categorical", tuple(f"{i}" for i in range(n_levels))),
            Column("b", "boolean"),
        )
    )
    p = rng.dirichlet(np.ones(n_levels), size=2)
    branches = [
        Product(
            (Leaf("a", "categorical", tuple(p[i].tolist())), Leaf("b", "categorical", (q, 1 - q)))
        )
        for i, q in enumerate((0.2, 0.9))
    ]
    circuit = flatten(Sum((0.4, 0.6), tuple(branches)), schema)
    mask = rng.random((2, n_levels)) < 0.5
    mask[:, 0] = True
    evidence = Evidence(np.array([[np.nan, np.nan], [0.0, np.nan]]), {0: mask})
    found = posteriors(circuit, evidence)
    expected = np.array([[0.4 * 0.2, 0.6 * 0.9], [0.4, 0.6]]) @ p * mask
    np.testing.assert_allclose(
        found.levels(0), expected / expected.sum(axis=1, keepdims=True), rtol=1e-11
    )


def test_intersecting_first_gives_the_same_posterior():
    """Evidence that was combined speaks in sets where it spoke in values."""
    rng = np.random.default_rng(2)
    circuit = random_circuit(rng, 5, 1, depth=3, zeros=0.0)
    evidence = random_evidence(circuit, rng, 80)
    twice = intersect(circuit.schema, evidence, evidence)
    one = posteriors(circuit, evidence, impossible="nan")
    other = posteriors(circuit, twice, impossible="nan")
    np.testing.assert_allclose(one.table, other.table, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("column", [-1, 7])
def test_columns_that_do_not_exist_are_refused(column):
    with pytest.raises(EvidenceError, match=f"there is no column {column}"):
        posteriors(zoo.coin(), Evidence.nothing(1), columns=[column])
