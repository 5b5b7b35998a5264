"""Small circuits that the tests of this room share, and what it means that two are the same."""

import numpy as np

from softlearn.circuit import Categorical, Circuit, Gaussian, Histogram, Node, Product, Sum, flatten
from softlearn.circuit.flat import ARRAYS


def paper_example() -> Sum:
    """The mixture of two pairs of Gaussians that the paper opens with."""
    left = Gaussian("X", -0.5, 1) * Gaussian("Y", -2, 0.2)
    right = Gaussian("X", 0.5, 1) * Gaussian("Y", 2, 0.2)
    return 0.5 * left + 0.5 * right


def mixed_nodes() -> Sum:
    """Every family, a boolean column, a nested sum and a shared leaf."""
    flag = Categorical("flag", {False: 0.25, True: 0.75})
    colour = 0.2 * Categorical("colour", {"red": 1.0}) + 0.8 * Categorical(
        "colour", {"red": 0.1, "grün": 0.9}
    )
    first = Gaussian("size", 1.5, 0.25) * flag * colour
    second = Histogram("size", [0, 1, 4], [0.4, 0.6]) * flag * Categorical("colour", {"grün": 1})
    return 0.3 * first + 0.7 * second


def mixed() -> Circuit:
    return flatten(mixed_nodes())


def must_equal(one: Circuit, other: Circuit) -> None:
    """Check that two circuits agree bit for bit."""
    assert one.schema == other.schema
    for name in ARRAYS:
        first, second = getattr(one, name), getattr(other, name)
        assert first.dtype == second.dtype, name
        assert first.shape == second.shape, name
        assert first.tobytes() == second.tobytes(), name


def deep_sums(depth: int) -> Node:
    """A chain of sums over one pair of columns, each the second branch of the one above."""
    node: Node = Gaussian("x", 0, 1) * Categorical("c", {"a": 0.5, "b": 0.5})
    for _ in range(depth):
        node = Sum((0.5, 0.5), (Gaussian("x", 1, 1) * Categorical("c", {"a": 1}), node))
    return node


def deep_products(n_columns: int) -> Node:
    """A chain of products, kept apart by sums, that adds a column at each step."""
    node: Node = Gaussian("x0", 0, 1)
    for i in range(1, n_columns):
        low, high = Gaussian(f"x{i}", -1, 1), Gaussian(f"x{i}", 1, 1)
        node = Sum((0.5, 0.5), (Product((low, node)), Product((high, node))))
    return node


def wide(n_nodes: int) -> Node:
    """A mixture of pairs of products over twenty columns, half of them categorical."""
    per_branch = 2 * 20 + 3
    n_branches = n_nodes // per_branch + 1
    means = np.linspace(-1, 1, n_branches).tolist()
    branches = tuple(
        Sum((0.5, 0.5), (Product(_leaves(mean)), Product(_leaves(-mean)))) for mean in means
    )
    return Sum((1 / n_branches,) * n_branches, branches)


def _leaves(mean: float) -> tuple[Node, ...]:
    numeric = [Gaussian(f"x{i}", mean, 1) for i in range(10)]
    discrete = [Categorical(f"c{i}", {"a": 0.25, "b": 0.75}) for i in range(10)]
    return (*numeric, *discrete)
