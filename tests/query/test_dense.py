"""Blocks of sums with the same children: the same answers as sums one by one."""

import numpy as np
import pytest

from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.circuit import SUM, Circuit, with_parameters
from softlearn.circuit.draft import Draft
from softlearn.leaf import GAUSSIAN
from softlearn.learn import Block
from softlearn.learn.em_config import EmConfig, random_weights
from softlearn.learn.first_leaves import FirstLeaves
from softlearn.learn.hclt import hidden_tree
from softlearn.learn.region_circuit import Widths, first_circuit
from softlearn.learn.region_graph import random_trees
from softlearn.query import Evidence, flows, log_likelihood, posteriors, reference, sample_given
from softlearn.query import dense as blocks_of_sums
from softlearn.query import plan as plans
from softlearn.query import shape as shapes
from softlearn.query.dense import dense_blocks
from softlearn.query.plan import plan_for


def hidden(kinds, n_states, seed=0):
    values = mixture(kinds, 80, seed=seed)
    leaves = FirstLeaves.of(Block(values, np.ones(80)), schema_of(kinds), EmConfig())
    parent = (np.arange(len(kinds)) - 1) // 2
    parent[0] = -1
    return hidden_tree(leaves, parent, n_states, np.random.default_rng(seed)), values


def regions(kinds, width, seed=0):
    values, rng = mixture(kinds, 80, seed=seed), np.random.default_rng(seed)
    leaves = FirstLeaves.of(Block(values, np.ones(80)), schema_of(kinds), EmConfig())
    graph = random_trees(len(kinds), 3, 2, rng)
    return first_circuit(leaves, graph, Widths(width, width, mixes=True), rng), values


def sums_over_sums(kinds, n, seed=0):
    """Blocks of sums over products, over these sums, and of some of them outside the block too."""
    values, rng = mixture(kinds, 80, seed=seed), np.random.default_rng(seed)
    leaves = FirstLeaves.of(Block(values, np.ones(80)), schema_of(kinds), EmConfig())
    draft, rows = Draft(leaves.schema), leaves.rows(n, rng)
    own = np.stack([leaves.add(draft, column, rows) for column in range(len(kinds))], axis=1)
    lower = draft.add_sums(draft.add_products(own), random_weights(n, n, rng))
    upper = draft.add_sums(lower, random_weights(n, n, rng))
    both = np.concatenate([lower[:3], upper])
    root = draft.add_sums(both, random_weights(1, both.size, rng))
    return draft.circuit(int(root[0])), values


def with_weights(circuit, change):
    """The circuit with changed weights of sums, divided by what they add to."""
    weight, owner = circuit.weight.copy(), circuit.edge_owner
    is_sum = (circuit.kind == SUM)[owner]
    weight[is_sum] = change(weight[is_sum])
    total = np.bincount(owner, weight, circuit.n_nodes)
    weight[is_sum] = (weight / np.where(total > 0, total, 1.0)[owner])[is_sum]
    return with_parameters(circuit, weight=weight)


@pytest.fixture
def one_by_one(monkeypatch):
    """Evaluate without blocks; what is compiled with blocks is forgotten before and after."""

    def forget():
        shapes._SHAPES.clear()
        plans._PLANS.clear()

    def run(question):
        forget()
        with monkeypatch.context() as patch:
            patch.setattr(blocks_of_sums, "FEWEST", 10**9)
            answer = question()
        forget()
        return answer

    return run


def spread(weight):
    """Weights of very different sizes, and zeros."""
    rng = np.random.default_rng(0)
    return np.where(
        rng.random(weight.size) < 0.3, 0.0, weight * 10.0 ** rng.uniform(-8, 0, weight.size)
    )


def tiny(weight):
    """Some weights that join their exponents to the values'."""
    return np.where(np.arange(weight.size) % 7 == 3, 1e-250, weight)


CASES = {
    "hidden tree": lambda: hidden("b3nb2bnbb", 9),
    "hidden tree, odd width": lambda: hidden("bbbbbb3", 13),
    "regions": lambda: regions("b3nb2bnbb", 8),
    "zeros": lambda: (with_weights(hidden("b3nb2bnbb", 9)[0], spread), hidden("b3nb2bnbb", 9)[1]),
    "tiny": lambda: (with_weights(hidden("b3nb2bnbb", 9)[0], tiny), hidden("b3nb2bnbb", 9)[1]),
    "exponents": lambda: hidden("n3b" * 250, 8),
    "sums over sums": lambda: sums_over_sums("b3nb2", 9),
    "sums over sums, exponents": lambda: sums_over_sums("n3b" * 250, 9),
}


@pytest.fixture(params=CASES)
def case(request) -> tuple[Circuit, Evidence]:
    circuit, values = CASES[request.param]()
    values = with_gaps(np.concatenate([values, values[:, :11]], axis=1), 0.2)
    return circuit, Evidence(values)


def test_blocks_are_found(case):
    circuit, _ = case
    found = dense_blocks(circuit.structure)
    assert found.n > 0
    for first, n, child, width, edge in np.stack(found, axis=1).tolist():
        for k in range(n):
            own = slice(circuit.edge_start[first + k], circuit.edge_start[first + k + 1])
            np.testing.assert_array_equal(circuit.child[own], np.arange(child, child + width))
            assert own.start == edge + k * width
            assert circuit.kind[first + k] == SUM
    assert plan_for(circuit).shape.dense.n == found.n


def test_flow_goes_over_the_values_of_children_that_one_block_reads_alone():
    circuit, _ = sums_over_sums("b3nb2", 9)
    shape = plan_for(circuit, trace=True).shape
    apart = np.flatnonzero(shape.flow_of != shape.slot_of)
    lower = dense_blocks(circuit.structure).first_sum[0]
    np.testing.assert_array_equal(apart, lower + np.arange(3))  # the root reads these three too
    assert shape.n_flows == 3


def test_likelihoods_are_the_same(case, one_by_one):
    circuit, evidence = case
    found = log_likelihood(circuit, evidence)
    plain = one_by_one(lambda: log_likelihood(circuit, evidence))
    np.testing.assert_allclose(found, plain, rtol=1e-11)
    few = evidence.rows(slice(0, 5))
    np.testing.assert_allclose(found[:5], reference.log_likelihood(circuit, few), rtol=1e-9)


def test_flows_are_the_same(case, one_by_one):
    circuit, evidence = case
    weights = np.random.default_rng(0).random(evidence.n_rows)
    found = flows(circuit, evidence, weights, impossible="skip")
    plain = one_by_one(lambda: flows(circuit, evidence, weights, impossible="skip"))
    np.testing.assert_allclose(found.edge, plain.edge, rtol=1e-9, atol=1e-12)
    for one, other in zip(found.leaves.totals, plain.leaves.totals, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)


def test_posteriors_and_draws_are_the_same(case, one_by_one):
    circuit, evidence = case
    few = evidence.rows(slice(0, 20))
    found = posteriors(circuit, few, impossible="nan")
    plain = one_by_one(lambda: posteriors(circuit, few, impossible="nan"))
    for i, column in enumerate(circuit.schema):
        if column.is_discrete:
            one, other = found.levels(i), plain.levels(i)
        else:
            (leaf, one), (plain_leaf, other) = found.leaves(i), plain.leaves(i)
            np.testing.assert_array_equal(leaf, plain_leaf)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)

    def draw():
        return sample_given(circuit, few, np.random.default_rng(0), impossible="nan")

    drawn, plainly = draw(), one_by_one(draw)
    assert (np.isclose(drawn, plainly, equal_nan=True)).mean() > 0.999  # a draw may sit on an edge


def test_a_row_has_the_same_value_wherever_it_stands(case):
    circuit, evidence = case
    whole = log_likelihood(circuit, evidence)
    for start in (1, 7, 50):
        np.testing.assert_array_equal(
            log_likelihood(circuit, evidence.rows(slice(start, None))), whole[start:]
        )


def test_a_sum_of_small_children_alone_is_not_lost_beside_large_ones():
    """Children of one row differ by hundreds of thousands of bits, and the root reads the least."""
    schema, k = schema_of("nn"), 8
    draft = Draft(schema)
    means = 100.0 * np.arange(k)
    x, y = (draft.add_leaves(i, GAUSSIAN, np.stack([means, np.ones(k)], axis=1)) for i in range(2))
    sums = draft.add_sums(x, np.eye(k))
    products = draft.add_products(np.stack([sums, y], axis=1))
    root = draft.add_sums(products, np.eye(k)[[-1]])
    circuit = draft.circuit(int(root[0]))
    assert dense_blocks(circuit.structure).n == 1
    evidence = Evidence(np.array([[0.0, 650.0], [700.0, 700.0]]))
    expected = GAUSSIAN.log_density(np.array([700.0, 1.0]), evidence.values).sum(axis=0)
    np.testing.assert_allclose(log_likelihood(circuit, evidence), expected, rtol=1e-12)
    found = flows(circuit, evidence)
    np.testing.assert_allclose(found.leaf[[7, 15]], [2.0, 2.0])
    assert found.leaf.sum() == pytest.approx(4.0)
