"""Values far beyond the range of float64: nothing underflows, overflows or turns into a floor.

Every test makes sure that it really leaves the plain range: that the plan has exponents, and that
some slot used them.
"""

import numpy as np
import pytest
from scipy.special import logsumexp

from random_circuits import random_evidence
from softlearn.circuit import Categorical, Gaussian, Histogram, Leaf, Product, Sum, flatten
from softlearn.leaf import Interval
from softlearn.query import Evidence, log_likelihood, posteriors, reference, sample, sample_given
from softlearn.query.leaves import log_values
from softlearn.query.plan import plan_for
from softlearn.query.workspace import Workspace, batch_of
from softlearn.table.schema import Column, Schema

N_WIDE = 1556  # columns of the widest of the twenty binary datasets


def scaled_slots(circuit, evidence):
    """How many slots used exponents, in a trace."""
    plan = plan_for(circuit, trace=True)
    assert plan.needs_exponents
    space = Workspace(
        plan, evidence, batch_of(circuit.schema, plan.shape.columns, evidence), evidence.n_rows
    )
    space.run(0, evidence.n_rows, log_values)
    return int(space.block.values.scaled.sum())


def must_survive(circuit, evidence, *, rtol=1e-10):
    """Fast equals plain, beyond the plain range; and so does the trace."""
    assert scaled_slots(circuit, evidence) > 0
    plain = reference.log_likelihood(circuit, evidence)
    fast = log_likelihood(circuit, evidence)
    np.testing.assert_allclose(fast, plain, rtol=rtol, atol=1e-9)
    found = posteriors(circuit, evidence, impossible="nan")
    np.testing.assert_allclose(found.log_likelihood, plain, rtol=rtol, atol=1e-9)
    possible = np.isfinite(plain)
    for column, about in enumerate(circuit.schema.columns):
        shares = found.levels(column) if about.is_discrete else found.leaves(column)[1]
        np.testing.assert_allclose(shares[possible].sum(axis=1), 1.0, atol=1e-9)
    return fast


def coins(p, n, lead=None):
    """A product of n coins; the first one may differ."""
    chance = [p if i or lead is None else lead for i in range(n)]
    return Product(tuple(Categorical(f"c{i}", {0: q, 1: 1 - q}) for i, q in enumerate(chance)))


def zeros(circuit, n_rows=1):
    return Evidence(np.zeros((len(circuit.schema), n_rows)))


def test_1556_columns_do_not_underflow():
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(N_WIDE)]
    schema = Schema(tuple(Column(name, "boolean") for name in names))
    parts = tuple(
        Product(
            tuple(
                Leaf(name, "categorical", (q, 1 - q))
                for name, q in zip(names, rng.uniform(0.01, 0.99, N_WIDE).tolist(), strict=True)
            )
        )
        for _ in range(4)
    )
    circuit = flatten(Sum((0.1, 0.2, 0.3, 0.4), parts), schema)
    values = rng.integers(0, 2, (N_WIDE, 300)).astype(float)
    values[:, ::3] = np.where(rng.random(values[:, ::3].shape) < 0.5, np.nan, values[:, ::3])
    values[:, 5] = np.nan
    found = must_survive(circuit, Evidence(values[:, :40]))
    assert (found[:5] < -700).any()  # beyond exp's underflow
    np.testing.assert_allclose(
        log_likelihood(circuit, Evidence(values)),
        reference.log_likelihood(circuit, Evidence(values)),
        rtol=1e-10,
        atol=1e-10,
    )


@pytest.mark.parametrize("tiny", [1e-89, 1e-91, 1e-300, 5e-324])
@pytest.mark.parametrize("n_levels", [2, 3])
def test_leaves_that_give_a_level_next_to_no_probability(tiny, n_levels):
    levels = "abc"[:n_levels]
    schema = Schema(tuple(Column(name, "categorical", tuple(levels)) for name in "xyz"))

    def part(order):
        p = [0.5, 0.5, tiny] if n_levels == 3 else [1.0, tiny]
        return Product(
            tuple(
                Leaf(name, "categorical", tuple(p[i] for i in order), tuple(levels))
                for name in "xyz"
            )
        )

    order = list(range(n_levels))
    circuit = flatten(Sum((0.5, 0.5), (part(order), part(order))), schema)
    last = float(n_levels - 1)
    values = np.array([[last, 0.0, last, np.nan], [last, last, 0.0, last], [last, 0.0, 0.0, last]])
    evidence = Evidence(values, {0: np.eye(n_levels, dtype=bool)[[n_levels - 1] * 4]})
    found = must_survive(circuit, evidence)
    assert found[0] == pytest.approx(3 * np.log(tiny), rel=1e-12)
    assert found[3] == pytest.approx(3 * np.log(tiny), rel=1e-12)


def test_leaves_of_tiny_and_of_ordinary_probabilities_in_one_column():
    schema = Schema((Column("a", "boolean"), Column("b", "boolean")))
    rare = Product((Leaf("a", "categorical", (1.0, 1e-200)), Leaf("b", "categorical", (0.5, 0.5))))
    fair = Product((Leaf("a", "categorical", (0.5, 0.5)), Leaf("b", "categorical", (1.0, 1e-250))))
    circuit = flatten(Sum((0.5, 0.5), (rare, fair)), schema)
    codes = np.array([[0, 0, 1, 1, np.nan, 1], [0, 1, 0, 1, 1, np.nan]], dtype=float)
    must_survive(circuit, Evidence(codes))


@pytest.mark.parametrize("weight", [1e-150, 1e-181, 1e-300, 5e-324])
@pytest.mark.parametrize("n", [2, 399, 401, 1000])
def test_weights_next_to_zero_count_where_everything_else_is_impossible(weight, n):
    """Also when the branch is as small as a plain value may be: 2**-400."""
    schema = Schema(
        (*(Column(f"c{i}", "boolean", (0, 1)) for i in range(n)), Column("z", "boolean", (0, 1)))
    )

    def part(lead, z):
        return Product((*coins(0.5, n, lead).children, Categorical("z", {z: 1.0, 1 - z: 0.0})))

    circuit = flatten(Sum((1.0, weight), (part(1.0, 0), part(0.0, 1))), schema)
    values = np.zeros((n + 1, 3))
    values[0] = [1.0, 0.0, np.nan]
    values[n] = np.nan
    evidence = Evidence(values)
    if weight < 1e-180 or n > 400:
        assert scaled_slots(circuit, evidence) > 0
    expected = (n - 1) * np.log(0.5) + np.array([np.log(weight), 0.0, 0.0])
    np.testing.assert_allclose(log_likelihood(circuit, evidence), expected, rtol=1e-12)
    found = posteriors(circuit, evidence)
    np.testing.assert_allclose(found.levels(n), [[0, 1], [1, 0], [1, 0]], atol=1e-15)
    drawn = sample_given(circuit, evidence, np.random.default_rng(0), n_each=20)[n]
    np.testing.assert_array_equal(drawn, np.repeat([1.0, 0.0, 0.0], 20))


@pytest.mark.parametrize("far", [1e2, 1e3, 1e6, 2e6, 1e9, 1e10, 1e50, 1e150])
def test_gaussians_however_far_away(far):
    """An outlier of two million deviations once had log-likelihood 0 in a mixture."""
    circuit = flatten(
        0.25 * (Gaussian("x", 0, 1) * Gaussian("y", 0, 1))
        + 0.75 * (Gaussian("x", 1, 1) * Gaussian("y", 0, 2))
    )
    values = np.array([[far, -far, 0.0, far, np.nan], [0.0, far, 0.0, np.nan, far]])
    found = must_survive(circuit, Evidence(values))
    assert (found[[0, 1, 3, 4]] < -0.1 * far**2).all()


@pytest.mark.parametrize("deviation", [1e-150, 1e150, 3e-308, 1e300])
def test_densities_that_overflow_or_vanish(deviation):
    names = "uvwxyz"

    def part(mean):
        return Product(tuple(Gaussian(name, mean, deviation) for name in names))

    circuit = flatten(Sum((0.5, 0.5), (part(0.0), part(deviation))))
    rng = np.random.default_rng(1)
    values = rng.normal(size=(6, 50)) * deviation
    values[rng.random(values.shape) < 0.2] = np.nan
    found = must_survive(circuit, Evidence(values))
    complete = ~np.isnan(values).any(axis=0)
    assert (np.abs(found[complete]) > 1000).all()


def test_a_narrow_bin_is_a_density_beyond_float64():
    circuit = flatten(
        Sum((0.5, 0.5), (Histogram("x", [0, 1e-310, 1], [0.5, 0.5]), Histogram("x", [0, 1], [1])))
    )
    found = must_survive(circuit, Evidence(np.array([[0.0, 0.5, np.nan, 2.0]])))
    assert found[0] == pytest.approx(np.log(0.25) - np.log(1e-310), rel=1e-12)


def test_large_and_small_densities_cancel_in_a_product():
    def mixture(names, deviation):
        part = Product(tuple(Gaussian(name, 0, deviation) for name in names))
        return Sum((0.5, 0.5), (part, part))

    names = [f"x{i}" for i in range(60)]
    circuit = flatten(mixture(names[:30], 2.0**-90) * mixture(names[30:], 2.0**90))
    found = must_survive(circuit, Evidence(np.zeros((60, 3))))
    np.testing.assert_allclose(found, -30 * np.log(2 * np.pi), rtol=1e-10)


def test_a_plain_value_near_the_end_of_the_range_is_not_drowned_by_nothing():
    """2**-996 without an exponent, plus 2**396 with an exponent of -700 000, is 2**-996."""

    def part(deviation, mean):
        return Product((*(Gaussian(n, 0, deviation) for n in "abcd"), Gaussian("e", mean, 1)))

    weight = 2.0**-599
    parts = (part(2.0**97, 0), part(2.0**97, 0), part(2.0**-99, 1e3))
    circuit = flatten(Sum((weight, weight, 1.0), parts))
    must_survive(circuit, Evidence(np.zeros((5, 1))))


def test_exponents_add_up_to_a_million_bits():
    n = 5000
    names = [f"x{i}" for i in range(n)]
    one = Product(tuple(Gaussian(name, 0, 1) for name in names))
    two = Product(tuple(Gaussian(name, 0.001, 1) for name in names))
    circuit = flatten(Sum((0.5, 0.5), (one, two)))
    values = np.full((n, 3), 20.0)
    values[:, 1] = -20.0
    values[:, 2] = 0.0
    found = must_survive(circuit, Evidence(values))
    assert found[0] / np.log(2) < -1e6


def test_a_chain_of_sums_whose_values_shrink_step_by_step():
    node = Categorical("c0", {0: 0.5, 1: 0.5})
    for i in range(1, 1500):
        low, high = (Categorical(f"c{i}", {0: p, 1: 1 - p}) for p in (1e-4, 2e-4))
        node = Sum((0.3, 0.7), (Product((low, node)), Product((high, node))))
    circuit = flatten(node)
    found = must_survive(circuit, zeros(circuit, 2))
    assert found[0] == pytest.approx(np.log(0.5) + 1499 * np.log(0.3e-4 + 1.4e-4), rel=1e-12)


def test_tiny_rows_impossible_rows_and_ordinary_rows_in_one_block():
    n = 600
    circuit = flatten(Sum((0.5, 0.5), (coins(1e-3, n, 0.0), coins(2e-3, n, 0.0))))
    values = np.full((n, 256), np.nan)
    values[:, 0::4] = 0.0  # impossible: the first coin never shows 0
    values[0, 1::4] = 1.0
    values[1:, 1::4] = 0.0  # tiny
    values[:, 2::4] = 1.0  # ordinary
    found = must_survive(circuit, Evidence(values))
    assert np.isneginf(found[0::4]).all()
    assert (found[1::4] < -3000).all()
    assert (np.abs(found[2::4]) < 2).all()
    np.testing.assert_allclose(found[3::4], 0.0, atol=1e-12)


def test_posteriors_of_branches_that_differ_by_a_thousand_bits():
    n = 1200
    schema = Schema(
        (*(Column(f"c{i}", "boolean", (0, 1)) for i in range(n)), Column("z", "boolean", (0, 1)))
    )
    chances = (0.25, 0.2500001, 0.1)
    parts = tuple(
        Product((*coins(p, n).children, Categorical("z", {0: q, 1: 1 - q})))
        for p, q in zip(chances, (0.9, 0.2, 0.5), strict=True)
    )
    circuit = flatten(Sum((0.3, 0.3, 0.4), parts), schema)
    evidence = Evidence(np.append(np.zeros(n), np.nan)[:, None])
    assert scaled_slots(circuit, evidence) > 0
    logs = np.log([0.3, 0.3, 0.4]) + n * np.log(chances)
    shares = np.exp(logs - logsumexp(logs))
    expected = shares @ [0.9, 0.2, 0.5]
    assert posteriors(circuit, evidence).levels(n)[0, 0] == pytest.approx(expected, rel=1e-9)
    n_draws = 20_000
    drawn = sample_given(circuit, evidence, np.random.default_rng(3), n_each=n_draws)[n]
    # Five standard errors: a false alarm in 2 million.
    assert abs((drawn == 0).mean() - expected) < 5 * np.sqrt(expected * (1 - expected) / n_draws)


def test_samples_of_a_wide_circuit_have_the_right_branch():
    n = 1556
    circuit = flatten(Sum((0.5, 0.5), (coins(1.0, n), coins(0.0, n))))
    drawn = sample(circuit, 500, np.random.default_rng(4))
    assert ((drawn == drawn[0]).all(axis=0)).all()
    assert 150 < drawn[0].sum() < 350


def test_a_shared_part_far_out_of_range():
    shared = coins(1e-3, 500)
    other = coins(2e-3, 500)
    z = [Categorical("z", {0: p, 1: 1 - p}) for p in (0.1, 0.6, 0.9)]
    mixed = Sum((0.5, 0.5), (shared, other))
    circuit = flatten(
        Sum(
            (0.2, 0.3, 0.5),
            (Product((z[0], shared)), Product((z[1], mixed)), Product((z[2], shared))),
        )
    )
    rng = np.random.default_rng(5)
    values = np.zeros((501, 100))
    values[rng.random(values.shape) < 0.3] = np.nan
    must_survive(circuit, Evidence(values))


def test_sets_and_intervals_of_tiny_probability():
    circuit = flatten(
        0.5 * (Gaussian("x", 0, 1) * Gaussian("y", 0, 1))
        + 0.5 * (Gaussian("x", 1, 1) * Gaussian("y", 3, 1))
    )
    rng = np.random.default_rng(6)
    evidence = random_evidence(circuit, rng, 50, unobserved=0.0)
    far = {c: Interval(i.lo + 60, i.hi + 61) for c, i in evidence.intervals.items()}
    must_survive(circuit, Evidence(evidence.values * 60, {}, far))
