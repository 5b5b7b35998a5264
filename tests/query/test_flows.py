"""Flows: against the enumeration of all paths, laws that hold for any circuit, and EM itself."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import truncnorm

import zoo
from random_circuits import random_circuit, random_evidence
from softlearn.circuit import (
    SUM,
    Categorical,
    Gaussian,
    Histogram,
    Product,
    Sum,
    cells_of,
    flatten,
    with_parameters,
)
from softlearn.errors import EvidenceError, ImpossibleEvidenceError
from softlearn.leaf import FAMILIES, GAUSSIAN, Interval, LeafOptions
from softlearn.query import Evidence, flows, log_likelihood, posteriors, reference, sample
from strategies import evidences, small_circuits

many = settings(max_examples=50, deadline=None)
OPTIONS = LeafOptions(smoothing=0.0)


def paths(circuit, node):
    """All (weight, edges, leaves) of the trees that a choice at every sum leaves below a node."""
    if node < circuit.n_leaves:
        return [(1.0, (), (node,))]
    edges = range(circuit.edge_start[node], circuit.edge_start[node + 1])
    below = {e: paths(circuit, int(circuit.child[e])) for e in edges}
    if circuit.kind[node] == SUM:
        return [
            (circuit.weight[e] * weight, (e, *used), leaves)
            for e in edges
            for weight, used, leaves in below[e]
        ]
    found = []
    for choice in itertools.product(*below.values()):
        used = tuple(itertools.chain(edges, *(part[1] for part in choice)))
        leaves = tuple(itertools.chain(*(part[2] for part in choice)))
        found.append((np.prod([part[0] for part in choice]), used, leaves))
    return found


def enumerated(circuit, evidence, weights):
    """Edge flows, and the flow of each leaf in each row, by adding up all paths."""
    leaf = np.exp(reference.node_log_values(circuit, evidence)[: circuit.n_leaves])
    edges = np.zeros((circuit.n_edges, evidence.n_rows))
    flow = np.zeros((circuit.n_leaves, evidence.n_rows))
    total = np.zeros(evidence.n_rows)
    for weight, used, leaves in paths(circuit, circuit.root):
        p = weight * leaf[list(leaves)].prod(axis=0)
        total += p
        for e in used:
            edges[e] += p
        for i in leaves:
            flow[i] += p
    scale = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 0.0)
    return (edges * scale).sum(axis=1), flow * scale


@many
@given(st.data())
def test_flows_are_sums_over_all_paths(data):
    circuit = data.draw(small_circuits(max_columns=3))
    evidence = data.draw(evidences(circuit))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3)), float)
    weights = weights[: evidence.n_rows]
    found = flows(circuit, evidence, weights, impossible="skip")
    edge, leaf = enumerated(circuit, evidence, weights)
    np.testing.assert_allclose(found.edge, edge, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.leaf, leaf.sum(axis=1), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        found.log_likelihood, log_likelihood(circuit, evidence), rtol=1e-12, atol=1e-13
    )


@many
@given(st.data())
def test_what_flows_into_a_node_flows_out(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit, max_rows=4))
    weights = np.linspace(0.5, 2.0, evidence.n_rows)
    found = flows(circuit, evidence, weights, impossible="skip")
    possible = np.isfinite(found.log_likelihood)
    assert found.weight == pytest.approx(weights[possible].sum())
    assert found.node[circuit.root] == found.weight
    assert found.score == pytest.approx(weights[possible] @ found.log_likelihood[possible])
    owner = circuit.edge_owner
    out = np.bincount(owner, found.edge, circuit.n_nodes)
    is_sum = circuit.kind == SUM
    np.testing.assert_allclose(out[is_sum], found.node[is_sum], rtol=1e-9, atol=1e-12)
    of_products = ~is_sum[owner]
    np.testing.assert_allclose(
        found.edge[of_products], found.node[owner[of_products]], rtol=1e-9, atol=1e-12
    )
    # Every row reaches one leaf of each column.
    of_column = np.bincount(circuit.leaf_column, found.leaf)
    np.testing.assert_allclose(of_column, found.weight, rtol=1e-9, atol=1e-12)


def same_stats(found, expected):
    """Statistics as numbers; means and spreads as they are, whatever they are measured from."""
    for a, b in zip(found, expected, strict=True):
        if isinstance(a, tuple):
            same_stats(a, b)
    if type(found).__name__ == "GaussianStats":
        assert found.weight == pytest.approx(expected.weight, abs=1e-12)
        if found.weight > 0.0:
            mean = found.centre + found.offset
            assert mean == pytest.approx(expected.centre + expected.offset, rel=1e-9, abs=1e-9)
            assert found.scatter == pytest.approx(expected.scatter, rel=1e-8, abs=1e-9)
            assert found.pairs == pytest.approx(expected.pairs, rel=1e-9, abs=1e-12)
        return
    for a, b in zip(found, expected, strict=True):
        if not isinstance(a, tuple):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def summarised(circuit, leaf, values, weights):
    """What the leaf's family makes of the values itself."""
    column = circuit.schema.columns[circuit.leaf_column[leaf]]
    family = FAMILIES[circuit.leaf_family[leaf]].on(cells_of(column))
    own = circuit.params[circuit.param_start[leaf] : circuit.param_start[leaf + 1]]
    edges = own[: (own.size + 1) // 2] if family.name == "histogram" else None
    if edges is not None:  # a value outside has no flow, and the family would not take it
        weights = weights * ((values >= edges[0]) & (values <= edges[-1]))
        values = np.where(weights > 0.0, values, np.nan)
    if family.name == "scaled":
        values = np.where(weights > 0.0, values, np.nan)
    if family.name == "scaled" and np.isposinf(values).any():  # missing cells, as a code
        return None
    return family.summarise(values, weights, n_levels=column.n_levels, edges=edges)


@many
@given(st.data())
def test_statistics_are_those_of_the_family_for_known_values(data):
    circuit = data.draw(small_circuits(max_columns=3))
    evidence = data.draw(evidences(circuit, regions=False, max_rows=6))
    weights = np.linspace(0.5, 2.0, evidence.n_rows)
    found = flows(circuit, evidence, weights, impossible="skip").leaves
    _, flow = enumerated(circuit, evidence, weights)
    for leaf in range(circuit.n_leaves):
        values = evidence.values[circuit.leaf_column[leaf]]
        expected = summarised(circuit, leaf, values, flow[leaf])
        known = flow[leaf] @ ~np.isnan(values)
        assert found.observed[leaf] == pytest.approx(known, abs=1e-12)
        if expected is not None:
            same_stats(found.of(leaf), expected)


@many
@given(st.data())
def test_codes_under_sets_are_posteriors_of_the_leaf(data):
    circuit = data.draw(small_circuits(numeric=False, countable=True, max_columns=3))
    evidence = data.draw(evidences(circuit))
    found = flows(circuit, evidence, impossible="skip").leaves
    _, flow = enumerated(circuit, evidence, np.ones(evidence.n_rows))
    for leaf in range(circuit.n_leaves):
        column = circuit.leaf_column[leaf]
        about = circuit.schema.columns[column]
        if not about.is_discrete:
            continue
        p = circuit.params[circuit.param_start[leaf] : circuit.param_start[leaf + 1]]
        expected = np.zeros(about.n_levels)
        for row in range(evidence.n_rows):
            inside = evidence.allowed_levels(column, about.n_levels)[row]
            if not inside.all() and flow[leaf, row] > 0.0:
                expected += flow[leaf, row] * p * inside / (p @ inside)
        if about.n_levels > 1:  # the only level of a column is no news
            np.testing.assert_allclose(found.codes(leaf), expected, rtol=1e-9, atol=1e-12)


def test_intervals_of_gaussians_add_truncated_moments():
    circuit = flatten(0.4 * Gaussian("x", -1, 1) + 0.6 * Gaussian("x", 2, 0.5))
    nothing = np.full((1, 3), np.nan)
    nothing[0, 2] = 0.25
    ends = Interval(np.array([-0.5, 0.0, 0.0]), np.array([1.5, np.inf, 0.0]))
    evidence, weights = Evidence(nothing, {}, {0: ends}), np.array([1.0, 2.0, 0.5])
    found = flows(circuit, evidence, weights).leaves
    _, flow = enumerated(circuit, evidence, weights)
    for leaf, (mean, deviation) in enumerate([(-1, 1), (2, 0.5)]):
        a, b = ((end[:2] - mean) / deviation for end in ends)
        first = np.append(truncnorm.mean(a, b, mean, deviation), 0.25)
        spread = np.append(truncnorm.var(a, b, mean, deviation), 0.0)
        stats, w = found.of(leaf), flow[leaf]
        centre = (w @ first) / w.sum()
        assert stats.weight == pytest.approx(w.sum())
        assert stats.centre + stats.offset == pytest.approx(centre)
        assert stats.scatter == pytest.approx(w @ (spread + (first - centre) ** 2))
        assert stats.pairs == pytest.approx(w.sum() ** 2 - (w**2).sum())


def test_intervals_of_histograms_share_their_weight_among_bins():
    circuit = flatten(Histogram("x", [0, 1, 2, 4], [0.2, 0.3, 0.5]))
    ends = Interval(np.array([0.5, 3.0, -np.inf]), np.array([1.5, np.inf, np.inf]))
    evidence = Evidence(np.full((1, 3), np.nan), {}, {0: ends})
    found = flows(circuit, evidence).leaves.codes(0)
    np.testing.assert_allclose(found, [0.1 / 0.25, 0.15 / 0.25, 1.0], rtol=1e-12)


def test_unknown_columns_leave_their_leaves_alone():
    circuit = zoo.gaussian_pair()
    found = flows(circuit, Evidence.nothing(2, 5))
    assert found.weight == 5.0
    assert (found.leaves.observed == 0.0).all()
    assert found.leaf.sum() == pytest.approx(10.0)


def test_impossible_rows_are_an_error_or_skipped():
    circuit = flatten(Product((Categorical("a", {0: 1.0, 1: 0.0}), Categorical("b", {0: 1, 1: 0}))))
    evidence = Evidence(np.array([[0.0, 1.0, 0.0], [np.nan, 0.0, 0.0]]))
    with pytest.raises(ImpossibleEvidenceError, match="row 1"):
        flows(circuit, evidence)
    found = flows(circuit, evidence, impossible="skip")
    assert found.weight == 2.0
    np.testing.assert_array_equal(found.log_likelihood, [0.0, -np.inf, 0.0])
    np.testing.assert_array_equal(found.leaf, [2.0, 2.0])
    # A row of weight 0 is absent, possible or not.
    assert flows(circuit, evidence, np.array([1.0, 0.0, 1.0])).weight == 2.0


def test_wrong_weights_are_refused():
    circuit, evidence = zoo.xor(), Evidence.nothing(2, 3)
    for weights in (np.ones(2), np.array([1.0, -1.0, 1.0]), np.array([1.0, np.nan, 1.0])):
        with pytest.raises(EvidenceError, match="weights"):
            flows(circuit, evidence, weights)
    with pytest.raises(EvidenceError, match="impossible"):
        flows(circuit, evidence, impossible="nan")


def test_a_code_that_is_no_level_is_refused():
    with pytest.raises(EvidenceError, match="not the code of a level"):
        flows(zoo.xor(), Evidence(np.array([[2.0], [0.0]])))


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_neither_threads_nor_blocks_change_the_sums(share):
    """Rows beyond a chunk: the last block of a chunk repeats rows, which must count once."""
    rng = np.random.default_rng(5)
    circuit = random_circuit(rng, 4, 3, depth=3, share=share, zeros=0.0)
    evidence, weights = random_evidence(circuit, rng, 70_001), rng.random(70_001)
    one = flows(circuit, evidence, weights, impossible="skip", n_threads=1)
    two = flows(circuit, evidence, weights, impossible="skip", n_threads=2)
    np.testing.assert_array_equal(one.edge, two.edge)
    for a, b in zip(one.leaves.totals, two.leaves.totals, strict=True):
        np.testing.assert_array_equal(a, b)
    halves = [
        flows(circuit, evidence.rows(part), weights[part], impossible="skip")
        for part in (slice(0, 123), slice(123, None))
    ]
    both = halves[0].merge(halves[1])
    np.testing.assert_allclose(both.edge, one.edge, rtol=1e-9, atol=1e-9)
    assert both.score == pytest.approx(one.score)
    for a, b in zip(both.leaves.totals, one.leaves.totals, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-7)


def test_leaf_flows_are_the_posteriors_of_leaves():
    rng = np.random.default_rng(2)
    circuit = random_circuit(rng, 2, 3, depth=3, share=0.5, scales=False)
    evidence = random_evidence(circuit, rng, 400)
    found = flows(circuit, evidence, impossible="skip")
    answer = posteriors(circuit, evidence, impossible="nan")
    for column, about in enumerate(circuit.schema.columns):
        if not about.is_discrete:
            leaves, weights = answer.leaves(column)
            np.testing.assert_allclose(found.leaf[leaves], np.nansum(weights, axis=0), rtol=1e-9)


def test_a_row_far_out_flows_where_it_belongs():
    """A million deviations away a log-density has no digits left for the weights of branches."""
    parts = [
        Product((Gaussian("x", 0.0, 1.0), Categorical("c", {0: p, 1: 1 - p}))) for p in (0.2, 0.9)
    ]
    circuit = flatten(Sum((0.5, 0.5), tuple(parts)))
    rows = {"x": [1e7, 0.1], "c": [0.0, 0.0]}
    evidence = Evidence(np.array([rows[name] for name in circuit.schema.names]))
    found = flows(circuit, evidence)
    top = found.edge[circuit.edge_start[circuit.root] :]
    np.testing.assert_allclose(top, np.array([0.2, 0.9]) / 1.1 * 2, rtol=1e-12)


def em_step(circuit, evidence):
    """One step of expectation-maximisation, written down plainly."""
    found = flows(circuit, evidence)
    weight, params = circuit.weight.copy(), circuit.params.copy()
    into = found.node[circuit.edge_owner]
    moved = (circuit.kind[circuit.edge_owner] == SUM) & (into > 0.0)
    weight[moved] = found.edge[moved] / into[moved]
    for leaf in np.flatnonzero(found.leaves.observed > 0.0):
        stats = found.leaves.of(leaf)
        own = slice(circuit.param_start[leaf], circuit.param_start[leaf + 1])
        family = FAMILIES[circuit.leaf_family[leaf]]
        if family is GAUSSIAN:
            mean = stats.centre + stats.offset
            params[own] = [mean, max(np.sqrt(stats.scatter / stats.weight), 0.05)]
        else:
            params[own] = family.finish(stats, OPTIONS)
    return found.score, with_parameters(circuit, weight=weight, params=params)


@pytest.mark.parametrize("share", [0.0, 0.6])
@pytest.mark.parametrize("seed", range(3))
def test_expectation_maximisation_never_loses(share, seed):
    rng = np.random.default_rng(seed)
    make = {"depth": 3, "share": share, "zeros": 0.0, "scales": False, "missing": False}
    truth = random_circuit(rng, 3, 2, **make)
    drawn = sample(truth, 300, rng)
    drawn[rng.random(drawn.shape) < 0.2] = np.nan
    says_all = rng.random((300, 1)) < 0.9
    sets = {
        i: np.tile(np.arange(column.n_levels) < column.n_levels - 1, (300, 1)) | says_all
        for i, column in enumerate(truth.schema.columns)
        if column.is_discrete
    }
    evidence, circuit, scores = Evidence(drawn, sets), truth, []
    for _ in range(8):
        score, circuit = em_step(circuit, evidence)
        scores.append(score)
    assert (np.diff(scores) > -1e-6).all()
    assert scores[-1] > scores[0] + 1.0
