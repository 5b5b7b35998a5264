"""Completions against the best of all worlds; "exact" must never be claimed wrongly."""

import numpy as np
import pytest

from plain_scale import ATOMS, telling_values
from random_circuits import agrees, every_world, random_circuit, random_evidence
from softlearn.circuit import Categorical, Gaussian, Histogram, Product, Scaled, Sum, flatten
from softlearn.errors import ImpossibleEvidenceError
from softlearn.leaf import Interval
from softlearn.query.evidence import Evidence
from softlearn.query.likelihood import log_likelihood
from softlearn.query.most_probable import Completion, most_probable
from softlearn.query.reference import log_likelihood as plain_likelihood
from softlearn.table.schema import Column, Schema


def must_be_sound(circuit, evidence, found: Completion) -> None:
    """What holds for every completion, exact or not."""
    possible = np.isfinite(log_likelihood(circuit, evidence))
    assert (np.isnan(found.values).all(axis=0) == ~possible).all()
    assert np.isneginf(found.log_likelihood[~possible]).all()
    assert not found.exact[~possible].any()
    rows = np.flatnonzero(possible)
    for row in rows:
        assert agrees(found.values[:, [row]], evidence, row).all()
    scored = plain_likelihood(circuit, Evidence(found.values[:, rows]))
    assert found.log_likelihood[rows] == pytest.approx(scored, abs=1e-10)
    assert (found.max_product[rows] <= found.log_likelihood[rows] + 1e-10).all()


@pytest.mark.parametrize("seed", range(60))
def test_exact_completions_are_the_best_of_all_worlds(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(
        rng, 3, 0, 1 + seed % 3, deterministic=seed % 3 == 0, zeros=0.4, n_countable=seed % 4 % 3
    )
    evidence = random_evidence(circuit, rng, 12)
    found = most_probable(circuit, evidence, impossible="nan")
    must_be_sound(circuit, evidence, found)
    worlds = every_world(circuit)
    log_p = log_likelihood(circuit, Evidence(worlds))
    possible = np.isfinite(log_likelihood(circuit, evidence))
    assert seed % 3 or found.exact[possible].all()
    for row in np.flatnonzero(found.exact):
        best = log_p[agrees(worlds, evidence, row)].max()
        assert found.log_likelihood[row] == pytest.approx(best, abs=1e-9)


def test_exactness_is_claimed_at_times_and_not_always():
    exact, best = [], []
    for seed in range(60):
        rng = np.random.default_rng(1000 + seed)
        circuit = random_circuit(rng, 4, 0, 2, zeros=0.0)
        evidence = random_evidence(circuit, rng, 5, unobserved=0.15)
        found = most_probable(circuit, evidence)
        worlds = every_world(circuit)
        log_p = log_likelihood(circuit, Evidence(worlds))
        highest = [log_p[agrees(worlds, evidence, row)].max() for row in range(5)]
        exact.append(found.exact)
        best.append(np.isclose(found.log_likelihood, highest))
    exact, best = np.concatenate(exact), np.concatenate(best)
    assert best[exact].all()
    assert 0.05 < exact.mean() < 0.95
    assert best.mean() < 1.0  # max-product is an approximation, and these circuits show it


@pytest.mark.parametrize("seed", range(20))
def test_no_sampled_point_beats_an_exact_completion(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 2, 2, 3, deterministic=seed % 2 == 0, zeros=0.4, n_countable=1)
    evidence = random_evidence(circuit, rng, 4)
    found = most_probable(circuit, evidence, impossible="nan")
    must_be_sound(circuit, evidence, found)
    for row in np.flatnonzero(found.exact):
        many = points_inside(circuit, evidence, row, rng)
        best = log_likelihood(circuit, Evidence(many)).max(initial=-np.inf)
        assert best <= found.log_likelihood[row] + 1e-9


def points_inside(circuit, evidence: Evidence, row: int, rng) -> np.ndarray:
    """Random rows that fit one row of evidence, and in each continuous column near the leaves."""
    many = np.empty((len(circuit.schema), 4000))
    for i, column in enumerate(circuit.schema.columns):
        if column.is_discrete:
            many[i] = rng.integers(0, column.n_levels, many.shape[1])
        elif column.scale is not None:
            many[i] = rng.choice(telling_values(column), many.shape[1])
        else:
            many[i] = np.where(
                rng.random(many.shape[1]) < 0.5,
                rng.choice(circuit.params, many.shape[1]) + rng.normal(0, 1e-6, many.shape[1]),
                rng.normal(0, 2, many.shape[1]),
            )
    known = evidence.values[:, row]
    many[~np.isnan(known)] = known[~np.isnan(known)][:, None]
    return many[:, agrees(many, evidence, row)]


def test_a_leaf_that_rules_a_region_out_does_not_win_with_a_value_outside_it():
    schema = Schema((Column("n", "integer", scale=ATOMS),))
    leaves = (Scaled("n", atoms={0: 1.0}), Scaled("n", atoms={1: 0.1, 3: 0.9}))
    circuit = flatten(Sum((0.9, 0.1), leaves), schema)
    evidence = Evidence(np.array([[np.nan]]), {}, {0: Interval(np.array([1.0]), np.array([2.5]))})
    found = most_probable(circuit, evidence)
    assert found.values[0, 0] == 1.0
    assert np.exp(found.max_product[0]) == pytest.approx(0.01, rel=1e-12)
    assert found.exact[0]


def test_max_product_is_not_the_best_world_when_branches_add_up():
    # Two branches of 0.3 agree on (1, 1); one of 0.4 is certain of (0, 0).
    def pair(p: float, q: float) -> Product:
        return Categorical("a", {0: 1 - p, 1: p}) * Categorical("b", {0: 1 - q, 1: q})

    circuit = flatten(Sum((0.4, 0.3, 0.3), (pair(0, 0), pair(1, 0.99), pair(0.99, 1))))
    found = most_probable(circuit, Evidence.nothing(2))
    assert found.values[:, 0].tolist() == [0, 0]
    assert np.exp(found.log_likelihood[0]) == pytest.approx(0.4)
    assert not found.exact[0]
    assert np.exp(log_likelihood(circuit, Evidence(np.ones((2, 1))))[0]) > 0.59


def test_the_likelihood_of_a_completion_counts_all_branches():
    circuit = flatten(Sum((0.6, 0.4), (Gaussian("x", 0, 1), Gaussian("x", 0, 2))))
    found = most_probable(circuit, Evidence.nothing(1))
    peak = 1 / np.sqrt(2 * np.pi)
    assert found.values[0, 0] == 0.0
    assert np.exp(found.max_product[0]) == pytest.approx(0.6 * peak)
    assert np.exp(found.log_likelihood[0]) == pytest.approx((0.6 + 0.2) * peak)
    assert found.exact[0]  # both branches are highest at 0, so the bound is reached


def test_modes_lie_inside_sets_and_intervals():
    leaf = Categorical("c", {"a": 0.6, "b": 0.3, "c": 0.1})
    circuit = flatten(Gaussian("x", 1, 1) * leaf * Histogram("h", [0, 1, 3], [0.5, 0.5]))
    low, high = np.array([2.0, -5.0, -np.inf]), np.array([9.0, -4.0, np.inf])
    evidence = Evidence(
        np.full((3, 3), np.nan),
        {1: np.array([[False, True, True], [False, False, True], [True] * 3])},
        {
            0: Interval(low, high),
            2: Interval(np.array([1.5, 0.5, 0.0]), np.array([2.0, 0.75, 3.0])),
        },
    )
    found = most_probable(circuit, evidence)
    assert found.values.tolist() == [[2.0, -4.0, 1.0], [1, 2, 0], [1.5, 0.5, 0.0]]
    assert found.exact.all()


def test_known_rows_stay_as_they_are_and_are_exact():
    rng = np.random.default_rng(2)
    circuit = random_circuit(rng, 3, 2, 3, zeros=0.0)
    values = most_probable(circuit, random_evidence(circuit, rng, 20), impossible="nan").values
    values = values[:, ~np.isnan(values[0])]
    again = most_probable(circuit, Evidence(values))
    assert (again.values == values).all()
    assert again.exact.all()


def test_of_equal_branches_the_first_is_taken():
    leaves = tuple(Categorical("c", {n: float(n == own) for n in "abc"}) for own in "bca")
    circuit = flatten(Sum((1 / 3, 1 / 3, 1 / 3), leaves))
    assert most_probable(circuit, Evidence.nothing(1, 5)).values.tolist() == [[1.0] * 5]


def test_impossible_evidence_is_named_or_marked():
    circuit = flatten(Histogram("x", [0, 1], [1]) * Categorical("c", {0: 0.5, 1: 0.5}))
    nothing_left = np.array([[True, True], [True, True], [False, False]])
    evidence = Evidence(np.array([[np.nan, 4.0, 0.5], [np.nan] * 3]), {1: nothing_left}, {})
    with pytest.raises(ImpossibleEvidenceError, match="row 1"):
        most_probable(circuit, evidence)
    found = most_probable(circuit, evidence, impossible="nan")
    assert np.isnan(found.values).all(axis=0).tolist() == [False, True, True]
    assert np.isneginf(found.log_likelihood).tolist() == [False, True, True]
    assert np.isneginf(found.max_product).tolist() == [False, True, True]
    assert found.exact.tolist() == [True, False, False]


def test_blocks_and_threads_do_not_matter():
    rng = np.random.default_rng(4)
    circuit = random_circuit(rng, 3, 1, 3)
    evidence = random_evidence(circuit, rng, 9000)
    one = most_probable(circuit, evidence, impossible="nan", n_threads=1)
    two = most_probable(circuit, evidence, impossible="nan", n_threads=2)
    some = most_probable(circuit, evidence.rows(slice(700, 707)), impossible="nan")
    for name in ("values", "log_likelihood", "max_product", "exact"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-12, nan_ok=True)
        part = getattr(one, name)[..., 700:707]
        assert getattr(some, name) == pytest.approx(part, rel=1e-12, nan_ok=True)


def test_no_rows_give_no_completions():
    circuit = flatten(Gaussian("x", 0, 1))
    found = most_probable(circuit, Evidence.nothing(1, 0))
    assert found.values.shape == (1, 0)
    assert found.exact.shape == (0,)


def test_thousands_of_columns_do_not_underflow():
    leaves = tuple(Categorical(f"c{i}", {0: 0.4, 1: 0.6}) for i in range(4000))
    found = most_probable(flatten(Product(leaves)), Evidence.nothing(4000))
    assert (found.values == 1.0).all()
    assert found.max_product[0] == pytest.approx(4000 * np.log(0.6), rel=1e-12)
    assert found.exact[0]
