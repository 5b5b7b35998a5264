"""Log-likelihood: the laws of probability, and the fast evaluator against the plain one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import zoo
from random_circuits import random_circuit, random_evidence
from softlearn.circuit import Categorical, Circuit, Gaussian, Leaf, Product, Sum, flatten
from softlearn.leaf import Interval
from softlearn.query import Evidence, log_likelihood, reference
from softlearn.table.schema import Column, Schema
from strategies import evidences, small_circuits
from worlds import agrees, density, every_world, mass_by_quadrature, world_probabilities

many = settings(max_examples=50, deadline=None)
few = settings(max_examples=25, deadline=None)


def probability(circuit, evidence):
    return np.exp(log_likelihood(circuit, evidence))


def must_equal_reference(circuit, evidence, n_threads=None):
    fast = log_likelihood(circuit, evidence, n_threads=n_threads)
    plain = reference.log_likelihood(circuit, evidence)
    assert not np.isnan(fast).any()
    np.testing.assert_array_equal(np.isneginf(fast), np.isneginf(plain))
    possible = np.isfinite(plain)
    np.testing.assert_allclose(fast[possible], plain[possible], rtol=1e-10, atol=1e-10)


# --- Answers worked out by hand -------------------------------------------------------------------


@pytest.mark.parametrize(("name", "known", "answer"), zoo.ANSWERS)
def test_the_zoo_gives_the_answers_worked_out_by_hand(name, known, answer):
    circuit = zoo.ZOO[name]()
    assert probability(circuit, zoo.evidence(circuit, **known))[0] == pytest.approx(
        answer, rel=1e-13, abs=0.0
    )


# --- Laws -----------------------------------------------------------------------------------------


@many
@given(small_circuits(numeric=False, countable=True, max_columns=3))
def test_probabilities_of_all_worlds_add_to_one(circuit):
    assert probability(circuit, Evidence(every_world(circuit))).sum() == pytest.approx(1, abs=1e-12)


@many
@given(small_circuits())
def test_knowing_nothing_has_probability_one(circuit):
    np.testing.assert_allclose(
        log_likelihood(circuit, Evidence.nothing(len(circuit.schema), 2)), 0.0, atol=1e-12
    )


@many
@given(st.data())
def test_a_complete_row_has_the_density_that_the_definition_gives(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit, regions=False))
    values = np.where(np.isnan(evidence.values), 0.0, evidence.values)
    expected = [density(circuit, row) for row in values.T]
    np.testing.assert_allclose(probability(circuit, Evidence(values)), expected, rtol=1e-11)


@many
@given(st.data())
def test_a_marginal_is_a_sum_of_joints(data):
    circuit = data.draw(small_circuits(numeric=False, countable=True, max_columns=3))
    evidence = data.draw(evidences(circuit))
    worlds, joint = world_probabilities(circuit)
    expected = [joint[agrees(worlds, evidence, row)].sum() for row in range(evidence.n_rows)]
    np.testing.assert_allclose(probability(circuit, evidence), expected, atol=1e-13)


@few
@given(st.data())
def test_mixed_evidence_has_the_probability_that_quadrature_finds(data):
    circuit = data.draw(small_circuits(max_columns=2))
    evidence = data.draw(evidences(circuit))
    expected = [mass_by_quadrature(circuit, evidence, row) for row in range(evidence.n_rows)]
    np.testing.assert_allclose(probability(circuit, evidence), expected, rtol=1e-9, atol=1e-14)


@many
@given(st.data())
def test_a_set_of_one_level_is_that_level(data):
    circuit = data.draw(small_circuits(numeric=False))
    evidence = data.draw(evidences(circuit, regions=False))
    column = data.draw(st.integers(0, len(circuit.schema) - 1))
    level = data.draw(st.integers(0, circuit.schema.columns[column].n_levels - 1))
    values = evidence.values.copy()
    values[column] = np.nan
    mask = np.zeros((evidence.n_rows, circuit.schema.columns[column].n_levels), dtype=bool)
    mask[:, level] = True
    as_set = log_likelihood(circuit, Evidence(values, {column: mask}))
    values = values.copy()
    values[column] = level
    np.testing.assert_allclose(as_set, log_likelihood(circuit, Evidence(values)), rtol=1e-12)


@many
@given(st.data())
def test_a_set_is_the_sum_of_its_levels(data):
    circuit = data.draw(small_circuits())
    discrete = [i for i, c in enumerate(circuit.schema.columns) if c.is_discrete]
    assume(discrete)
    evidence = data.draw(evidences(circuit, min_rows=1, max_rows=1))
    column = data.draw(st.sampled_from(discrete))
    n_levels = circuit.schema.columns[column].n_levels
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n_levels, max_size=n_levels)))
    values = evidence.values.copy()
    values[column] = np.nan
    sets = {**evidence.sets, column: mask[None, :]}
    whole = probability(circuit, Evidence(values, sets, evidence.intervals))[0]
    total = 0.0
    for level in np.flatnonzero(mask):
        values = values.copy()
        values[column] = level
        total += probability(circuit, Evidence(values, evidence.sets, evidence.intervals))[0]
    assert whole == pytest.approx(total, rel=1e-12, abs=1e-300)


def just_below(column, x):
    """The end of an interval up to x that leaves out x, where a number can have a probability."""
    if column.scale is None or np.isinf(x):
        return x
    return x - 1e-7 if column.scale.step else np.nextafter(x, -np.inf)


@many
@given(st.data())
def test_an_interval_is_a_difference_of_cumulative_probabilities(data):
    circuit = data.draw(small_circuits())
    numeric = [i for i, c in enumerate(circuit.schema.columns) if not c.is_discrete]
    assume(numeric)
    column = data.draw(st.sampled_from(numeric))
    lo, hi = sorted(data.draw(st.tuples(*[st.integers(-16, 16).map(lambda n: n / 4)] * 2)))
    before = just_below(circuit.schema.columns[column], lo)
    values = np.full((len(circuit.schema), 3), np.nan)
    bounds = Interval(np.array([-np.inf, -np.inf, lo]), np.array([hi, before, hi]))
    to_hi, to_lo, between = probability(circuit, Evidence(values, {}, {column: bounds}))
    assert between == pytest.approx(to_hi - to_lo, abs=1e-13)


@many
@given(st.data())
def test_the_pieces_of_an_interval_add_up(data):
    circuit = data.draw(small_circuits())
    numeric = [i for i, c in enumerate(circuit.schema.columns) if not c.is_discrete]
    assume(numeric)
    column = data.draw(st.sampled_from(numeric))
    evidence = data.draw(evidences(circuit, min_rows=1, max_rows=1))
    values = evidence.values.copy()
    values[column] = np.nan
    inner = data.draw(st.lists(st.integers(-12, 12).map(lambda n: n / 4), max_size=4))
    cuts = [-np.inf, *sorted(inner), np.inf]

    def within(lo, hi):
        bounds = {**evidence.intervals, column: Interval(np.array([lo]), np.array([hi]))}
        return probability(circuit, Evidence(values, evidence.sets, bounds))[0]

    about = circuit.schema.columns[column]
    pieces = sum(within(lo, just_below(about, hi)) for lo, hi in pairwise(cuts))
    assert pieces == pytest.approx(within(-np.inf, np.inf), rel=1e-12, abs=1e-300)


@many
@given(st.data())
def test_the_order_of_rows_changes_nothing(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit, max_rows=6))
    order = np.array(data.draw(st.permutations(range(evidence.n_rows))))
    np.testing.assert_allclose(
        log_likelihood(circuit, evidence.rows(order)),
        log_likelihood(circuit, evidence)[order],
        rtol=1e-12,
        atol=1e-14,
    )


@many
@given(st.data())
def test_a_row_does_not_depend_on_its_neighbours(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit, max_rows=6))
    alone = [
        log_likelihood(circuit, evidence.rows(np.array([row])))[0] for row in range(evidence.n_rows)
    ]
    np.testing.assert_allclose(log_likelihood(circuit, evidence), alone, rtol=1e-12, atol=1e-14)


@many
@given(st.data())
def test_the_order_of_columns_changes_nothing(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit))
    order = data.draw(st.permutations(range(len(circuit.schema))))
    other = reordered(circuit, order)
    moved = Evidence(
        evidence.values[order],
        {order.index(c): mask for c, mask in evidence.sets.items()},
        {order.index(c): bounds for c, bounds in evidence.intervals.items()},
        {order.index(c): numbers for c, numbers in evidence.listed.items()},
    )
    np.testing.assert_allclose(
        log_likelihood(other, moved), log_likelihood(circuit, evidence), rtol=1e-12, atol=1e-14
    )


def reordered(circuit: Circuit, order: list[int]) -> Circuit:
    """The same circuit with its columns in another order."""
    place = np.argsort(order)
    arrays = {
        name: getattr(circuit, name)
        for name in (
            "kind",
            "edge_start",
            "child",
            "weight",
            "leaf_family",
            "param_start",
            "params",
        )
    }
    schema = Schema(tuple(circuit.schema.columns[i] for i in order))
    return Circuit(schema=schema, leaf_column=place[circuit.leaf_column], **arrays)


def test_no_rows_have_no_answers():
    assert log_likelihood(zoo.xor(), Evidence.nothing(2, 0)).shape == (0,)


def test_possible_and_impossible_rows_stand_side_by_side():
    circuit = zoo.xor()
    rows = np.array([[0, 0, 1, 1, np.nan], [0, 1, 0, 1, 0]])
    np.testing.assert_allclose(
        probability(circuit, Evidence(rows)), [0.0, 0.5, 0.5, 0.0, 0.5], rtol=1e-15
    )


def test_evidence_is_left_alone():
    circuit = zoo.xor()
    values, mask = np.array([[0.0, np.nan], [np.nan, 1.0]]), np.array([[True, False], [True, True]])
    before = values.copy(), mask.copy()
    log_likelihood(circuit, Evidence(values, {1: mask}))
    np.testing.assert_array_equal(values, before[0])
    np.testing.assert_array_equal(mask, before[1])


# --- Fast equals plain ----------------------------------------------------------------------------


@many
@given(st.data())
def test_fast_equals_plain_on_small_circuits(data):
    circuit = data.draw(small_circuits())
    must_equal_reference(circuit, data.draw(evidences(circuit, max_rows=5)))


@pytest.mark.parametrize("n_rows", [1, 7, 255, 256, 257, 1000])
@pytest.mark.parametrize("share", [0.0, 0.6], ids=["tree", "dag"])
@pytest.mark.parametrize("n_numeric", [0, 3])
def test_fast_equals_plain_for_any_number_of_rows(n_rows, share, n_numeric):
    rng = np.random.default_rng(n_rows)
    circuit = random_circuit(rng, 6, n_numeric, depth=4, share=share)
    must_equal_reference(circuit, random_evidence(circuit, rng, n_rows))


def categorical(name, probabilities):
    return Leaf(name, "categorical", tuple(np.asarray(probabilities).tolist()))


def half_missing(rng, circuit, n_rows):
    """Values of discrete columns, half of them missing."""
    levels = np.array([c.n_levels for c in circuit.schema.columns])
    values = rng.integers(0, levels[:, None], (levels.size, n_rows)).astype(float)
    values[rng.random(values.shape) < 0.5] = np.nan
    return Evidence(values)


def text_column(name, n_levels):
    return Column(name, "categorical", tuple(f"{i}" for i in range(n_levels)))


def test_a_sum_of_five_hundred_branches():
    rng = np.random.default_rng(0)
    branches = tuple(
        Product(
            (
                Categorical("a", {0: p, 1: 1 - p}),
                Categorical("b", {0: 1 - p, 1: p}),
                Gaussian("x", 4 * p, 0.5),
            )
        )
        for p in rng.random(500)
    )
    circuit = flatten(Sum(tuple(rng.dirichlet(np.ones(500)).tolist()), branches))
    must_equal_reference(circuit, random_evidence(circuit, rng, 300))


@pytest.mark.parametrize("state", ["complete", "half missing", "one column missing"])
def test_a_product_of_1556_columns(state):
    rng = np.random.default_rng(1)
    names = [f"c{i}" for i in range(1556)]
    schema = Schema(tuple(Column(name, "boolean") for name in names))

    def part():
        return Product(
            tuple(categorical(n, [p, 1 - p]) for n, p in zip(names, rng.random(1556), strict=True))
        )

    circuit = flatten(Sum((0.5, 0.5), (part(), part())), schema)
    values = rng.integers(0, 2, (1556, 40)).astype(float)
    if state == "half missing":
        values[rng.random(values.shape) < 0.5] = np.nan
    elif state == "one column missing":
        values[7] = np.nan
    must_equal_reference(circuit, Evidence(values))


def test_a_deep_chain():
    rng = np.random.default_rng(2)
    node = Categorical("a", {0: 0.5, 1: 0.5})
    for p in rng.random(400):
        node = Sum((p, 1 - p), (node, Categorical("a", {0: 1 - p, 1: p})))
    must_equal_reference(flatten(node), Evidence(np.array([[0.0, 1.0, np.nan]])))


def test_leaves_shared_by_sums_and_products_at_once():
    a, b = Categorical("a", {0: 0.3, 1: 0.7}), Categorical("b", {0: 0.6, 1: 0.4})
    x = Gaussian("x", 0, 1)
    mixed = Sum((0.5, 0.5), (a, Categorical("a", {0: 0.9, 1: 0.1})))
    numbers = Sum((0.25, 0.75), (x, Gaussian("x", 2, 1)))
    circuit = flatten(
        Sum((0.2, 0.3, 0.5), (Product((a, b, x)), Product((mixed, b, x)), Product((a, b, numbers))))
    )
    rng = np.random.default_rng(3)
    must_equal_reference(circuit, random_evidence(circuit, rng, 300))


@pytest.mark.parametrize(
    "leaf",
    [Categorical("a", {0: 0.3, 1: 0.7}), Categorical("a", {"u": 1.0}), Gaussian("a", 1, 2)],
    ids=["binary", "one level", "gaussian"],
)
def test_roots_that_are_leaves_and_nodes_with_one_child(leaf):
    rng = np.random.default_rng(4)
    for root in (leaf, Product((leaf,)), Sum((1.0,), (leaf,)), Sum((1.0,), (Product((leaf,)),))):
        circuit = flatten(root)
        must_equal_reference(circuit, random_evidence(circuit, rng, 20))


def test_branches_of_weight_zero_and_branches_that_occur_twice():
    rng = np.random.default_rng(5)
    one = Product((Categorical("a", {0: 0.3, 1: 0.7}), Gaussian("x", 0, 1)))
    two = Product((Categorical("a", {0: 1.0, 1: 0.0}), Gaussian("x", 3, 1)))
    for weights, children in [
        ((0.0, 1.0), (one, two)),
        ((1.0, 0.0, 0.0), (one, two, two)),
        ((0.5, 0.5), (one, one)),
        ((0.25, 0.25, 0.5), (two, one, two)),
    ]:
        circuit = flatten(Sum(weights, children))
        must_equal_reference(circuit, random_evidence(circuit, rng, 30))


@pytest.mark.parametrize("n_levels", [1, 2, 3, 300, 65_534, 65_535, 70_000])
def test_columns_of_few_and_of_very_many_levels(n_levels):
    rng = np.random.default_rng(n_levels)
    schema = Schema((text_column("a", n_levels), Column("b", "boolean")))

    def part(p):
        leaf = categorical("a", rng.dirichlet(np.ones(n_levels)))
        return Product((leaf, categorical("b", [p, 1 - p])))

    circuit = flatten(Sum((0.4, 0.6), (part(0.2), part(0.9))), schema)
    values = half_missing(rng, circuit, 60).values
    values[0, :2] = n_levels - 1, 0
    must_equal_reference(circuit, Evidence(values))
    masks = rng.random((60, n_levels)) < 0.5
    must_equal_reference(circuit, Evidence(values, {0: masks}))


def test_a_block_of_observed_then_missing_then_mixed_rows():
    rng = np.random.default_rng(6)
    circuit = random_circuit(rng, 6, 0, depth=3)
    values = half_missing(rng, circuit, 256 * 3).values
    values[:, :256] = np.where(np.isnan(values[:, :256]), 0.0, values[:, :256])
    values[:, 256:512] = np.nan
    must_equal_reference(circuit, Evidence(values))


def test_leaf_tiles_are_cut_into_segments():
    """More Gaussian leaves than fit a tile, with sums in between."""
    rng = np.random.default_rng(7)

    def part():
        return Product(
            tuple(
                Sum((0.5, 0.5), (Gaussian(f"x{i}", m, 1), Gaussian(f"x{i}", -m, 2)))
                for i, m in enumerate(rng.normal(size=200))
            )
        )

    circuit = flatten(Sum((0.5, 0.5), (part(), part())))
    must_equal_reference(circuit, random_evidence(circuit, rng, 260))
