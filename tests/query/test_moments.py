"""Moments against sums over all worlds, quadrature and closed forms."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad

from plain_scale import ATOMS, listed_weights, points_and_weights
from random_circuits import agrees, every_world, random_circuit, random_evidence
from softlearn.circuit import (
    Categorical,
    Circuit,
    Gaussian,
    Histogram,
    Product,
    Scaled,
    Sum,
    flatten,
)
from softlearn.errors import EvidenceError, ImpossibleEvidenceError
from softlearn.leaf import Interval
from softlearn.query.evidence import Evidence, intersect, without_missing
from softlearn.query.likelihood import log_likelihood
from softlearn.query.moments import covariance, mean, moment, variance
from softlearn.table.schema import Column, Schema

SEEDS = range(25)


def paper_example() -> Circuit:
    left = Gaussian("X", -0.5, 1) * Gaussian("Y", -2, 0.2)
    right = Gaussian("X", 0.5, 1) * Gaussian("Y", 2, 0.2)
    return flatten(0.5 * left + 0.5 * right)


def numbers_of(circuit: Circuit) -> list[int]:
    """Columns that have a mean."""
    columns = enumerate(circuit.schema.columns)
    return [i for i, c in columns if not any(isinstance(level, str) for level in c.levels)]


def worlds_given(circuit: Circuit, evidence: Evidence, row: int) -> tuple[np.ndarray, np.ndarray]:
    """All worlds as numbers (columns, worlds), and their probabilities given one row."""
    worlds = every_world(circuit)
    p = np.exp(log_likelihood(circuit, Evidence(worlds))) * agrees(worlds, evidence, row)
    numbers = worlds.copy()
    for i, column in enumerate(circuit.schema.columns):
        if column.is_discrete and not isinstance(column.levels[0], str):
            as_numbers = np.array([level or 0 for level in column.levels], dtype=float)
            numbers[i] = as_numbers[worlds[i].astype(int)]
    return np.where(np.isinf(numbers), 0.0, numbers), p


def present(circuit: Circuit, evidence: Evidence, row: int) -> Evidence:
    """One row, of which is also known that no cell is missing."""
    return without_missing(circuit.schema, evidence.rows(slice(row, row + 1)))


def test_the_papers_example_by_hand():
    circuit, nothing = paper_example(), Evidence.nothing(2)
    assert mean(circuit, nothing, [0, 1]) == pytest.approx(np.zeros((1, 2)), abs=1e-15)
    expected = [[1 + 0.25, 0.5 * 2], [0.5 * 2, 0.04 + 4]]
    assert covariance(circuit, nothing, [0, 1])[0] == pytest.approx(np.array(expected), rel=1e-14)
    assert moment(circuit, nothing, {0: 1, 1: 1}) == pytest.approx([1.0], rel=1e-14)
    # E[x⁴] of N(m, 1) is m⁴ + 6 m² + 3, the same on both sides.
    assert moment(circuit, nothing, {0: 4}) == pytest.approx([0.5**4 + 6 * 0.25 + 3], rel=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_discrete_moments_are_sums_over_all_worlds(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 3, 0, 3, share=0.4 * (seed % 2), n_countable=seed % 3)
    evidence = random_evidence(circuit, rng, 6)
    columns = numbers_of(circuit)
    one, two = columns[:2]
    high = 2 if circuit.schema.columns[one].scale else 3  # cells have no higher moments
    rows = [present(circuit, evidence, row) for row in range(6)]
    orders, shifts = {one: high, two: 2}, [{one: 0.5, two: float(row)} for row in range(6)]
    raised = [
        moment(circuit, known, orders, shift, impossible="nan")
        for known, shift in zip(rows, shifts, strict=True)
    ]
    found = {
        "mean": np.concatenate([mean(circuit, one, columns, impossible="nan") for one in rows]),
        "covariance": np.concatenate(
            [covariance(circuit, one, columns, impossible="nan") for one in rows]
        ),
        "moment": np.concatenate(raised),
    }
    for row in range(6):
        worlds, p = worlds_given(circuit, rows[row], 0)
        if p.sum() == 0.0:
            assert all(np.isnan(answer[row]).all() for answer in found.values())
            continue
        p /= p.sum()
        centre = (worlds[columns] * p).sum(axis=1)
        distance = worlds[columns] - centre[:, None]
        raised = (worlds[one] - 0.5) ** high * (worlds[two] - row) ** 2
        assert found["mean"][row] == pytest.approx(centre, rel=1e-12, abs=1e-12)
        assert found["covariance"][row] == pytest.approx((distance * p) @ distance.T, abs=1e-11)
        assert found["moment"][row] == pytest.approx((raised * p).sum(), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_covariances_are_those_of_rows_that_have_both_columns(seed):
    rng = np.random.default_rng(300 + seed)
    circuit = random_circuit(rng, 2, 0, 2, n_countable=2)
    columns = numbers_of(circuit)
    nothing = Evidence.nothing(len(circuit.schema), 1)
    found = covariance(circuit, nothing, columns, impossible="nan")[0]
    worlds, p = worlds_given(circuit, nothing, 0)
    codes = every_world(circuit)
    there = np.stack([codes[c] != circuit.schema.columns[c].missing_code for c in columns])
    gaps = np.array([circuit.schema.columns[c].missing == "modelled" for c in columns])
    there |= ~gaps[:, None]
    for i, j in product(range(len(columns)), repeat=2):
        mass = np.where(there[i] & there[j], p, 0.0)
        if mass.sum() == 0.0:
            assert np.isnan(found[i, j])
            continue
        mass = mass / mass.sum()
        x, y = (np.where(mass > 0.0, worlds[columns[k]], 0.0) for k in (i, j))
        expected = mass @ ((x - mass @ x) * (y - mass @ y))
        assert found[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS[:12])
def test_numeric_moments_are_integrals_of_the_density(seed):
    rng = np.random.default_rng(100 + seed)
    circuit = random_circuit(rng, 2, 2, 2)
    evidence = random_evidence(circuit, rng, 3)
    column = next(i for i, c in enumerate(circuit.schema.columns) if not c.is_discrete)
    evidence.values[column] = np.nan
    other = next(i for i in numbers_of(circuit) if i != column)
    for row in range(3):
        known = present(circuit, evidence, row)
        centre = mean(circuit, known, [column], impossible="nan")[0, 0]
        if np.isnan(centre):
            continue
        spread = variance(circuit, known, [column])[0, 0]
        mixed = moment(circuit, known, {column: 2, other: 1}, {column: 1.0})[0]
        x, mass, at = along(circuit, known, column)
        others = np.nan_to_num(mean(circuit, at, [other], impossible="nan")[:, 0])
        assert centre == pytest.approx(mass @ x, abs=1e-7)
        assert spread == pytest.approx(mass @ (x - centre) ** 2, abs=1e-7)
        assert mixed == pytest.approx(mass @ ((x - 1) ** 2 * others), abs=1e-6)


def along(circuit: Circuit, evidence: Evidence, column: int):
    """A grid over a numeric column, the posterior mass of its points, and the row at them."""
    x, weight = points_along(circuit, evidence, column)
    at = evidence.rows(np.zeros(x.size, int))
    at.values[column] = x
    mass = np.exp(log_likelihood(circuit, at)) * weight
    return x, mass / mass.sum(), at


def points_along(circuit: Circuit, evidence: Evidence, column: int):
    """Points of a numeric column that a row leaves possible, and their weights in an integral."""
    about = circuit.schema.columns[column]
    if column in evidence.listed:
        some = evidence.listed[column].values
        return map(np.array, listed_weights(about, some[some < np.inf].tolist()))
    bounds = evidence.intervals.get(column, Interval(np.array([-np.inf]), np.array([np.inf])))
    lo, hi = max(bounds.lo[0], -25.0), min(bounds.hi[0], 25.0)
    if about.scale is not None:
        return map(np.array, points_and_weights(about, lo, hi))
    ends = circuit.params[(circuit.params > lo) & (circuit.params < hi)]  # all edges are in there
    nodes, weights = np.polynomial.legendre.leggauss(24)
    cuts = np.unique([lo, *ends, *np.linspace(lo, hi, 40), hi])
    half = 0.5 * np.diff(cuts)[:, None]
    return (cuts[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()


@pytest.mark.parametrize("seed", SEEDS[:12])
def test_missing_cells_do_not_count_in_means_and_variances(seed):
    rng = np.random.default_rng(300 + seed)
    circuit = random_circuit(rng, 3, 2, 2, n_countable=1)
    evidence = random_evidence(circuit, rng, 12)
    for column in numbers_of(circuit):
        found = [
            query(circuit, evidence, [column], impossible="nan")[:, 0] for query in (mean, variance)
        ]
        for row in range(12):
            known = there(circuit, evidence.rows(slice(row, row + 1)), column)
            alone = [
                query(circuit, known, [column], impossible="nan")[0, 0]
                for query in (mean, variance)
            ]
            together = [found[0][row], found[1][row]]
            assert together == pytest.approx(alone, rel=1e-9, abs=1e-9, nan_ok=True)


def test_the_power_of_a_missing_cell_is_nothing():
    schema = Schema(
        (
            Column("c", "categorical", (3, 5), missing="modelled"),
            Column("n", "integer", scale=ATOMS, missing="modelled"),
        )
    )
    leaves = Categorical("c", {3: 0.25, 5: 0.25, None: 0.5}) * Scaled(
        "n", atoms={0: 0.125, 3: 0.125, None: 0.75}
    )
    circuit = flatten(leaves, schema)
    evidence = Evidence(np.array([[np.nan, 2.0, 0.0], [np.nan, np.nan, np.inf]]))
    first = moment(circuit, evidence, {0: 1}, {0: 1.0})
    assert first == pytest.approx([0.25 * 2 + 0.25 * 4, 0.0, 2.0], rel=1e-12)
    second = moment(circuit, evidence, {1: 2}, {1: 1.0})
    assert second == pytest.approx([0.125 * 1 + 0.125 * 4] * 2 + [0.0], rel=1e-12)


def there(circuit: Circuit, row: Evidence, column: int) -> Evidence:
    """A row, of which is also known that the cell of one column is not missing."""
    about = circuit.schema.columns[column]
    known = without_missing(Schema((about,)), Evidence.nothing(1))
    sets, intervals = ({column: own[0]} if own else {} for own in (known.sets, known.intervals))
    nothing = Evidence.nothing(len(circuit.schema))
    return intersect(circuit.schema, row, Evidence(nothing.values, sets, intervals))


def test_moments_of_a_mixture_are_the_mixture_of_moments():
    rng = np.random.default_rng(5)
    means, deviations, weights = (
        rng.normal(size=9),
        rng.uniform(0.1, 3, 9),
        rng.dirichlet(np.ones(9)),
    )
    leaves = tuple(Gaussian("x", m, d) for m, d in zip(means, deviations, strict=True))
    circuit, nothing = flatten(Sum(tuple(weights), leaves)), Evidence.nothing(1)
    centre = weights @ means
    assert mean(circuit, nothing, [0])[0, 0] == pytest.approx(centre, rel=1e-13)
    assert variance(circuit, nothing, [0])[0, 0] == pytest.approx(
        weights @ (deviations**2 + (means - centre) ** 2), rel=1e-13
    )
    third = weights @ (means**3 + 3 * means * deviations**2)
    assert moment(circuit, nothing, {0: 3})[0] == pytest.approx(third, rel=1e-12)


def test_a_truncated_gaussian_by_quadrature():
    circuit = flatten(Gaussian("x", 1.0, 2.0))
    evidence = Evidence(
        np.full((1, 1), np.nan), {}, {0: Interval(np.array([2.0]), np.array([4.5]))}
    )
    density = lambda x: np.exp(-0.125 * (x - 1) ** 2)  # noqa: E731
    total = quad(density, 2, 4.5)[0]
    centre = quad(lambda x: x * density(x), 2, 4.5)[0] / total
    spread = quad(lambda x: (x - centre) ** 2 * density(x), 2, 4.5)[0] / total
    assert mean(circuit, evidence, [0])[0, 0] == pytest.approx(centre, rel=1e-12)
    assert variance(circuit, evidence, [0])[0, 0] == pytest.approx(spread, rel=1e-11)


@pytest.mark.parametrize("start", [10.0, 60.0, 1000.0])
def test_the_far_tail_of_a_gaussian_keeps_its_moments(start):
    circuit = flatten(Gaussian("x", 0, 1) * Gaussian("y", 0, 1))
    evidence = Evidence(
        np.full((2, 1), np.nan), {}, {0: Interval(np.array([start]), np.full(1, np.inf))}
    )
    inside = start * (1 + 1 / start**2 - 2 / start**4)  # from the series of Mills' ratio
    assert mean(circuit, evidence, [0])[0, 0] == pytest.approx(inside, rel=10 / start**6 + 1e-10)
    assert moment(circuit, evidence, {0: 1})[0] == pytest.approx(inside, rel=10 / start**6 + 1e-10)
    assert variance(circuit, evidence, [0])[0, 0] == pytest.approx(start**-2, rel=10 / start**2)


def test_large_numbers_keep_their_small_variance():
    left = Gaussian("x", 1e8 - 0.6, 0.8) * Gaussian("y", -1e8, 1)
    right = Gaussian("x", 1e8 + 0.6, 0.8) * Gaussian("y", -1e8 + 1, 1)
    circuit = flatten(0.5 * left + 0.5 * right)
    nothing = Evidence.nothing(2)
    expected = [[1.0, 0.3], [0.3, 1.25]]
    assert mean(circuit, nothing, [0])[0, 0] == pytest.approx(1e8, rel=1e-15)
    assert covariance(circuit, nothing, [0, 1])[0] == pytest.approx(np.array(expected), rel=1e-7)


def test_large_levels_keep_their_small_variance():
    levels = {10**9: 0.5, 10**9 + 2: 0.5}
    circuit = flatten(Categorical("n", levels) * Gaussian("x", 0, 1))
    assert variance(circuit, Evidence.nothing(2), [0])[0, 0] == 1.0
    assert moment(circuit, Evidence.nothing(2), {0: 8})[0] == pytest.approx(1e72, rel=1e-7)


def test_a_known_value_is_its_own_mean_and_does_not_vary():
    rng = np.random.default_rng(3)
    circuit = random_circuit(rng, 2, 2, 2, zeros=0.0)
    columns = numbers_of(circuit)
    evidence = random_evidence(circuit, rng, 8)
    column = columns[1]
    evidence.values[column] = 1.0
    number = (circuit.schema.columns[column].levels or (0.0, 1.0))[1]
    found = covariance(circuit, evidence, columns)
    assert (mean(circuit, evidence, columns)[:, 1] == number).all()
    assert (found[:, 1] == 0.0).all()
    assert (found[:, :, 1] == 0.0).all()
    assert moment(circuit, evidence, {column: 2}, {column: 3.0}) == pytest.approx((number - 3) ** 2)


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_covariances_are_symmetric_and_positive_semidefinite(seed):
    rng = np.random.default_rng(200 + seed)
    circuit = random_circuit(rng, 3, 3, 3, missing=False)
    evidence = random_evidence(circuit, rng, 300)
    found = covariance(circuit, evidence, numbers_of(circuit), impossible="nan")
    found = found[~np.isnan(found[:, 0, 0])]
    assert (found == found.transpose(0, 2, 1)).all()
    assert np.linalg.eigvalsh(found).min() > -1e-9


def test_many_rows_and_few_give_the_same():
    rng = np.random.default_rng(9)
    circuit = random_circuit(rng, 3, 2, 3, zeros=0.0)
    evidence = random_evidence(circuit, rng, 700)
    columns = numbers_of(circuit)
    whole = covariance(circuit, evidence, columns)
    parts = [covariance(circuit, evidence.rows(slice(i, i + 1)), columns) for i in range(5)]
    assert whole[:5] == pytest.approx(np.concatenate(parts), rel=1e-10, abs=1e-12)


def test_hundreds_of_columns_do_not_underflow():
    columns = [f"c{i}" for i in range(3000)]
    parts = [
        Product(tuple(Categorical(name, {0: 1 - p, 1: p}) for name in columns)) for p in (0.1, 0.3)
    ]
    circuit = flatten(Sum((0.5, 0.5), tuple(parts)))
    evidence = Evidence(np.ones((3000, 1)))
    evidence.values[:2] = np.nan
    assert mean(circuit, evidence, [0, 1])[0] == pytest.approx([0.3, 0.3], rel=1e-12)
    assert moment(circuit, evidence, {0: 1, 1: 2})[0] == pytest.approx(0.09, rel=1e-10)


def test_probabilities_too_small_for_the_tables_are_counted():
    tiny = Categorical("c", {0: 1 - 1e-200, 5: 1e-200})
    circuit = flatten(tiny * Gaussian("x", 2, 1))
    evidence = Evidence(np.full((2, 1), np.nan), {0: np.array([[False, True]])}, {})
    assert mean(circuit, evidence, [0])[0, 0] == 5.0
    assert moment(circuit, evidence, {0: 2, 1: 1})[0] == pytest.approx(50.0, rel=1e-12)


def test_impossible_evidence_is_named_or_marked():
    circuit = flatten(Histogram("x", [0, 1], [1]) * Gaussian("y", 0, 1))
    evidence = Evidence(np.array([[0.5, 3.0, 4.0], [np.nan] * 3]))
    for query in (mean, variance, covariance):
        with pytest.raises(ImpossibleEvidenceError, match="row 1"):
            query(circuit, evidence, [0, 1])
        marked = query(circuit, evidence, [0, 1], impossible="nan")
        assert np.isnan(marked[1:]).all()
        assert np.isfinite(marked[0]).all()
    with pytest.raises(ImpossibleEvidenceError, match="row 1"):
        moment(circuit, evidence, {1: 1})
    assert np.isnan(moment(circuit, evidence, {1: 1}, impossible="nan")).tolist() == [0, 1, 1]


def test_text_has_no_mean():
    circuit = flatten(Categorical("colour", {"red": 0.5, "blue": 0.5}) * Gaussian("x", 0, 1))
    with pytest.raises(EvidenceError, match="'colour' holds text, so it has no mean"):
        mean(circuit, Evidence.nothing(2), [1, 0])
    with pytest.raises(EvidenceError, match="'colour' holds text, so it has no mean"):
        moment(circuit, Evidence.nothing(2), {0: 1})


def test_unknown_and_repeated_columns_are_refused():
    circuit = flatten(Gaussian("x", 0, 1))
    with pytest.raises(EvidenceError, match="no column 1"):
        mean(circuit, Evidence.nothing(1), [1])
    with pytest.raises(EvidenceError, match="named once"):
        covariance(circuit, Evidence.nothing(1), [0, 0])


def test_no_rows_and_no_columns_give_empty_answers():
    circuit = flatten(Gaussian("x", 0, 1) * Gaussian("y", 0, 1))
    assert covariance(circuit, Evidence.nothing(2, 0), [0, 1]).shape == (0, 2, 2)
    assert mean(circuit, Evidence.nothing(2, 3), []).shape == (3, 0)
    assert moment(circuit, Evidence.nothing(2, 2), {}).tolist() == [1.0, 1.0]
