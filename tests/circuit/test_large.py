"""Circuits that are very deep or very large: no recursion, no quadratic step."""

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from circuit_examples import deep_products, deep_sums, must_equal, wide
from softlearn.circuit import (
    PRODUCT,
    Circuit,
    Gaussian,
    Node,
    build_form,
    describe,
    flatten,
    load_circuit,
    save_circuit,
    to_networkx,
    violations,
)
from softlearn.table.schema import Column, Schema

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Pay for a test's garbage in that test: taking deep chains apart is part of the promise."""
    yield
    gc.collect()


def must_survive_a_round_trip(root: Node, path) -> Circuit:
    """Check a circuit from its nodes to the file and back to nodes."""
    circuit = flatten(root)
    save_circuit(path, circuit)
    loaded = load_circuit(path)
    must_equal(loaded, circuit)
    assert len(build_form(loaded)) == circuit.n_nodes
    return circuit


def test_a_chain_of_a_hundred_thousand_sums(tmp_path):
    circuit = must_survive_a_round_trip(deep_sums(100_000), tmp_path / "model")
    assert describe(circuit).depth == 100_001
    assert describe(circuit).columns == 2


def test_a_chain_of_sums_and_products_a_hundred_thousand_deep(tmp_path):
    circuit = must_survive_a_round_trip(deep_products(50_001), tmp_path / "model")
    assert describe(circuit).depth == 100_000
    assert describe(circuit).columns == 50_001


def test_a_product_written_with_thousands_of_stars_is_one_product(tmp_path):
    root: Node = Gaussian("x0", 0, 1)
    for i in range(1, 20_000):
        root = root * Gaussian(f"x{i}", 0, 1)
    circuit = must_survive_a_round_trip(root, tmp_path / "model")
    assert np.count_nonzero(circuit.kind == PRODUCT) == 1


def test_a_chain_of_a_hundred_thousand_products_in_the_flat_form():
    n = 100_001
    chain = np.arange(n, 2 * n - 2)
    circuit = Circuit(
        schema=Schema(tuple(Column(f"x{i}", "numeric") for i in range(n))),
        kind=np.repeat([0, PRODUCT], [n, n - 1]),
        edge_start=np.concatenate([np.zeros(n), np.arange(0, 2 * n, 2)]),
        child=np.concatenate([[0, 1], np.stack([chain, np.arange(2, n)], axis=1).ravel()]),
        weight=np.ones(2 * n - 2),
        leaf_column=np.arange(n),
        leaf_family=np.full(n, 1),
        param_start=np.arange(0, 2 * n + 1, 2),
        params=np.tile([0.0, 1.0], n),
    )
    assert violations(circuit) == []
    assert circuit.depth == n - 1


def test_a_deep_chain_becomes_a_graph():
    circuit = flatten(deep_sums(20_000))
    assert to_networkx(circuit).number_of_nodes() == circuit.n_nodes


def test_a_million_nodes(tmp_path):
    circuit = must_survive_a_round_trip(wide(1_000_000), tmp_path / "model")
    assert circuit.n_nodes >= 1_000_000
    assert describe(circuit).columns == 20
