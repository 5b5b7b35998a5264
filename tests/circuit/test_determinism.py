"""Determinism: found where it is built in, and never claimed where two children can be true."""

import numpy as np
import pytest

from circuit_examples import paper_example
from plain_scale import WHOLE
from random_circuits import every_world, random_circuit
from softlearn.circuit import (
    Categorical,
    Circuit,
    Gaussian,
    Histogram,
    Node,
    Product,
    Scaled,
    Sum,
    flatten,
)
from softlearn.circuit.determinism import is_deterministic
from softlearn.query.evidence import Evidence
from softlearn.query.reference import node_log_values
from softlearn.table.schema import Column, Schema


def two(left: Node, right: Node) -> Circuit:
    return flatten(Sum((0.5, 0.5), (left, right)))


def most_children_true_at_once(circuit: Circuit, values: np.ndarray) -> int:
    """The largest number of children with weight that any sum finds possible in any row."""
    possible = np.isfinite(node_log_values(circuit, Evidence(values)))
    most = 0
    for node in np.flatnonzero(circuit.kind == 2):
        edges = slice(circuit.edge_start[node], circuit.edge_start[node + 1])
        children = circuit.child[edges][circuit.weight[edges] > 0]
        most = max(most, int(possible[children].sum(axis=0).max()))
    return most


def test_a_product_of_leaves_is_deterministic():
    assert is_deterministic(flatten(Gaussian("x", 0, 1) * Gaussian("y", 0, 1)))


def test_overlapping_gaussians_are_not():
    assert not is_deterministic(flatten(paper_example()))


def test_children_that_differ_in_a_level_are():
    circuit = two(
        Categorical("c", {"a": 1, "b": 0}) * Gaussian("x", 0, 1),
        Categorical("c", {"a": 0, "b": 1}) * Gaussian("x", 1, 1),
    )
    assert is_deterministic(circuit)


def test_sharing_one_level_is_enough_to_break_it():
    left = Categorical("c", {"a": 0.5, "b": 0.5, "c": 0})
    right = Categorical("c", {"a": 0, "b": 0.5, "c": 0.5})
    assert not is_deterministic(two(left, right))


@pytest.mark.parametrize(("start", "expected"), [(1.0, True), (0.999, False), (5.0, True)])
def test_intervals_may_touch_but_not_overlap(start, expected):
    circuit = two(Histogram("x", [0, 1], [1]), Histogram("x", [start, start + 2], [1]))
    assert is_deterministic(circuit) is expected


def test_a_hull_is_taken_without_its_empty_ends():
    left = Histogram("x", [0, 1, 2], [1, 0])
    assert is_deterministic(two(left, Histogram("x", [1, 2], [1])))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({2.0: 1.0}, {2.0: 0.0}, True),  # an atom, and all that is none, on both sides of it
        ({2.0: 1.0}, {2.0: 0.1}, False),
        ({2.0: 0.5}, {2.0: 0.0}, False),
        ({None: 1.0}, {2.0: 1.0}, True),
        ({None: 1.0}, {None: 0.1}, False),
    ],
)
def test_leaves_over_a_scale_must_not_share_a_cell(left, right, expected):
    schema = Schema((Column("x", "integer", scale=WHOLE, missing="modelled"),))
    leaves = (Scaled("x", atoms=left), Scaled("x", atoms=right))
    assert is_deterministic(flatten(Sum((0.5, 0.5), leaves), schema)) is expected


def test_an_interval_overlaps_the_whole_line():
    assert not is_deterministic(two(Histogram("x", [0, 1], [1]), Gaussian("x", 0, 1)))


@pytest.mark.parametrize(
    ("levels", "expected"), [("aba", False), ("aab", False), ("baa", False), ("bca", True)]
)
def test_three_children_must_differ_pairwise(levels, expected):
    leaves = [Categorical("c", {n: float(n == own) for n in "abc"}) for own in levels]
    assert is_deterministic(flatten(Sum((1 / 3, 1 / 3, 1 / 3), tuple(leaves)))) is expected


def test_children_may_differ_two_by_two_on_different_columns():
    # No single column tells all three apart.
    def bits(*values: int | None) -> Node:
        options = {0: {0: 1, 1: 0}, 1: {0: 0, 1: 1}, None: {0: 0.5, 1: 0.5}}
        return Product(tuple(Categorical(f"c{i}", options[v]) for i, v in enumerate(values)))

    children = (bits(0, 1, None), bits(None, 0, 1), bits(1, None, 0))
    circuit = flatten(Sum((0.2, 0.3, 0.5), children))
    assert is_deterministic(circuit)
    assert most_children_true_at_once(circuit, every_world(circuit)) == 1


def test_one_pair_that_overlaps_is_enough():
    def bits(*values: int | None) -> Node:
        options = {0: {0: 1, 1: 0}, 1: {0: 0, 1: 1}, None: {0: 0.5, 1: 0.5}}
        return Product(tuple(Categorical(f"c{i}", options[v]) for i, v in enumerate(values)))

    circuit = flatten(Sum((0.2, 0.3, 0.5), (bits(0, 1), bits(1, None), bits(None, 0))))
    assert not is_deterministic(circuit)
    assert most_children_true_at_once(circuit, every_world(circuit)) == 2


def test_branches_without_weight_do_not_count():
    leaves = (Gaussian("x", 0, 1), Gaussian("x", 1, 1))
    assert is_deterministic(flatten(Sum((1.0, 0.0), leaves)))


def test_one_deterministic_sum_does_not_excuse_another():
    mixed = Sum((0.5, 0.5), (Gaussian("x", 0, 1), Gaussian("x", 1, 1)))
    circuit = two(
        Product((Categorical("c", {0: 1, 1: 0}), mixed)),
        Product((Categorical("c", {0: 0, 1: 1}), Gaussian("x", 1, 1))),
    )
    assert not is_deterministic(circuit)


def test_supports_are_joined_by_inner_sums():
    def level(name: str) -> Node:
        return Categorical("c", {n: float(n == name) for n in "abcd"})

    left = Sum((0.5, 0.5), (level("a"), level("b")))
    assert is_deterministic(two(left, Sum((0.5, 0.5), (level("c"), level("d")))))
    assert not is_deterministic(two(left, Sum((0.5, 0.5), (level("b"), level("d")))))


@pytest.mark.parametrize("seed", range(40))
def test_circuits_built_deterministic_are_found_so(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 3, seed % 3, 3, deterministic=True, n_countable=seed % 2)
    assert is_deterministic(circuit)


@pytest.mark.parametrize("seed", range(60))
def test_claims_hold_in_every_world(seed):
    rng = np.random.default_rng(seed)
    built = bool(seed % 2)
    circuit = random_circuit(rng, 3, 0, 3, zeros=0.6, deterministic=built, n_countable=seed % 3)
    if is_deterministic(circuit):
        assert most_children_true_at_once(circuit, every_world(circuit)) <= 1


@pytest.mark.slow
def test_a_hundred_thousand_nodes_can_be_checked():
    rng = np.random.default_rng(0)
    circuit = flatten(decision_tree(12, rng))
    assert circuit.n_nodes > 100_000
    assert is_deterministic(circuit)


def decision_tree(depth: int, rng: np.random.Generator, n_columns: int = 24) -> Node:
    """A tree of cuts at the middle of what is left of a column, with all columns in its leaves."""

    def grow(boxes: list[tuple[float, float]], left: int) -> Node:
        if left == 0:
            return Product(tuple(Histogram(f"x{i}", box, [1.0]) for i, box in enumerate(boxes)))
        column = int(rng.integers(n_columns))
        lo, hi = boxes[column]
        middle = lo + (hi - lo) * rng.uniform(0.3, 0.7)
        parts = [
            [*boxes[:column], part, *boxes[column + 1 :]] for part in ((lo, middle), (middle, hi))
        ]
        return Sum((0.5, 0.5), (grow(parts[0], left - 1), grow(parts[1], left - 1)))

    return grow([(0.0, 1.0)] * n_columns, depth)
