"""Evidence out to a billion deviations: probabilities add up, and means lie in their intervals."""

from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.circuit import Categorical, Gaussian, Histogram, Product, Sum, flatten
from softlearn.errors import EvidenceError
from softlearn.leaf import GAUSSIAN, Interval, Known, log_ratio
from softlearn.model import Model
from softlearn.query import (
    Evidence,
    conditional_log_probability,
    covariance,
    mean,
    moment,
    posteriors,
    sample_given,
    variance,
)

some = settings(max_examples=120, deadline=None)
LEVELS = ("no", "yes", "maybe")
MEANS = st.sampled_from([0.0, 1.0, -3.0, 1e-9, 0.5, 7.25])
DEVIATIONS = st.sampled_from([1.0, 2.0, 0.5, 1e-3, 1.0 + 1e-9, np.nextafter(1.0, 2.0)])


@st.composite
def mixtures(draw, *, names="xy"):
    """Two to four branches of Gaussian leaves over x and y, and a leaf over three levels."""
    n = draw(st.integers(2, 4))
    raw = [draw(st.integers(1, 9)) for _ in range(n)]
    branches = []
    for _ in range(n):
        chance = [draw(st.integers(1, 9)) for _ in LEVELS]
        level = Categorical("c", dict(zip(LEVELS, np.divide(chance, sum(chance)), strict=True)))
        leaves = [Gaussian(name, draw(MEANS), draw(DEVIATIONS)) for name in names]
        branches.append(Product((*leaves, level)))
    return flatten(Sum(tuple(w / sum(raw) for w in raw), tuple(branches)))


@st.composite
def far_values(draw):
    """A number up to a billion away, on either side."""
    return (
        draw(st.floats(1.0, 10.0))
        * 10.0 ** draw(st.integers(0, 8))
        * draw(st.sampled_from([-1, 1]))
    )


def given_x(circuit, x, y=np.nan):
    values = {"x": x, "y": y}
    return Evidence(np.array([[values.get(name, np.nan)] for name in circuit.schema.names]))


def level(circuit, code):
    return Evidence(np.array([[code if n == "c" else np.nan] for n in circuit.schema.names], float))


def level_sums(circuit, evidence):
    """All levels' probabilities, as conditionals one by one and as a posterior."""
    one_by_one = [
        np.exp(conditional_log_probability(circuit, level(circuit, k), evidence))[0]
        for k in range(len(LEVELS))
    ]
    together = posteriors(circuit, evidence).levels(circuit.schema.index("c"))[0]
    return np.array(one_by_one), together


def branches_of(circuit):
    """(weight, {column: params}) of every branch of a mixture of products."""
    found = []
    for weight, branch in zip(
        circuit.weight[-_n_branches(circuit) :], _children(circuit), strict=True
    ):
        leaves = circuit.child[circuit.edge_start[branch] : circuit.edge_start[branch + 1]]
        params = {
            circuit.schema.names[circuit.leaf_column[leaf]]: circuit.params[
                circuit.param_start[leaf] : circuit.param_start[leaf + 1]
            ]
            for leaf in leaves
        }
        found.append((weight, params))
    return found


def _n_branches(circuit):
    return int(circuit.edge_start[-1] - circuit.edge_start[-2])


def _children(circuit):
    return circuit.child[circuit.edge_start[-2] :]


def decimal_levels(circuit, x, y):
    """The posterior of the levels in sixty digits."""
    with localcontext() as context:
        context.prec = 60
        logs, chances = [], []
        for weight, params in branches_of(circuit):
            log = Decimal(float(weight)).ln()
            for name, value in (("x", x), ("y", y)):
                if not np.isnan(value):
                    mean_, deviation = (Decimal(float(p)) for p in params[name])
                    log += -deviation.ln() - ((Decimal(value) - mean_) / deviation) ** 2 / 2
            logs.append(log)
            chances.append([Decimal(float(p)) for p in params["c"]])
        share = [(log - max(logs)).exp() for log in logs]
        found = [
            sum(s * p[k] for s, p in zip(share, chances, strict=True)) / sum(share)
            for k in range(3)
        ]
        # The leaf orders its levels as the column does.
        return np.array([float(p) for p in found])


@some
@given(mixtures(), far_values(), far_values() | st.just(np.nan))
def test_levels_add_to_one_and_are_right(circuit, x, y):
    evidence = given_x(circuit, x, y)
    try:
        one_by_one, together = level_sums(circuit, evidence)
    except EvidenceError:
        # Only two columns that pull in opposite directions can lose what decides.
        assert not np.isnan(y)
        return
    assert one_by_one.sum() == pytest.approx(1.0, abs=1e-9)
    assert together.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(one_by_one, together, atol=1e-9)
    expected = decimal_levels(circuit, x, y)
    np.testing.assert_allclose(together, expected, atol=1e-9 if np.isnan(y) else 2e-6)


@some
@given(mixtures(), far_values(), far_values(), st.sampled_from([1e-9, 1e-3, 1.0, np.inf]))
def test_means_given_intervals_lie_in_them(circuit, x, y, width):
    place, n = circuit.schema.index("x"), len(circuit.schema)
    lo, hi = np.array([x]), np.array([x + width])
    evidence = Evidence(given_x(circuit, np.nan, y).values, {}, {place: Interval(lo, hi)})
    try:
        centre = mean(circuit, evidence, [place])[0, 0]
    except EvidenceError:
        return
    assert lo[0] <= centre <= hi[0]
    spread = variance(circuit, evidence, [place])[0, 0]
    assert 0.0 <= spread <= (0.25 * (hi[0] - lo[0]) ** 2) * (1 + 1e-9)
    assert covariance(circuit, evidence, [place])[0, 0, 0] == spread
    drawn = sample_given(circuit, evidence, np.random.default_rng(0), n_each=20)[place]
    assert ((drawn >= lo[0]) & (drawn <= hi[0])).all()
    one_by_one, together = level_sums(circuit, evidence)
    assert one_by_one.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(one_by_one, together, atol=1e-9)
    assert n == 3


@some
@given(mixtures(), far_values(), far_values(), st.floats(0.0, 1.0))
def test_complementary_intervals_add_to_one(circuit, x, y, share):
    """Also where the conditional has its mass: within a deviation over the distance."""
    place = circuit.schema.index("x")
    width = 4.0 / max(abs(x), 1.0)
    cut = x + share * width
    if not x < cut < x + width:
        cut = x + 0.5 * width
    given_ = Evidence(
        given_x(circuit, np.nan, y).values,
        {},
        {place: Interval(np.array([x]), np.array([x + width]))},
    )
    nothing = np.full((3, 1), np.nan)
    parts = [(-np.inf, cut), (cut, np.inf)]
    try:
        found = [
            conditional_log_probability(
                circuit,
                Evidence(nothing, {}, {place: Interval(np.array([lo]), np.array([hi]))}),
                given_,
                impossible="nan",
            )[0]
            for lo, hi in parts
        ]
    except EvidenceError:
        return
    if np.isnan(found).any():  # the interval has no width in float64, so it has no mass
        assert x + width == x
        return
    assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("x", [-196875000.0, 196875000.0, -1e8, 3e8])
def test_the_narrowest_interval_far_out_has_mass(x):
    interval = Interval(np.array([x]), np.array([np.nextafter(x, np.inf)]))
    found = GAUSSIAN.log_mass(np.array([[0.0, 1.0]]), interval)
    assert found == pytest.approx(-0.5 * x * x, rel=1e-12)


@some
@given(mixtures(names="x"), far_values(), st.sampled_from([1e-3, 1.0, None]))
def test_probability_and_distribution_agree(circuit, x, width):
    model = Model(circuit)
    shares = model.distribution("c", {"x": x})
    for name in LEVELS:
        assert model.probability({"c": name}, {"x": x}) == pytest.approx(shares[name], abs=1e-9)
    known = {"x": (x, None if width is None else x + width)}
    about = model.distribution("x", known)
    assert x <= about.mean
    assert width is None or about.mean <= x + width
    assert about.std >= 0.0
    for q in (0.1, 0.5, 0.9):
        point = about.quantile(q)
        below = model.probability({"x": (None, point)}, known) if point > x else 0.0
        assert below == pytest.approx(about.cdf(point), abs=1e-9)


@pytest.mark.parametrize("away", [1e1, 1e3, 1e6, 1e9])
def test_truncated_moments_far_out_against_their_series(away):
    """Beyond z deviations a normal is nearly exponential; about the edge no digit is hidden."""
    circuit = flatten(Gaussian("x", -away, 1))
    tail = Evidence(np.full((1, 1), np.nan), {}, {0: Interval(np.zeros(1), np.full(1, np.inf))})
    small = 1 / away**2
    rel = max(100 * small**3, 1e-12)
    # 1/z − 2/z³ + 10/z⁵, and 1/z² − 6/z⁴ + 50/z⁶
    expected = (1 - 2 * small + 10 * small**2) / away
    assert mean(circuit, tail, [0])[0, 0] == pytest.approx(expected, rel=rel)
    spread = (1 - 6 * small + 50 * small**2) / away**2
    assert variance(circuit, tail, [0])[0, 0] == pytest.approx(spread, rel=max(5 * rel, 1e-12))
    second = moment(circuit, tail, {0: 2})[0]
    assert second == pytest.approx(spread + expected**2, rel=max(5 * rel, 1e-12))


@some
@given(MEANS, DEVIATIONS, MEANS, DEVIATIONS, far_values())
def test_ratios_of_densities_have_all_their_digits(mean_a, deviation_a, mean_b, deviation_b, x):
    found = log_ratio(
        np.array([mean_a, deviation_a]),
        Known(np.array(x), np.array(-np.inf), np.array(np.inf)),
        np.array([mean_b, deviation_b]),
        Known(np.array(x), np.array(-np.inf), np.array(np.inf)),
    )
    with localcontext() as context:
        context.prec = 80
        (ma, da, mb, db, value) = map(
            Decimal, (mean_a, float(deviation_a), mean_b, float(deviation_b), x)
        )
        expected = ((value - mb) / db) ** 2 / 2 - ((value - ma) / da) ** 2 / 2 + (db / da).ln()
        error = float(abs(Decimal(float(found.value)) - expected))
    assert error <= float(found.error) + 1e-13


@pytest.mark.parametrize("lo", [-1e9, -50.0, 40.0, 1e6, 1e9])
def test_draws_far_out_invert_the_distribution(lo):
    mean_, region = -lo, Interval(np.array(0.0), np.array(np.inf))  # about the edge: no rounding
    region = region if lo > 0 else Interval(np.array(-np.inf), np.array(0.0))
    uniform = np.array([1e-9, 0.1, 0.5, 0.9, 0.999])
    drawn = GAUSSIAN.draw(np.array([mean_, 1.0]), uniform, region)
    until = Known(np.full(5, np.nan), np.where(lo > 0, 0.0, -np.inf), drawn)
    params = np.array([mean_, 1.0])
    within = Known(np.array(np.nan), *region)
    below = np.exp(log_ratio(params, until, params, within).value)
    np.testing.assert_allclose(below, uniform, rtol=1e-9, atol=1e-14)


def test_two_columns_that_pull_apart_beyond_all_digits_are_refused():
    def branch(one, other, chance):
        leaf = Categorical("c", {"no": 1 - chance, "yes": chance})
        return Gaussian("x", 0, one) * Gaussian("y", 0, other) * leaf

    circuit = flatten(Sum((0.5, 0.5), (branch(1, 2, 0.1), branch(2, 1, 0.9))))
    evidence = given_x(circuit, 1e9, 1e9)
    with pytest.raises(EvidenceError, match=r"row 0.*column '[xy]' lies so far out"):
        posteriors(circuit, evidence)
    with pytest.raises(EvidenceError, match="so far out"):
        conditional_log_probability(circuit, level(circuit, 0), evidence)
    with pytest.raises(EvidenceError, match="so far out"):
        sample_given(circuit, evidence, np.random.default_rng(0))
    with pytest.raises(EvidenceError, match="so far out"):
        moment(circuit, evidence, {circuit.schema.index("x"): 1})
    # Where one pull is clearly stronger, the answer is certain.
    clear = given_x(circuit, 1e9, 1.1e9)
    place = circuit.schema.index("c")
    assert posteriors(circuit, clear).levels(place)[0] == pytest.approx([0.9, 0.1])


@pytest.mark.parametrize(("x", "y"), list(product([1e3, 1e9, 1e15, 1e100], [np.nan, 1e9, 1e100])))
def test_equal_leaves_decide_nothing_however_far_out(x, y):
    def branch(chance):
        leaf = Categorical("c", {"no": 1 - chance, "yes": chance})
        return Gaussian("x", 3, 0.7) * Gaussian("y", 0, 2) * leaf

    circuit = flatten(Sum((0.25, 0.75), (branch(0.2), branch(0.6))))
    together = posteriors(circuit, given_x(circuit, x, y)).levels(circuit.schema.index("c"))[0]
    assert together == pytest.approx([0.5, 0.5], abs=1e-12)


def test_a_leaf_that_is_far_away_decides_when_the_near_one_is_impossible():
    """x = 1 is ordinary for one leaf and a billion deviations out for two that differ by a hair."""

    def branch(gaussian, colour, chance):
        return (
            gaussian
            * Categorical("d", {"a": colour, "b": 1 - colour})
            * Categorical("c", {"no": 1 - chance, "yes": chance})
        )

    parts = (
        branch(Gaussian("x", 0, 1), 1.0, 0.5),
        branch(Gaussian("x", 0.0, 1e-9), 0.0, 0.1),
        branch(Gaussian("x", 1e-18, 1e-9), 0.0, 0.9),
    )
    circuit = flatten(Sum((0.5, 0.25, 0.25), parts))
    evidence = given_x(circuit, 1.0)
    evidence.values[circuit.schema.index("d")] = 1.0
    ratio = np.exp(1.0)  # (x − 0)² − (x − 1e-18)², over 2e-18
    share = np.array([1.0, ratio]) / (1.0 + ratio)
    expected = share @ [0.1, 0.9]
    found = posteriors(circuit, evidence).levels(circuit.schema.index("c"))[0]
    assert found[1] == pytest.approx(expected, abs=1e-9)


def test_near_and_far_rows_of_one_batch_do_not_disturb_each_other():
    circuit = flatten(
        0.4 * (Gaussian("x", 0, 1) * Categorical("c", {"no": 0.9, "yes": 0.1}))
        + 0.6 * (Histogram("x", [-5, 5], [1]) * Categorical("c", {"no": 0.2, "yes": 0.8}))
    )
    x = np.array([0.5, 1e7, -2.0, np.nan, -1e9, 4.0])
    rows = Evidence(np.stack([x, np.full(6, np.nan)])[np.argsort(circuit.schema.names)[::-1]])
    place = circuit.schema.index("c")
    together = posteriors(circuit, rows).levels(place)
    alone = [posteriors(circuit, rows.rows(np.array([i]))).levels(place)[0] for i in range(6)]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_allclose(together[[1, 4]], [[0.9, 0.1]] * 2)


def test_the_parts_of_intervals_in_many_far_columns():
    """Forty columns, each with an interval a part of which is asked for: no product underflows."""
    n, away = 40, 1e7
    branches = tuple(
        Product(tuple(Gaussian(f"x{i}", 0, deviation) for i in range(n)))
        for deviation in (1.0, 2.0)
    )
    circuit = flatten(Sum((0.5, 0.5), branches))
    nothing, lo = np.full((n, 1), np.nan), np.array([away])
    given_ = Evidence(nothing, {}, {i: Interval(lo, np.array([np.inf])) for i in range(n)})
    # Beyond the edge the wider leaf falls by exp(−t z), z = away / 4.
    for fall in (0.5, 19.0, 1000.0):
        part = {i: Interval(lo + 4 * fall / away, np.array([np.inf])) for i in range(n)}
        found = conditional_log_probability(circuit, Evidence(nothing, {}, part), given_)[0]
        asked = float((lo + 4 * fall / away)[0]) - away  # what float64 makes of it
        assert found == pytest.approx(-n * asked * away / 4, rel=1e-9)
