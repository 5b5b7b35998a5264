"""The circuit of some columns says what the whole circuit says when the others are unobserved."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from softlearn.circuit import marginal, violations
from softlearn.errors import SchemaError
from softlearn.query import Evidence, log_likelihood
from strategies import evidences, small_circuits


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_the_marginal_circuit_equals_the_marginal_by_missing_values(data):
    circuit = data.draw(small_circuits())
    n_columns = len(circuit.schema)
    keep = data.draw(st.lists(st.integers(0, n_columns - 1), min_size=1, unique=True))
    smaller = marginal(circuit, keep)
    assert violations(smaller) == []
    assert smaller.schema.columns == tuple(circuit.schema.columns[i] for i in keep)
    evidence = data.draw(evidences(smaller))
    values = np.full((n_columns, evidence.n_rows), np.nan)
    values[keep] = evidence.values
    spread_out = Evidence(
        values,
        {keep[i]: mask for i, mask in evidence.sets.items()},
        {keep[i]: bounds for i, bounds in evidence.intervals.items()},
        {keep[i]: numbers for i, numbers in evidence.listed.items()},
    )
    np.testing.assert_allclose(
        log_likelihood(smaller, evidence),
        log_likelihood(circuit, spread_out),
        rtol=1e-12,
        atol=1e-13,
    )


@settings(max_examples=30, deadline=None)
@given(small_circuits())
def test_keeping_every_column_keeps_the_size(circuit):
    same = marginal(circuit, range(len(circuit.schema)))
    assert same.n_nodes <= circuit.n_nodes
    assert same.schema.columns == circuit.schema.columns


def test_shared_parts_stay_shared():
    circuit = zoo.dag()
    assert marginal(circuit, [0, 1]).n_edges == circuit.n_edges
    only_b = marginal(circuit, [1])
    assert only_b.n_leaves == 2


def test_a_column_that_does_not_exist_is_refused():
    with pytest.raises(SchemaError, match="between 0 and 1"):
        marginal(zoo.xor(), [2])


def test_negative_positions_are_refused():
    with pytest.raises(SchemaError, match="between 0 and 1"):
        marginal(zoo.xor(), [-1])


@pytest.mark.parametrize("columns", [[], [0, 0]])
def test_no_column_and_the_same_column_twice_are_refused(columns):
    with pytest.raises(SchemaError, match="at least one column, and each only once"):
        marginal(zoo.xor(), columns)
