"""``exact=True`` is a proof: no point of a grid that holds every candidate is more probable."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.circuit import Categorical, Gaussian, Histogram, Product, Sum, flatten
from softlearn.leaf import Interval
from softlearn.query import Evidence, log_likelihood, most_probable

some = settings(max_examples=150, deadline=None)
EDGES = [(0.0, 1.0), (1.0, 2.0), (0.0, 1.0, 2.0), (2.0, 3.0), (1.0, 1.5, 3.0), (2.5, 3.0)]
HEIGHTS = [0.25, 0.5, 1.0, 2.0]


@st.composite
def histograms(draw, name):
    edges = draw(st.sampled_from(EDGES))
    raw = [draw(st.sampled_from(HEIGHTS)) for _ in edges[1:]]
    if draw(st.booleans()) and len(raw) > 1:
        raw[draw(st.integers(0, len(raw) - 1))] = 0.0
    return Histogram(name, edges, np.divide(raw, sum(raw)))


@st.composite
def levels(draw):
    raw = [draw(st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0])) for _ in range(3)]
    raw[draw(st.integers(0, 2))] += 1.0
    return Categorical("c", dict(zip("abc", np.divide(raw, sum(raw)), strict=True)))


@st.composite
def mixtures(draw, depth=2):
    """Sums of products over two histograms that share edges, and three levels."""
    n = draw(st.integers(1, 3)) if depth else 1
    weights = [draw(st.sampled_from([1.0, 2.0, 3.0])) for _ in range(n)]
    parts = []
    for _ in range(n):
        if depth and draw(st.booleans()):
            inner = [Product((draw(histograms("x")), draw(levels()))) for _ in range(2)]
            parts.append(Product((Sum((0.5, 0.5), tuple(inner)), draw(histograms("y")))))
        else:
            parts.append(Product((draw(histograms("x")), draw(histograms("y")), draw(levels()))))
    return Sum(tuple(w / sum(weights) for w in weights), tuple(parts))


@st.composite
def splits(draw):
    """A sum that cuts x at one or two points, each part with leaves of its own."""
    edges = draw(st.sampled_from([(0.0, 1.0, 3.0), (0.0, 1.0, 2.0, 3.0), (0.0, 1.5, 3.0)]))
    weights = [draw(st.sampled_from([1.0, 2.0, 3.0])) for _ in edges[1:]]
    parts = [
        Product((Histogram("x", ends, [1]), draw(histograms("y")), draw(levels())))
        for ends in pairwise(edges)
    ]
    return Sum(tuple(w / sum(weights) for w in weights), tuple(parts))


ENDS = st.sampled_from([0.0, 0.5, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0])


@st.composite
def rows(draw, circuit):
    """One row: values on edges and between them, intervals that end there, sets, or nothing."""
    values, sets, intervals = np.full((3, 1), np.nan), {}, {}
    for place, column in enumerate(circuit.schema.columns):
        kind = draw(st.sampled_from(["nothing", "value", "region"]))
        if column.is_discrete:
            if kind == "value":
                values[place] = draw(st.integers(0, column.n_levels - 1))
            elif kind == "region":
                mask = [draw(st.booleans()) for _ in range(column.n_levels)]
                sets[place] = np.array([mask])
        elif kind == "value":
            values[place] = draw(ENDS)
        elif kind == "region":
            ends = sorted([draw(ENDS), draw(ENDS)])
            intervals[place] = Interval(np.array(ends[:1]), np.array(ends[1:]))
    return Evidence(values, sets, intervals)


def grid(circuit, evidence):
    """All candidates that fit the evidence: edges, points between them, and all levels."""
    options = []
    for place, column in enumerate(circuit.schema.columns):
        known = evidence.values[place, 0]
        if not np.isnan(known):
            options.append([known])
        elif column.is_discrete:
            mask = evidence.allowed_levels(place, column.n_levels)[0]
            options.append(np.flatnonzero(mask).astype(float))
        else:
            points = np.unique(
                [0, 0.25, 0.5, 0.75, 1, 1.1, 1.25, 1.3, 1.5, 1.75, 2, 2.2, 2.5, 2.7, 3]
            )
            bounds = evidence.intervals.get(place)
            if bounds is not None:
                points = points[(points >= bounds.lo[0]) & (points <= bounds.hi[0])]
            options.append(points)
    return np.array(list(product(*options)), dtype=float).reshape(-1, 3).T


@some
@given(st.data())
def test_no_candidate_beats_an_exact_completion(data):
    circuit = flatten(data.draw(mixtures() | splits()))
    evidence = data.draw(rows(circuit))
    found = most_probable(circuit, evidence, impossible="nan")
    if not found.exact[0]:
        return
    best = log_likelihood(circuit, Evidence(grid(circuit, evidence))).max()
    assert found.log_likelihood[0] >= best - 1e-13


def test_proofs_are_found_often_and_not_always():
    """Over histograms that share edges, with values on edges and between them."""
    exact, reached = [], []

    @settings(max_examples=200, deadline=None, derandomize=True, database=None)
    @given(st.data())
    def collect(data):
        circuit = flatten(data.draw(mixtures()))
        evidence = data.draw(rows(circuit))
        found = most_probable(circuit, evidence, impossible="nan")
        if np.isfinite(found.log_likelihood[0]):
            best = log_likelihood(circuit, Evidence(grid(circuit, evidence))).max()
            exact.append(found.exact[0])
            reached.append(found.log_likelihood[0] >= best - 1e-13)

    collect()
    exact, reached = np.array(exact), np.array(reached)
    assert 0.3 < exact.mean() < 1.0
    assert not reached.all()


def two(left, right, weights=(0.5, 0.5)):
    return flatten(Sum(weights, (left, right)))


def test_the_edge_that_two_histograms_share_is_higher_than_both():
    circuit = two(Histogram("x", [0, 1], [1]), Histogram("x", [1, 2], [1]))
    found = most_probable(circuit, Evidence.nothing(1))
    best = log_likelihood(circuit, Evidence(np.array([[1.0]])))[0]
    assert found.log_likelihood[0] < best
    assert not found.exact[0]


@pytest.mark.parametrize(
    ("lo", "hi", "exact"), [(0.25, 0.75, True), (1.25, 1.75, True), (0.25, 1.75, False)]
)
def test_evidence_that_leaves_the_edge_out_makes_it_deterministic(lo, hi, exact):
    circuit = two(
        Histogram("x", [0, 1], [1]) * Categorical("c", {"a": 0.6, "b": 0.4}),
        Histogram("x", [1, 2], [1]) * Categorical("c", {"a": 0.3, "b": 0.7}),
    )
    place = circuit.schema.index("x")
    inside = {place: Interval(np.array([lo]), np.array([hi]))}
    found = most_probable(circuit, Evidence(np.full((2, 1), np.nan), {}, inside))
    assert found.exact[0] == exact


def test_a_value_on_a_shared_edge_belongs_to_both():
    circuit = two(
        Histogram("x", [0, 1], [1]) * Categorical("c", {"a": 0.6, "b": 0.4}),
        Histogram("x", [1, 2], [1]) * Categorical("c", {"a": 0.3, "b": 0.7}),
    )
    values = np.full((2, 3), np.nan)
    values[circuit.schema.index("x")] = [0.5, 1.0, 1.5]
    found = most_probable(circuit, Evidence(values))
    assert found.exact.tolist() == [True, False, True]


def test_sets_can_make_a_circuit_deterministic():
    a = Categorical("c", {"a": 0.6, "b": 0.4, "c": 0.0}) * Gaussian("x", 0, 1)
    b = Categorical("c", {"a": 0.0, "b": 0.5, "c": 0.5}) * Gaussian("x", 1, 2)
    circuit = two(a, b)
    place = circuit.schema.index("c")
    values = np.full((2, 3), np.nan)
    sets = {place: np.array([[True, False, True], [True, True, True], [True, False, False]])}
    found = most_probable(circuit, Evidence(values, sets))
    assert found.exact.tolist() == [True, False, True]


def test_a_large_score_does_not_hide_a_better_completion():
    """Two branches that a thousand sharp columns make equal but for one part in a million."""
    n = 1000

    def branch(level, weight_of_a):
        known = [Gaussian(f"x{i}", 0, 1e-9) for i in range(n)]
        other = Categorical("a", {"no": 1 - weight_of_a, "yes": weight_of_a})
        return Product((*known, Categorical("c", {"u": 1 - level, "v": level}), other))

    circuit = two(branch(0.0, 0.5), branch(0.3, 0.5 + 1e-7), (0.5, 0.5))
    values = np.zeros((n + 2, 1))
    for name in ("a", "c"):
        values[circuit.schema.index(name)] = np.nan
    found = most_probable(circuit, Evidence(values))
    assert not found.exact[0]


@pytest.mark.parametrize("away", [10.0, 1e6, 1e9])
def test_the_better_branch_is_found_far_out(away):
    """Branches that the level tells apart; which is better only the far value says."""
    near = Gaussian("x", 0.0, 1) * Categorical("c", {"a": 1.0, "b": 0.0})
    nearer = Gaussian("x", 10.0 / away, 1) * Categorical("c", {"a": 0.0, "b": 1.0})
    circuit = two(near, nearer, (0.9, 0.1))
    place = circuit.schema.index("x")
    values = np.full((2, 2), np.nan)
    values[place, 0] = away
    inside = {place: Interval(np.array([away, away]), np.array([np.inf, np.inf]))}
    found = most_probable(circuit, Evidence(values, {}, inside))
    assert found.values[1 - place].tolist() == [1.0, 1.0]
    assert found.values[place].tolist() == [away, away]
    assert found.exact.all()


def test_what_rounding_decides_is_not_called_exact():
    """Two far columns that pull apart by more than the digits of their difference."""

    def branch(one, other, levels):
        return Gaussian("x", 0, one) * Gaussian("y", 0, other) * Categorical("c", levels)

    circuit = two(branch(1, 2, {"a": 1.0, "b": 0.0}), branch(2, 1, {"a": 0.0, "b": 1.0}))
    values = np.full((3, 2), np.nan)
    values[circuit.schema.index("x")] = [1e9, 1e9]
    values[circuit.schema.index("y")] = [1e9, 1.1e9]
    found = most_probable(circuit, Evidence(values))
    assert found.exact.tolist() == [False, True]
    assert found.values[circuit.schema.index("c"), 1] == 0.0
