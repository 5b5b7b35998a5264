"""The scaled leaf against its definition, and what it learns from rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_scale
import scaled_examples
from softlearn.circuit import Scaled, cells_of, flatten
from softlearn.errors import CircuitError, SoftlearnError
from softlearn.estimators import LearnSPN, SoftLearn
from softlearn.leaf import SCALED, GaussianStats, Interval, LeafOptions, ScaledStats
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
    itself = family.column_itself()
    np.testing.assert_allclose(family.probabilities(itself), cells_of(column).share, rtol=1e-12)
    if column.scale.humps:
        return  # their scores are no longer normal
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


@pytest.mark.parametrize("column", scaled_examples.COLUMNS, ids=lambda column: column.name)
def test_many_leaves_are_finished_as_each_of_them(column):
    family, rng = SCALED.on(cells_of(column)), np.random.default_rng(0)
    values = np.array(scaled_examples.values(column))
    each = [family.summarise(values, rng.integers(0, 3, values.size) + 0.5) for _ in range(4)]
    each.append(family.summarise(values[:1], np.ones(1)))
    rest = GaussianStats(*(np.array(field) for field in zip(*(s.rest for s in each), strict=True)))
    atoms, bins = (np.stack([getattr(s, name) for s in each]) for name in ("atoms", "bins"))
    found = family.finish(ScaledStats(atoms, bins, rest), OPTIONS)
    np.testing.assert_allclose(found, [family.finish(s, OPTIONS) for s in each], rtol=1e-12)


def test_bins_follow_the_rows_where_there_are_many_and_the_normal_where_there_are_few():
    rng = np.random.default_rng(0)
    values = rng.normal(size=3000)
    cells = cells_of(Column("x", "numeric", scale=find_scale(values)))
    family = SCALED.on(cells)
    inner = np.abs(values) > 1.0  # a hole that no normal distribution has
    few, many_rows = values[inner][:5], values[inner]
    for rows, least, most in ((few, 0.05, 1.0), (many_rows, 0.0, 0.05)):
        params = family.finish(family.summarise(rows, np.ones(rows.size)), OPTIONS)
        hole = np.exp(family.log_mass(params, Interval(np.array(-0.6), np.array(0.6))))
        assert least < hole < most


def test_a_leaf_tells_most_of_a_thirty_second_part_of_its_column_from_the_next():
    """Cuts move to where the column is thin, so that some of each lies in a bin with the next."""
    values = np.random.default_rng(0).normal(size=4000)
    family = SCALED.on(cells_of(Column("x", "numeric", scale=find_scale(values))))
    place = np.argsort(np.argsort(values)) * 32 // values.size
    rows = values[place % 2 == 0]  # every other thirty-second part
    params = family.finish(family.summarise(rows, np.ones(rows.size)), OPTIONS)
    drawn = family.draw(params, (np.arange(2000) + 0.5) / 2000)
    others = place[np.abs(values - drawn[:, None]).argmin(axis=1)] % 2
    assert others.mean() < 0.25


@pytest.mark.parametrize("learner", [LearnSPN, SoftLearn])
def test_a_leaf_of_one_hump_does_not_reach_into_the_next(learner):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 1000)
    table = np.stack([kind, rng.normal(6.0 * kind), rng.normal(6.0 * kind)], axis=1)
    model = learner(random_state=0).fit(table).model_
    assert model.probability({"1": (None, 3)}, given={"0": 0}) > 0.99
    assert model.probability({"1": (3, None)}, given={"0": 1}) > 0.99
    assert model.probability({"1": (None, 3)}, given={"2": (None, 2)}) > 0.99


@pytest.mark.parametrize("learner", [LearnSPN, SoftLearn])
def test_three_humps_stay_apart(learner):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 900)
    table = rng.normal(np.stack([8.0 * kind, -8.0 * kind, 9.0 * (kind == 1)], axis=1))
    model = learner(random_state=0).fit(table).model_
    for k in range(3):
        given = {"1": (-8 * k - 1, -8 * k + 1)}
        assert model.probability({"0": (8 * k - 4, 8 * k + 4)}, given=given) > 0.97


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
