"""Conditional probabilities: joint minus marginal, the chain rule, and impossible conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from softlearn.errors import EvidenceError, ImpossibleEvidenceError
from softlearn.query import Evidence, conditional_log_probability, intersect, log_likelihood
from strategies import evidences, small_circuits
from worlds import agrees, world_probabilities

some = settings(max_examples=50, deadline=None)


@st.composite
def questions(draw, **options):
    """A circuit, an event and a condition, with as many rows each.

    All rows share a list of numbers, which does not combine with other values in some of them.
    """
    circuit = draw(small_circuits(**options))
    n_rows = draw(st.integers(1, 3))
    one = evidences(circuit, min_rows=n_rows, max_rows=n_rows, listed=n_rows == 1)
    event, given_ = draw(one), draw(one)
    return circuit, event, given_


@some
@given(questions())
def test_a_conditional_is_the_joint_minus_the_marginal(drawn):
    circuit, event, given_ = drawn
    found = conditional_log_probability(circuit, event, given_, impossible="nan")
    joint = log_likelihood(circuit, intersect(circuit.schema, event, given_))
    marginal = log_likelihood(circuit, given_)
    possible = np.isfinite(marginal)
    assert np.isnan(found[~possible]).all()
    expected = (joint - np.where(possible, marginal, 0))[possible]
    np.testing.assert_allclose(found[possible], expected, rtol=1e-7, atol=1e-12)


@some
@given(questions(numeric=False, countable=True, max_columns=3))
def test_a_conditional_is_a_ratio_of_sums_over_worlds(drawn):
    circuit, event, given_ = drawn
    found = np.exp(conditional_log_probability(circuit, event, given_, impossible="nan"))
    worlds, p = world_probabilities(circuit)
    for row in range(event.n_rows):
        inside = agrees(worlds, given_, row)
        both = inside & agrees(worlds, event, row)
        if p[inside].sum() > 0:
            assert found[row] == pytest.approx(p[both].sum() / p[inside].sum(), abs=1e-12)
        else:
            assert np.isnan(found[row])


@some
@given(st.data())
def test_the_chain_rule(data):
    """A complete row's log-probability is the sum of each column's, given those before it."""
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit, regions=False))
    values = np.where(np.isnan(evidence.values), 0.0, evidence.values)
    known, total = np.full_like(values, np.nan), np.zeros(values.shape[1])
    for column in data.draw(st.permutations(range(len(circuit.schema)))):
        event = np.full_like(values, np.nan)
        event[column] = values[column]
        total += conditional_log_probability(
            circuit, Evidence(event), Evidence(known.copy()), impossible="nan"
        )
        known[column] = values[column]
    whole = log_likelihood(circuit, Evidence(values))
    possible = np.isfinite(whole)
    np.testing.assert_allclose(total[possible], whole[possible], rtol=1e-10, atol=1e-12)
    # Beyond the first impossible column everything is NaN, never a number.
    assert (np.isneginf(total[~possible]) | np.isnan(total[~possible])).all()


@some
@given(questions())
def test_what_is_given_is_certain(drawn):
    circuit, _, given_ = drawn
    found = conditional_log_probability(circuit, given_, given_, impossible="nan")
    np.testing.assert_allclose(found[~np.isnan(found)], 0.0, atol=1e-12)


def test_knowing_one_bit_of_xor_settles_the_other():
    circuit = zoo.xor()
    given_ = zoo.evidence(circuit, a=0)
    assert conditional_log_probability(circuit, zoo.evidence(circuit, b=1), given_) == 0.0
    assert conditional_log_probability(circuit, zoo.evidence(circuit, b=0), given_) == -np.inf


def test_an_impossible_condition_is_an_error_that_names_the_row():
    circuit = zoo.xor()
    given_ = Evidence(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]))
    event = Evidence.nothing(2, 3)
    with pytest.raises(ImpossibleEvidenceError, match=r"row 1: .*2 such row"):
        conditional_log_probability(circuit, event, given_)


def test_an_impossible_condition_can_be_marked_instead():
    circuit = zoo.xor()
    given_ = Evidence(np.array([[0.0, 0.0], [1.0, 0.0]]))
    found = conditional_log_probability(circuit, Evidence.nothing(2, 2), given_, impossible="nan")
    np.testing.assert_array_equal(found, [0.0, np.nan])


def test_other_ways_to_treat_the_impossible_are_refused():
    circuit = zoo.xor()
    with pytest.raises(EvidenceError, match="'error' or 'nan', not 'ignore'"):
        conditional_log_probability(
            circuit, Evidence.nothing(2), Evidence.nothing(2), impossible="ignore"
        )
