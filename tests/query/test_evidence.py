"""Evidence: what fits, what does not, and how two pieces of it combine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_scale
import zoo
from softlearn.circuit import Categorical, Gaussian, Scaled, flatten
from softlearn.errors import EvidenceError
from softlearn.leaf import Interval
from softlearn.query import Evidence, intersect, log_likelihood
from softlearn.table.schema import Column, Schema
from strategies import evidences, small_circuits

some = settings(max_examples=60, deadline=None)


@st.composite
def pairs(draw, how_many=2, **options):
    circuit = draw(small_circuits(**options))
    n_rows = draw(st.integers(1, 3))
    one = evidences(circuit, min_rows=n_rows, max_rows=n_rows, listed=n_rows == 1)
    return circuit, *(draw(one) for _ in range(how_many))


def test_nothing_knows_nothing():
    nothing = Evidence.nothing(3, 2)
    assert nothing.n_rows == 2
    assert nothing.unobserved().all()
    assert nothing.unobserved().shape == (3, 2)


def test_rows_picks_values_sets_and_intervals_together():
    evidence = Evidence(
        np.array([[0.0, np.nan, 2.0], [1.0, 2.0, np.nan]]),
        {0: np.array([[True, False], [False, True], [True, True]])},
        {1: Interval(np.array([0.0, 1.0, 2.0]), np.array([3.0, 4.0, 5.0]))},
    )
    picked = evidence.rows(np.array([2, 0, 2]))
    np.testing.assert_array_equal(picked.values, [[2.0, 0.0, 2.0], [np.nan, 1.0, np.nan]])
    np.testing.assert_array_equal(picked.sets[0], [[True, True], [True, False], [True, True]])
    np.testing.assert_array_equal(picked.intervals[1].lo, [2.0, 0.0, 2.0])
    np.testing.assert_array_equal(picked.intervals[1].hi, [5.0, 3.0, 5.0])


def test_repeat_puts_copies_side_by_side():
    evidence = Evidence(np.array([[0.0, 1.0]]))
    np.testing.assert_array_equal(evidence.repeat(3).values, [[0, 0, 0, 1, 1, 1]])


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (Evidence(np.zeros((2, 1))), "2 columns, the circuit has 3"),
        (Evidence(np.zeros(3)), r"matrix of values, \(columns, rows\)"),
        (Evidence(np.zeros((3, 1), np.float32)), "float64"),
        (Evidence(np.array([[-1.0], [0.0], [0.0]])), r"'a': -1 is not the code.*\(0 to 1\)"),
        (Evidence(np.array([[2.0], [0.0], [0.0]])), "'a': 2 is not the code"),
        (Evidence(np.array([[0.0], [0.5], [0.0]])), r"'b': 0\.5 is not the code.*\(0 to 2\)"),
        (Evidence(np.array([[0.0], [np.inf], [0.0]])), "'b': infinite value"),
        (Evidence(np.array([[0.0], [0.0], [-np.inf]])), "'x': infinite value"),
        (Evidence(np.zeros((3, 1)), {2: np.ones((1, 2), bool)}), "'x' is numeric: give an interv"),
        (Evidence(np.zeros((3, 1)), {0: np.ones((1, 3), bool)}), r"'a': a set is.*\(1, 2\)"),
        (Evidence(np.zeros((3, 1)), {0: np.ones((2, 2), bool)}), r"found bool \(2, 2\)"),
        (Evidence(np.zeros((3, 1)), {0: np.ones((1, 2))}), "found float64"),
        (Evidence(np.zeros((3, 1)), {3: np.ones((1, 2), bool)}), "about column 3"),
        (Evidence(np.zeros((3, 1)), {-1: np.ones((1, 2), bool)}), "about column -1"),
        (Evidence(np.zeros((3, 1)), {}, {0: Interval(np.zeros(1), np.ones(1))}), "give a set"),
        (Evidence(np.zeros((3, 1)), {}, {2: Interval(np.zeros(1), np.ones(2))}), "two bounds"),
        (Evidence(np.zeros((3, 1)), {}, {2: Interval(np.array([np.nan]), np.ones(1))}), "two bou"),
    ],
)
def test_evidence_that_does_not_fit_is_refused_by_name(evidence, message):
    circuit = flatten(
        Categorical("a", {0: 0.5, 1: 0.5})
        * Categorical("b", {"u": 0.2, "v": 0.3, "w": 0.5})
        * Gaussian("x", 0, 1)
    )
    with pytest.raises(EvidenceError, match=message):
        log_likelihood(circuit, evidence)


def test_different_numbers_of_rows_do_not_intersect():
    circuit = zoo.coin()
    with pytest.raises(EvidenceError, match="1 and 2 rows"):
        intersect(circuit.schema, Evidence.nothing(1, 1), Evidence.nothing(1, 2))


def test_a_missing_cell_is_no_number_at_all():
    column = Column("x", "integer", scale=plain_scale.WHOLE, missing="modelled")
    circuit = flatten(Scaled("x", atoms={None: 0.25}), Schema((column,)))
    missing = Evidence(np.array([[np.inf, np.nan]]))
    end = np.full(2, np.inf)
    number = Evidence(np.full((1, 2), np.nan), {}, {0: Interval(-end, end)})
    for a, b in ((missing, number), (number, missing)):
        found = log_likelihood(circuit, intersect(circuit.schema, a, b))
        assert np.exp(found).tolist() == pytest.approx([0.0, 0.75])


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@some
@given(pairs())
def test_intersection_does_not_depend_on_the_order(drawn):
    circuit, a, b = drawn
    schema = circuit.schema
    close(
        log_likelihood(circuit, intersect(schema, a, b)),
        log_likelihood(circuit, intersect(schema, b, a)),
    )


@some
@given(pairs(3))
def test_intersection_does_not_depend_on_the_grouping(drawn):
    circuit, a, b, c = drawn
    schema = circuit.schema
    close(
        log_likelihood(circuit, intersect(schema, intersect(schema, a, b), c)),
        log_likelihood(circuit, intersect(schema, a, intersect(schema, b, c))),
    )


@some
@given(pairs(1))
def test_intersection_with_itself_or_with_nothing_changes_nothing(drawn):
    circuit, a = drawn
    nothing = Evidence.nothing(*a.values.shape)
    known = log_likelihood(circuit, a)
    close(log_likelihood(circuit, intersect(circuit.schema, a, a)), known)
    close(log_likelihood(circuit, intersect(circuit.schema, a, nothing)), known)
    close(log_likelihood(circuit, intersect(circuit.schema, nothing, a)), known)


@some
@given(pairs(numeric=False, countable=True))
def test_knowing_more_is_never_more_probable(drawn):
    circuit, a, b = drawn
    both = log_likelihood(circuit, intersect(circuit.schema, a, b))
    assert (
        both <= np.minimum(log_likelihood(circuit, a), log_likelihood(circuit, b)) + 1e-12
    ).all()


def test_a_contradiction_is_impossible():
    circuit = zoo.gaussian_pair()
    schema = circuit.schema
    outside = intersect(schema, zoo.evidence(circuit, X=1.0), zoo.evidence(circuit, X=(2.0, 3.0)))
    assert log_likelihood(circuit, outside) == -np.inf
    values = intersect(schema, zoo.evidence(circuit, X=1.0), zoo.evidence(circuit, X=2.0))
    assert log_likelihood(circuit, values) == -np.inf
    coin = zoo.coin()
    sides = intersect(coin.schema, zoo.evidence(coin, coin=0), zoo.evidence(coin, coin=1))
    assert log_likelihood(coin, sides) == -np.inf


def test_a_value_inside_an_interval_stays_a_value():
    circuit = zoo.gaussian_pair()
    value, around = zoo.evidence(circuit, X=1.0), zoo.evidence(circuit, X=(0.0, 3.0))
    both = intersect(circuit.schema, value, around)
    np.testing.assert_array_equal(both.values, value.values)


def test_intersect_leaves_its_arguments_alone():
    circuit = zoo.coin()
    a = Evidence(np.array([[np.nan, 1.0]]), {0: np.array([[True, False], [True, True]])})
    b = Evidence(np.array([[1.0, np.nan]]), {0: np.array([[True, True], [False, True]])})
    before = [a.values.copy(), a.sets[0].copy(), b.values.copy(), b.sets[0].copy()]
    intersect(circuit.schema, a, b)
    for now, then in zip([a.values, a.sets[0], b.values, b.sets[0]], before, strict=True):
        np.testing.assert_array_equal(now, then)
