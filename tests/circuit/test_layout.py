"""One place numbers nodes: whatever order they come in, the circuit is sound and the same."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_circuits import random_circuit, random_evidence
from softlearn.circuit import LEAF, NodeList, lay_out, validate, violations
from softlearn.circuit.flat import ARRAYS
from softlearn.query import reference
from strategies import small_circuits


def shuffled(circuit, rng):
    """The nodes of a circuit in another order with children first, and its edges mixed."""
    waiting = np.diff(circuit.edge_start).tolist()
    parents = [[] for _ in range(circuit.n_nodes)]
    for edge, child in enumerate(circuit.child.tolist()):
        parents[child].append(int(circuit.edge_owner[edge]))
    ready, order = [node for node in range(circuit.n_nodes) if not waiting[node]], []
    while ready:
        node = ready.pop(int(rng.integers(len(ready))))
        order.append(node)
        for parent in parents[node]:
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)
    place = np.empty(circuit.n_nodes, np.int64)
    place[order] = np.arange(circuit.n_nodes)
    nodes, edges = NodeList.of(circuit), rng.permutation(circuit.n_edges)
    return NodeList(
        kind=nodes.kind[order],
        parent=place[nodes.parent][edges],
        child=place[nodes.child][edges],
        weight=nodes.weight[edges],
        column=nodes.column[order],
        family=nodes.family[order],
        n_params=nodes.n_params[order],
        first_param=nodes.first_param[order],
        params=nodes.params,
    )


@settings(max_examples=60, deadline=None)
@given(small_circuits(), st.integers(0, 1000))
def test_any_order_with_children_first_gives_the_same_distribution(circuit, seed):
    rng = np.random.default_rng(seed)
    found = lay_out(circuit.schema, shuffled(circuit, rng))
    assert violations(found) == []
    evidence = random_evidence(circuit, rng, 5)
    np.testing.assert_allclose(
        reference.log_likelihood(found, evidence),
        reference.log_likelihood(circuit, evidence),
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("share", [0.0, 0.7])
def test_a_circuit_that_is_laid_out_again_keeps_every_number(share):
    circuit = random_circuit(np.random.default_rng(0), 4, 3, depth=4, share=share)
    again = lay_out(circuit.schema, NodeList.of(circuit))
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(circuit, name))


def test_leaves_come_by_family_and_keep_their_order_inside_it():
    circuit = random_circuit(np.random.default_rng(1), 3, 4, depth=3)
    nodes = NodeList.of(circuit)
    turned = np.where(nodes.kind == LEAF, nodes.family.max() - nodes.family, 0)
    found = lay_out(circuit.schema, replace(nodes, family=turned))
    assert (np.diff(found.leaf_family.astype(int)) >= 0).all()
    order = np.argsort(turned[: circuit.n_leaves], kind="stable")
    np.testing.assert_array_equal(found.leaf_column, circuit.leaf_column[order])


def test_children_keep_the_order_of_their_edges():
    circuit = random_circuit(np.random.default_rng(2), 4, 0, depth=3, share=0.5)
    nodes = NodeList.of(circuit)
    by_child = np.argsort(nodes.child, kind="stable")
    mixed = replace(
        nodes,
        parent=nodes.parent[by_child],
        child=nodes.child[by_child],
        weight=nodes.weight[by_child],
    )
    found = lay_out(circuit.schema, mixed)
    validate(found)
    for node in range(found.n_leaves, found.n_nodes):
        own = found.child[found.edge_start[node] : found.edge_start[node + 1]]
        assert (np.diff(own) >= 0).all()
