"""Sampling: what stays, what is impossible, and what the draws depend on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from random_circuits import agrees, random_circuit, random_evidence
from softlearn.errors import EvidenceError, ImpossibleEvidenceError
from softlearn.leaf import Interval
from softlearn.query import Evidence, log_likelihood, sample, sample_given
from strategies import evidences, small_circuits

some = settings(max_examples=60, deadline=None)


@some
@given(small_circuits())
def test_draws_are_possible(circuit):
    drawn = sample(circuit, 50, np.random.default_rng(0))
    assert drawn.shape == (len(circuit.schema), 50)
    assert np.isfinite(log_likelihood(circuit, Evidence(drawn))).all()


@some
@given(st.data())
def test_draws_agree_with_the_evidence_and_are_possible(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit))
    drawn = sample_given(circuit, evidence, np.random.default_rng(1), n_each=8, impossible="nan")
    possible = np.isfinite(log_likelihood(circuit, evidence))
    assert np.isnan(drawn[:, ~np.repeat(possible, 8)]).all()
    for row in np.flatnonzero(possible):
        mine = drawn[:, 8 * row : 8 * row + 8]
        assert agrees(mine, evidence, row).all()
        assert np.isfinite(log_likelihood(circuit, Evidence(mine))).all()


def test_known_values_stay():
    rng = np.random.default_rng(2)
    circuit = random_circuit(rng, 4, 2, depth=3, zeros=0.0, n_countable=1)
    evidence = random_evidence(circuit, rng, 900)
    drawn = sample_given(circuit, evidence, rng, n_each=3, impossible="nan")
    known = ~np.isnan(evidence.repeat(3).values) & ~np.isnan(drawn)
    assert known.any()
    np.testing.assert_array_equal(drawn[known], evidence.repeat(3).values[known])


def test_same_seed_same_draws_other_seed_other_draws():
    circuit = random_circuit(np.random.default_rng(3), 4, 2, depth=3)
    one, same, other = (sample(circuit, 600, np.random.default_rng(seed)) for seed in (7, 7, 8))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_a_generator_moves_on():
    circuit, rng = zoo.gaussian_pair(), np.random.default_rng(4)
    assert (sample(circuit, 5, rng) != sample(circuit, 5, rng)).all()


def test_draws_of_one_row_differ_from_each_other():
    drawn = sample(zoo.gaussian_pair(), 1000, np.random.default_rng(5))
    assert np.unique(drawn[0]).size == 1000


def test_nothing_is_drawn_when_nothing_is_asked_for():
    assert sample(zoo.xor(), 0, np.random.default_rng(6)).shape == (2, 0)
    none = sample_given(zoo.xor(), Evidence.nothing(2, 0), np.random.default_rng(6), n_each=4)
    assert none.shape == (2, 0)


def test_impossible_evidence_is_an_error_that_names_the_row():
    evidence = Evidence(np.array([[0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(ImpossibleEvidenceError, match="row 1: "):
        sample_given(zoo.xor(), evidence, np.random.default_rng(7), n_each=2)


def test_impossible_rows_are_marked_and_do_not_change_the_others():
    rows = np.array([[0.0, 0.0, np.nan], [np.nan, 0.0, 1.0]])
    drawn = sample_given(
        zoo.xor(), Evidence(rows), np.random.default_rng(8), n_each=2, impossible="nan"
    )
    np.testing.assert_array_equal(drawn, [[0, 0, *[np.nan] * 2, 0, 0], [1, 1, *[np.nan] * 2, 1, 1]])


def test_impossible_intervals_are_marked():
    circuit = zoo.histogram()
    bounds = Interval(np.array([2.0, 5.0, 1.2, -np.inf]), np.array([1.0, 6.0, 1.7, np.inf]))
    evidence = Evidence(np.full((1, 4), np.nan), {}, {0: bounds})
    drawn = sample_given(circuit, evidence, np.random.default_rng(9), impossible="nan")
    np.testing.assert_array_equal(np.isnan(drawn[0]), [True, True, True, False])


def test_evidence_must_fit():
    with pytest.raises(EvidenceError, match="3 columns, the circuit has 2"):
        sample_given(zoo.xor(), Evidence.nothing(3), np.random.default_rng(10))


def test_a_negative_number_of_rows_is_refused():
    with pytest.raises(EvidenceError, match="cannot be negative: -1"):
        sample(zoo.coin(), -1, np.random.default_rng(0))
