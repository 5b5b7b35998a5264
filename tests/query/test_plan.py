"""The plan: few slots, little memory, every node computed once, kept as long as its circuit."""

import gc
import weakref
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

import zoo
from circuit_examples import wide
from random_circuits import random_circuit
from softlearn.circuit import (
    LEAF,
    PRODUCT,
    SUM,
    Categorical,
    Circuit,
    Gaussian,
    Product,
    Sum,
    flatten,
)
from softlearn.kernels.circuit.program import (
    COMBINE,
    LEAVES_MULTIPLY,
    LEAVES_SET,
    MULTIPLY,
    SCALE,
    TILE,
)
from softlearn.query import (
    Evidence,
    log_likelihood,
    posteriors,
    reference,
    sample,
    sample_given,
)
from softlearn.query.instructions import fused_edges
from softlearn.query.leaves import leaf_tables
from softlearn.query.plan import plan_for
from softlearn.query.shape import TILE_LEAVES
from softlearn.query.workspace import (
    BLOCK_ROWS,
    TRACE_BYTES,
    Workspace,
    batch_of,
    block_rows,
    blocks,
    over_rows,
)
from softlearn.table.schema import Column, Schema
from strategies import small_circuits


def balanced(height, fanout=2, rng=None):
    """A tree of sums over one column, every inner node with ``fanout`` children."""
    rng = rng or np.random.default_rng(0)
    layer = [Categorical("a", {0: p, 1: 1 - p}) for p in rng.random(fanout**height).tolist()]
    while len(layer) > 1:
        groups = [tuple(layer[i : i + fanout]) for i in range(0, len(layer), fanout)]
        layer = [Sum((1 / fanout,) * fanout, group) for group in groups]
    return flatten(layer[0])


@pytest.mark.parametrize("height", [1, 2, 5, 10, 14])
def test_a_balanced_tree_needs_as_many_slots_as_it_is_high(height):
    assert plan_for(balanced(height)).shape.n_slots <= height + 1


@pytest.mark.parametrize("fanout", [2, 10, 100, 5000])
def test_the_slots_of_a_sum_do_not_grow_with_its_width(fanout):
    assert plan_for(balanced(1, fanout)).shape.n_slots == 2


def test_the_slots_of_a_chain_do_not_grow_with_its_depth():
    node = Categorical("a", {0: 0.5, 1: 0.5})
    for _ in range(2000):
        node = Sum((0.5, 0.5), (Categorical("a", {0: 0.1, 1: 0.9}), node))
    assert plan_for(flatten(node)).shape.n_slots == 2


def workspace_bytes(circuit):
    plan = plan_for(circuit)
    evidence = Evidence.nothing(len(circuit.schema), BLOCK_ROWS)
    block = Workspace(
        plan, evidence, batch_of(circuit.schema, plan.shape.columns, evidence), BLOCK_ROWS
    ).block
    fields = [array for part in block for array in part]
    return sum(array.nbytes for array in fields)


def test_a_workspace_does_not_grow_with_the_circuit():
    small, large = flatten(wide(2_000)), flatten(wide(20_000))
    assert large.n_edges > 9 * small.n_edges
    assert workspace_bytes(large) == workspace_bytes(small)


def test_a_trace_shrinks_its_blocks_as_the_circuit_grows():
    plan = plan_for(flatten(wide(60_000)), trace=True)
    rows = block_rows(plan, 1000, trace=True)
    assert rows < BLOCK_ROWS
    assert rows * plan.shape.n_slots * 16 <= TRACE_BYTES
    assert block_rows(plan, 3, trace=True) == 3
    assert block_rows(plan, 1000) == BLOCK_ROWS


@settings(max_examples=60, deadline=None)
@given(small_circuits())
def test_every_node_is_computed_once_and_before_it_is_read(circuit):
    """Follows the program slot by slot, as a symbolic machine, and compares with the circuit."""
    for trace, by_families in product((False, True), repeat=2):
        plan = plan_for(circuit, trace=trace, by_families=by_families)
        assert evaluate_symbolically(plan) == expected_terms(circuit)


def evaluate_symbolically(plan):
    """Return, for the root, how often each product of edges occurs: a polynomial as a dict."""
    program, slots = plan.program, {}
    segment_start = np.concatenate([[0], plan.shape.uses.segment_ends[:, 1]])
    segment_of = np.searchsorted(
        plan.shape.uses.segment_ends[:, 0], np.arange(program.op.size), side="right"
    )
    leaf_at = {int(at): leaf for leaf, at in enumerate(leaf_tables(plan.circuit).offset)}
    for i in range(program.op.size):
        op = program.op[i]
        a, b = (slots.get(int(s[i])) for s in (program.a, program.b))
        if op == LEAVES_SET:
            value = {(): 1.0}
        elif op == LEAVES_MULTIPLY:
            value = a
        elif op == MULTIPLY:
            value = times(a, b)
        elif op == SCALE:
            value = plus({}, a, program.weight_a[i])
        else:
            assert op == COMBINE
            value = plus(plus({}, a, program.weight_a[i]), b, program.weight_b[i])
        for use in range(program.leaf_from[i], program.leaf_to[i]):
            leaves = (leaf_at[int(program.leaf_offset[use])],)
            if program.leaf_source[use] == TILE:
                segment = slice(*segment_start[segment_of[i] : segment_of[i] + 2])
                row = plan.shape.uses.tile_row[segment] == program.leaf_place[use]
                leaves = tuple(plan.shape.uses.tile_leaf[segment][row].tolist())
            value = times(value, {leaves: 1.0})
        slots[int(program.to[i])] = value
    return rounded(slots[plan.shape.root])


def expected_terms(circuit):
    terms = [{(leaf,): 1.0} for leaf in range(circuit.n_leaves)]
    for node in range(circuit.n_leaves, circuit.n_nodes):
        edges = slice(circuit.edge_start[node], circuit.edge_start[node + 1])
        below = [terms[c] for c in circuit.child[edges]]
        if circuit.kind[node] == SUM:
            value = {}
            for part, weight in zip(below, circuit.weight[edges], strict=True):
                value = plus(value, part, weight)
        else:
            value = {(): 1.0}
            for part in below:
                value = times(value, part)
        terms.append(value)
    return rounded(terms[-1])


def times(a, b):
    out = {}
    for left, x in a.items():
        for right, y in b.items():
            key = tuple(sorted(left + right))
            out[key] = out.get(key, 0.0) + x * y
    return out


def plus(a, b, weight):
    out = dict(a)
    for key, y in b.items():
        out[key] = out.get(key, 0.0) + weight * y
    return out


def rounded(terms):
    return {key: round(value, 9) for key, value in terms.items() if round(value, 9) != 0.0}


@pytest.mark.parametrize("trace", [False, True])
def test_the_number_of_instructions_is_that_of_the_edges_at_most(trace):
    """A shared node that were computed for each of its readers would need more."""
    rng = np.random.default_rng(0)
    circuit = random_circuit(rng, 8, 2, depth=5, share=0.7)
    plan = plan_for(circuit, trace=trace)
    writes = plan.program.op.size
    assert writes <= circuit.n_edges + circuit.n_leaves
    assert plan.program.leaf_source.size <= fused_edges(circuit.structure).sum() + circuit.n_leaves


def test_segments_hold_a_tile_or_one_instruction():
    rng = np.random.default_rng(1)
    names = [f"x{i}" for i in range(331)]
    shared = Product(tuple(Gaussian(name, 0, 1) for name in names[100:]))
    parts = tuple(
        Product((shared, *(Gaussian(name, rng.normal(), 1) for name in names[:100])))
        for _ in range(20)
    )
    plan = plan_for(flatten(Sum((0.05,) * 20, parts)), by_families=True)
    sizes = np.diff(plan.shape.uses.segment_ends[:, 1], prepend=0)
    steps = np.diff(plan.shape.uses.segment_ends[:, 0], prepend=0)
    assert plan.shape.uses.tile_leaf.size == 20 * 100 + 231
    assert (steps > 0).all()
    assert ((sizes <= TILE_LEAVES) | (steps == 1)).all()
    assert plan.shape.uses.segment_ends[-1].tolist() == [
        plan.program.op.size,
        plan.shape.uses.tile_leaf.size,
    ]
    rows = plan.program.leaf_place[plan.program.leaf_source == TILE]
    assert rows.size == 21
    assert 0 <= rows.min() <= rows.max() < TILE_LEAVES


def test_ordinary_circuits_need_no_exponents():
    assert not plan_for(zoo.xor()).needs_exponents
    assert not plan_for(balanced(10)).needs_exponents
    assert plan_for(zoo.gaussian_pair()).needs_exponents


def test_a_plan_is_made_once_for_each_circuit():
    circuit, other = zoo.xor(), zoo.xor()
    assert plan_for(circuit) is plan_for(circuit)
    assert plan_for(circuit, trace=True) is plan_for(circuit, trace=True)
    assert plan_for(circuit) is not plan_for(circuit, trace=True)
    assert plan_for(circuit) is not plan_for(other)


def test_a_circuit_and_its_plans_are_freed_together():
    circuit = zoo.gaussian_pair()
    log_likelihood(circuit, Evidence.nothing(2))
    posteriors(circuit, Evidence.nothing(2))
    circuits, plans = weakref.ref(circuit), weakref.ref(plan_for(circuit))
    del circuit
    gc.collect()
    assert circuits() is None
    assert plans() is None


@pytest.mark.parametrize(("n_rows", "size"), [(1, 1), (7, 7), (256, 256), (257, 256), (1000, 256)])
def test_blocks_are_full_and_cover_every_row(n_rows, size):
    seen = np.zeros(n_rows + 10, dtype=int)
    for start in blocks(10, 10 + n_rows, size):
        assert start >= 10
        assert start + size <= 10 + n_rows
        seen[start : start + size] += 1
    assert (seen[10:] > 0).all()
    assert (seen[:10] == 0).all()


@pytest.mark.parametrize("n_threads", [1, 2, 8, None])
@pytest.mark.parametrize("n_rows", [1, 4095, 8192, 100_003])
def test_tasks_cover_every_row_once(n_rows, n_threads):
    seen = np.zeros(n_rows, dtype=int)

    def work(first, last):
        seen[first:last] += 1

    over_rows(work, n_rows, n_threads)
    assert (seen == 1).all()


def test_an_error_in_a_thread_reaches_the_caller():
    def work(first, last):
        raise RuntimeError(f"rows {first} to {last}")

    with pytest.raises(RuntimeError, match="rows 0 to"):
        over_rows(work, 20_000, 2)


# --- Very deep and very large circuits ------------------------------------------------------------


def answers_everything(circuit, n_rows=4):
    """Likelihood, posteriors and samples of a circuit that is too large for recursion."""
    rng = np.random.default_rng(0)
    drawn = sample(circuit, n_rows, rng)
    assert not np.isnan(drawn).any()
    complete = Evidence(drawn)
    scores = log_likelihood(circuit, complete)
    assert np.isfinite(scores).all()
    values = drawn.copy()
    values[0] = np.nan
    found = posteriors(circuit, Evidence(values), columns=[0])
    discrete = circuit.schema.columns[0].is_discrete
    shares = found.levels(0) if discrete else found.leaves(0)[1]
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(
        log_likelihood(circuit, Evidence.nothing(*values.shape)), 0, atol=1e-8
    )
    again = sample_given(circuit, Evidence(values), rng)
    np.testing.assert_array_equal(again[1:], values[1:])
    return scores


@pytest.mark.slow
def test_a_chain_of_sums_100_000_deep():
    """P(a) of a chain of mixtures, by the recursion that defines it."""
    depth = 100_000
    leaves = [Categorical("a", {0: p, 1: 1 - p}) for p in (0.5, 0.1)]
    node, p = leaves[0], 0.5
    for _ in range(depth):
        node = Sum((0.001, 0.999), (leaves[1], node))
        p = 0.001 * 0.1 + 0.999 * p
    circuit = flatten(node)
    assert circuit.depth == depth
    answers_everything(circuit)
    found = log_likelihood(circuit, Evidence(np.array([[0.0, 1.0]])))
    np.testing.assert_allclose(np.exp(found), [p, 1 - p], rtol=1e-9)


@pytest.mark.slow
def test_a_chain_of_sums_and_products_100_000_deep():
    node = Categorical("c0", {0: 0.5, 1: 0.5})
    for i in range(1, 50_001):
        low, high = (Categorical(f"c{i}", {0: p, 1: 1 - p}) for p in (0.2, 0.7))
        node = Sum((0.5, 0.5), (Product((low, node)), Product((high, node))))
    scores = answers_everything(flatten(node), n_rows=2)
    assert (scores < -30_000).all()  # in 50 001 columns nothing is likely


def mixture_of_products(n_branches, n_columns):
    """A sum of products of coins, straight from arrays: nodes would take longer than the test."""
    rng = np.random.default_rng(0)
    n_leaves = n_branches * n_columns
    p = rng.random(n_leaves)
    sizes = np.concatenate([np.zeros(n_leaves), np.full(n_branches, n_columns), [n_branches]])
    return Circuit(
        schema=Schema(tuple(Column(f"c{i}", "boolean") for i in range(n_columns))),
        kind=np.repeat([LEAF, PRODUCT, SUM], [n_leaves, n_branches, 1]),
        edge_start=np.concatenate([[0], np.cumsum(sizes)]),
        child=np.arange(n_leaves + n_branches),
        weight=np.repeat([1.0, 1.0 / n_branches], [n_leaves, n_branches]),
        leaf_column=np.tile(np.arange(n_columns), n_branches),
        leaf_family=np.zeros(n_leaves),
        param_start=np.arange(0, 2 * n_leaves + 1, 2),
        params=np.stack([p, 1 - p], axis=1).ravel(),
    )


@pytest.mark.slow
def test_a_million_edges_need_few_slots_and_small_traces():
    circuit = mixture_of_products(25_000, 40)
    assert circuit.n_edges > 1_000_000
    assert plan_for(circuit).shape.n_slots == 2
    trace = plan_for(circuit, trace=True)
    assert trace.shape.n_slots * block_rows(trace, 1000, trace=True) * 24 < 64 << 20
    scores = answers_everything(circuit)
    drawn = Evidence(sample(circuit, 4, np.random.default_rng(0)))
    np.testing.assert_allclose(scores, reference.log_likelihood(circuit, drawn), rtol=1e-10)
