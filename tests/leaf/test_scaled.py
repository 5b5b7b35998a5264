"""The scaled leaf against its definition, and what it learns from rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_scale
import scaled_examples
from softlearn.circuit import Scaled, cells_of, flatten
from softlearn.errors import CircuitError, SoftlearnError
from softlearn.leaf import SCALED, LeafOptions
from softlearn.query import Evidence, log_likelihood
from softlearn.table.find_scale import Choices, find_scale
from softlearn.table.schema import Column, Schema

many = settings(max_examples=100, deadline=None)
columns = st.sampled_from(scaled_examples.COLUMNS)
OPTIONS = LeafOptions(smoothing=0.01, deviation_floor=1e-3)


@st.composite
def leaves(draw):
    column = draw(columns)
    return column, draw(scaled_examples.params(column))


@many
@given(leaves())
def test_cells_have_the_probabilities_of_the_definition(made):
    column, params = made
    found = SCALED.on(cells_of(column)).probabilities(params)
    np.testing.assert_allclose(
        found, plain_scale.probabilities(column, tuple(params)), rtol=1e-11, atol=1e-300
    )
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


@many
@given(leaves())
def test_values_have_the_scores_of_the_definition(made):
    column, params = made
    x = np.array(plain_scale.telling_values(column))
    found = np.exp(SCALED.on(cells_of(column)).log_density(params, x))
    expected = [plain_scale.density(column, tuple(params), value) for value in x.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("column", scaled_examples.COLUMNS, ids=lambda column: column.name)
def test_a_leaf_that_learns_the_whole_column_is_near_it(column):
    """Atoms get their frequency, and scores of mean 0 and deviation 1 bend nothing."""
    family = SCALED.on(cells_of(column))
    itself = family.column_itself(scaled_examples.n_atoms(column))
    np.testing.assert_allclose(family.probabilities(itself), cells_of(column).share, rtol=1e-12)
    atoms = cells_of(column).share[cells_of(column).atom]
    unbent = np.array([*atoms, 1.0 - atoms.sum(), 0.0, 0.0, 1.0])
    np.testing.assert_allclose(
        family.probabilities(unbent), cells_of(column).share, rtol=1e-12, atol=1e-15
    )


@many
@given(
    st.lists(st.integers(-40, 400), min_size=3, max_size=60),
    st.lists(st.integers(0, 3), min_size=60, max_size=60),
)
def test_what_was_seen_often_is_likely_and_all_else_is_possible(counts, weights):
    values, weights = np.array(counts, dtype=float), np.array(weights[: len(counts)], dtype=float)
    weights[0] = 1.0
    column = Column("n", "integer", scale=find_scale(values, whole=True))
    family = SCALED.on(cells_of(column))
    params = family.finish(family.summarise(values, weights), OPTIONS)
    assert family.violations(params[None], 0) == []
    price = -family.log_density(params, values[weights > 0.0])
    assert (price < 40.0).all()
    grid = column.scale.step * np.array([-(10.0**9), -(10.0**3), 10.0**3, 10.0**9]) + values.min()
    assert np.isfinite(family.log_density(params, grid)).all()


def test_values_beyond_promised_bounds_are_impossible_and_never_learnt():
    scale = find_scale(np.arange(1.0, 60.0), whole=True, choices=Choices(lower=0.0, upper=99.0))
    family = SCALED.on(cells_of(Column("n", "integer", scale=scale)))
    params = family.finish(family.summarise(np.array([3.0, 50.0]), np.ones(2)), OPTIONS)
    assert np.isneginf(family.log_density(params, np.array([-1.0, 100.0]))).all()
    assert np.isfinite(family.log_density(params, np.array([0.0, 99.0]))).all()
    with pytest.raises(SoftlearnError, match="outside the column's bounds"):
        family.summarise(np.array([3.0, 100.0]), np.ones(2))


def test_a_leaf_written_by_hand_says_what_it_should():
    schema = Schema((Column("n", "integer", scale=plain_scale.WHOLE, missing="modelled"),))
    circuit = flatten(Scaled("n", 0.5, 0.7, atoms={None: 0.25, 2: 0.125}, own=0.5), schema)
    params = (0.125, 0.25, 0.125, 0.5, 0.5, 0.7)
    assert circuit.params.tolist() == pytest.approx(params)
    x = np.array([[-4.0, 2.0, 3.0, np.inf, 77.0]])
    expected = [plain_scale.density(schema.columns[0], params, value) for value in x[0].tolist()]
    assert np.exp(log_likelihood(circuit, Evidence(x))) == pytest.approx(expected, rel=1e-12)


def test_a_leaf_over_a_column_without_a_scale_is_refused():
    with pytest.raises(CircuitError, match="a scaled leaf cannot model the numeric column 'x'"):
        flatten(Scaled("x"), Schema((Column("x", "numeric"),)))
    assert SCALED.violations(np.zeros((2, 5)), 0)[0] == (0, "its column has no scale")


def test_atoms_that_the_scale_lacks_are_refused():
    schema = Schema((Column("n", "integer", scale=plain_scale.WHOLE),))
    with pytest.raises(CircuitError, match=r"names atoms that the schema lacks: \[3"):
        flatten(Scaled("n", atoms={3: 0.5}), schema)
    with pytest.raises(CircuitError, match=r"names atoms that the schema lacks: \[None"):
        flatten(Scaled("n", atoms={None: 0.5}), schema)
