"""Draws follow the exact distribution.

Every test compares counts with exact probabilities by a chi-square test (or draws with an exact
distribution function by Kolmogorov and Smirnov) and raises a false alarm with probability 1e-6;
seeds are fixed, so a red test stays red.
"""

import numpy as np
import pytest
from scipy.stats import chi2, kstest, norm, truncnorm

import zoo
from random_circuits import random_circuit, random_evidence
from softlearn.circuit import Categorical, Gaussian, Histogram, Product, Sum, flatten
from softlearn.leaf import Interval
from softlearn.query import Evidence, log_likelihood, posteriors, sample, sample_given
from worlds import agrees, world_probabilities

pytestmark = pytest.mark.slow

FALSE_ALARM = 1e-6
N_DRAWS = 100_000
FEWEST_EXPECTED = 5.0  # worlds expected less often are counted together


def must_follow(counts, probabilities):
    """Chi-square test of counts; what is impossible must not occur even once."""
    assert (counts[probabilities == 0.0] == 0).all(), "an impossible world was drawn"
    expected = probabilities * counts.sum() / probabilities.sum()
    rare = expected < FEWEST_EXPECTED
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    counts, expected = counts[expected > 0], expected[expected > 0]
    statistic = ((counts - expected) ** 2 / expected).sum()
    limit = chi2.isf(FALSE_ALARM, max(1, counts.size - 1))
    assert statistic < limit, f"chi-square {statistic:.1f} is beyond {limit:.1f}"


def count_worlds(worlds, drawn):
    """How often each of the worlds (columns, worlds) was drawn; they are in counting order."""
    known = [np.unique(values) for values in worlds]
    places = [np.searchsorted(own, x) for own, x in zip(known, drawn, strict=True)]
    for own, place, x in zip(known, places, drawn, strict=True):
        np.testing.assert_array_equal(own[place], x)  # nothing but values of the column
    place = np.ravel_multi_index(tuple(places), tuple(own.size for own in known))
    return np.bincount(place, minlength=worlds.shape[1])


@pytest.mark.parametrize("name", ["coin", "two_coins", "xor", "dag", "one_leaf", "one_level"])
def test_the_zoo(name):
    circuit = zoo.ZOO[name]()
    worlds, p = world_probabilities(circuit)
    must_follow(count_worlds(worlds, sample(circuit, N_DRAWS, np.random.default_rng(0))), p)


def test_a_sum_of_seven_branches_is_not_biased():
    """A sampler that draws one uniform for each branch gets this wrong."""
    weights = (0.3, 0.0, 0.05, 0.15, 0.25, 0.05, 0.2)
    branches = tuple(
        Categorical("a", {k: float(k == i) for k in range(7)}) for i in range(len(weights))
    )
    circuit = flatten(Sum(weights, branches))
    drawn = sample(circuit, N_DRAWS, np.random.default_rng(1))
    must_follow(np.bincount(drawn[0].astype(int), minlength=7), np.array(weights))


@pytest.mark.parametrize("share", [0.0, 0.7], ids=["tree", "dag"])
@pytest.mark.parametrize("seed", range(3))
def test_random_circuits(seed, share):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 3, 0, depth=4, share=share, zeros=0.3, n_countable=seed)
    worlds, p = world_probabilities(circuit)
    must_follow(count_worlds(worlds, sample(circuit, N_DRAWS, rng)), p)


@pytest.mark.parametrize("seed", range(3))
def test_each_row_follows_its_own_evidence(seed):
    """Values, sets and nothing, mixed over rows; impossible rows are marked."""
    rng = np.random.default_rng(10 + seed)
    circuit = random_circuit(rng, 3, 0, depth=4, share=0.4, zeros=0.3, n_countable=1 + seed % 2)
    evidence = random_evidence(circuit, rng, 12)
    n_each = 20_000
    drawn = sample_given(circuit, evidence, rng, n_each=n_each, impossible="nan")
    worlds, p = world_probabilities(circuit)
    possible = np.isfinite(log_likelihood(circuit, evidence))
    assert possible.any()
    for row in np.flatnonzero(possible):
        mine = drawn[:, row * n_each : (row + 1) * n_each]
        must_follow(count_worlds(worlds, mine), np.where(agrees(worlds, evidence, row), p, 0.0))
    assert np.isnan(drawn[:, np.repeat(~possible, n_each)]).all()


def test_many_rows_of_one_draw_each_follow_the_same_distribution():
    """Rows cross blocks and threads here, draws of one row did so above."""
    rng = np.random.default_rng(20)
    circuit = random_circuit(rng, 4, 0, depth=4, zeros=0.2)
    worlds, p = world_probabilities(circuit)
    given_ = Evidence.nothing(4, N_DRAWS)
    given_.values[0] = np.arange(N_DRAWS) % 2
    drawn = sample_given(circuit, given_, rng, impossible="nan")
    for code in (0.0, 1.0):
        inside = worlds[0] == code
        must_follow(count_worlds(worlds, drawn[:, drawn[0] == code]), np.where(inside, p, 0.0))


def test_posteriors_are_the_frequencies_of_conditional_draws():
    rng = np.random.default_rng(21)
    circuit = random_circuit(rng, 4, 2, depth=3, zeros=0.2)
    evidence = random_evidence(circuit, rng, 6)
    n_each = 20_000
    found = posteriors(circuit, evidence, impossible="nan")
    drawn = sample_given(circuit, evidence, rng, n_each=n_each, impossible="nan")
    for row in np.flatnonzero(np.isfinite(found.log_likelihood)):
        for column, about in enumerate(circuit.schema.columns):
            if about.is_discrete:
                codes = drawn[column, row * n_each : (row + 1) * n_each].astype(int)
                p = found.levels(column)[row]
                p = np.where(p < 1e-15, 0.0, p)
                must_follow(np.bincount(codes, minlength=p.size), p)


def must_be_distributed(drawn, distribution):
    found = kstest(drawn, distribution)
    assert found.pvalue > FALSE_ALARM, found


def test_gaussian_draws():
    drawn = sample(zoo.gaussian_pair(), N_DRAWS, np.random.default_rng(22))
    must_be_distributed(drawn[0], lambda x: 0.5 * norm.cdf(x, -0.5) + 0.5 * norm.cdf(x, 0.5))
    must_be_distributed(drawn[1], lambda y: 0.5 * norm.cdf(y, -2, 0.2) + 0.5 * norm.cdf(y, 2, 0.2))
    # The clusters go together: X | Y > 0 is the right one.
    must_be_distributed(drawn[0, drawn[1] > 0], norm(0.5).cdf)


@pytest.mark.parametrize(
    ("lo", "hi"), [(-0.3, 0.9), (-np.inf, -1.0), (2.0, np.inf), (6.0, 6.5), (-40.0, -39.0)]
)
def test_truncated_gaussian_draws(lo, hi):
    circuit = flatten(Product((Gaussian("x", 0.5, 2.0), Categorical("c", {0: 0.5, 1: 0.5}))))
    evidence = zoo.evidence(circuit, x=(lo, hi))
    drawn = sample_given(circuit, evidence, np.random.default_rng(23), n_each=20_000)
    x = drawn[circuit.schema.index("x")]
    assert ((x >= lo) & (x <= hi)).all()
    must_be_distributed(x, truncnorm((lo - 0.5) / 2, (hi - 0.5) / 2, 0.5, 2.0).cdf)


def test_each_row_has_its_own_interval():
    """A mixture of two truncated Gaussians with the weights that the intervals give them."""
    circuit = zoo.gaussian_pair()
    bounds = [(-2.1, 2.0), (-np.inf, 2.2), (1.9, np.inf)]
    lo, hi = (np.array(side) for side in zip(*bounds, strict=True))
    evidence = Evidence(np.full((2, 3), np.nan), {}, {1: Interval(lo, hi)})
    n_each = 30_000
    drawn = sample_given(circuit, evidence, np.random.default_rng(24), n_each=n_each)
    for row, (a, b) in enumerate(bounds):
        y = drawn[1, row * n_each : (row + 1) * n_each]

        def below(t, a=a, b=b):
            t = np.clip(t, a, b)
            parts = [norm(-2, 0.2), norm(2, 0.2)]
            inside = sum(part.cdf(b) - part.cdf(a) for part in parts)
            return sum(part.cdf(t) - part.cdf(a) for part in parts) / inside

        must_be_distributed(y, below)


def test_histogram_draws():
    circuit = flatten(
        0.5 * Histogram("x", [0, 1, 2, 4], [0.4, 0.0, 0.6]) + 0.5 * Histogram("x", [0, 4], [1.0])
    )
    drawn = sample(circuit, N_DRAWS, np.random.default_rng(25))[0]
    must_be_distributed(
        drawn,
        lambda x: 0.5 * np.interp(x, [0, 1, 2, 4], [0, 0.4, 0.4, 1.0]) + 0.125 * np.clip(x, 0, 4),
    )


def test_the_columns_of_a_product_are_independent():
    circuit = flatten(Product((Gaussian("x", 0, 1), Gaussian("y", 0, 1))))
    x, y = norm.cdf(sample(circuit, N_DRAWS, np.random.default_rng(26)))
    cells = np.bincount((10 * np.floor(10 * x) + np.floor(10 * y)).astype(int), minlength=100)
    must_follow(cells, np.full(100, 0.01))


def test_draws_follow_one_another_without_a_trace():
    """Streams of neighbouring draws are independent: pairs fill the square evenly."""
    u = norm.cdf(sample(flatten(Gaussian("x", 0, 1)), 2 * N_DRAWS, np.random.default_rng(27))[0])
    pairs = np.floor(10 * u).reshape(-1, 2)
    must_follow(
        np.bincount((10 * pairs[:, 0] + pairs[:, 1]).astype(int), minlength=100), np.full(100, 0.01)
    )
