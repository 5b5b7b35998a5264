"""The build form: circuits written with + and *."""

import gc

import pytest

from circuit_examples import deep_sums, paper_example
from softlearn.circuit import Categorical, Gaussian, Histogram, Leaf, Product, Sum, flatten
from softlearn.circuit.nodes import Weighted
from softlearn.errors import CircuitError


def columns_of(product: Product) -> list[str]:
    return [leaf.column for leaf in product.children]


def test_the_papers_example_is_a_sum_of_two_products():
    root = paper_example()
    assert isinstance(root, Sum)
    assert root.weights == (0.5, 0.5)
    assert [columns_of(child) for child in root.children] == [["X", "Y"], ["X", "Y"]]
    assert [leaf.params for leaf in root.children[0].children] == [(-0.5, 1.0), (-2.0, 0.2)]


def test_parentheses_around_products_make_no_difference():
    a, b, c, d = (Gaussian(name, 0, 1) for name in "XYXY")
    root = 0.5 * a * b + 0.5 * c * d
    assert root.weights == (0.5, 0.5)
    assert [child.children for child in root.children] == [(a, b), (c, d)]


def test_a_weight_may_stand_inside_a_product():
    a, b = Gaussian("X", 0, 1), Gaussian("Y", 0, 1)
    branch = a * (0.5 * b)
    assert isinstance(branch, Weighted)
    assert branch.weight == 0.5
    assert branch.node.children == (a, b)


def test_a_sum_of_three_terms_is_one_sum():
    a, b, c = (Gaussian("X", mean, 1) for mean in range(3))
    root = 0.2 * a + 0.3 * b + 0.5 * c
    assert root.weights == (0.2, 0.3, 0.5)
    assert root.children == (a, b, c)


def test_brackets_do_not_nest_an_unfinished_sum():
    a, b, c = (Gaussian("X", mean, 1) for mean in range(3))
    assert (0.2 * a + (0.3 * b + 0.5 * c)).children == (a, b, c)


def test_two_unfinished_sums_join():
    a, b = Gaussian("X", 0, 1), Gaussian("X", 1, 1)
    joined = (0.1 * a + 0.2 * b) + (0.3 * a + 0.4 * b)
    assert joined.weights == (0.1, 0.2, 0.3, 0.4)


def test_a_weighted_sum_stays_nested():
    a, b, c = (Gaussian("X", mean, 1) for mean in range(3))
    inner = 0.5 * a + 0.5 * b
    assert (0.4 * inner + 0.6 * c).children == (inner, c)


def test_a_product_of_three_is_one_product_when_flattened():
    a, b, c = (Gaussian(name, 0, 1) for name in "XYZ")
    circuit = flatten(a * b * c)
    assert circuit.n_nodes == 4
    assert circuit.child.tolist() == [0, 1, 2]


def test_a_shared_node_stays_one_node():
    shared = Gaussian("Y", 0, 1)
    root = 0.5 * (Gaussian("X", 0, 1) * shared) + 0.5 * (Gaussian("X", 1, 1) * shared)
    circuit = flatten(root)
    assert circuit.n_leaves == 3
    assert circuit.n_edges == 6


def test_adding_nodes_without_weights_explains_weights():
    a, b = Gaussian("X", 0, 1), Gaussian("X", 1, 1)
    with pytest.raises(CircuitError, match=r"write 0\.5 \* left \+ 0\.5 \* right"):
        a + b


def test_adding_a_bare_node_to_a_branch_explains_weights():
    a, b = Gaussian("X", 0, 1), Gaussian("X", 1, 1)
    with pytest.raises(CircuitError, match="needs a weight for each branch"):
        0.5 * a + b


def test_adding_a_bare_node_to_a_sum_explains_weights():
    a, b = Gaussian("X", 0, 1), Gaussian("X", 1, 1)
    with pytest.raises(CircuitError, match="needs a weight for each branch"):
        0.5 * a + 0.5 * b + a


@pytest.mark.parametrize("stranger", ["0.5", None, [0.5], True], ids=repr)
def test_only_numbers_are_weights(stranger):
    with pytest.raises(TypeError):
        stranger * Gaussian("X", 0, 1)


@pytest.mark.parametrize("stranger", ["X", None, 0.5], ids=repr)
def test_only_nodes_can_be_added(stranger):
    with pytest.raises(TypeError):
        0.5 * Gaussian("X", 0, 1) + stranger


def test_a_branch_cannot_be_weighted_twice():
    a = 0.5 * Gaussian("X", 0, 1)
    with pytest.raises(TypeError):
        0.5 * a


def test_nodes_cannot_be_changed():
    leaf = Gaussian("X", 0, 1)
    with pytest.raises(AttributeError):
        leaf.column = "Y"


def test_a_categorical_leaf_keeps_levels_and_probabilities_together():
    leaf = Categorical("c", {"a": 0.2, "b": 0.8})
    assert (leaf.family, leaf.levels, leaf.params) == ("categorical", ("a", "b"), (0.2, 0.8))


def test_a_categorical_leaf_needs_levels():
    with pytest.raises(CircuitError, match="over 'c' has no levels"):
        Categorical("c", {})


def test_a_histogram_needs_one_edge_more_than_bins():
    with pytest.raises(CircuitError, match="2 probabilities, so it needs 3 edges, not 2"):
        Histogram("x", [0, 1], [0.5, 0.5])


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Gaussian("X", 0, 1), "Gaussian leaf over 'X'"),
        (Gaussian("X", 0, 1) * Gaussian("Y", 0, 1), "Product of 2 parts"),
        (paper_example(), "Sum of 2 branches (weights 0.5, 0.5)"),
        (
            Sum((0.2,) * 5, (Gaussian("X", 0, 1),) * 5),
            "Sum of 5 branches (weights 0.2, 0.2, 0.2, 0.2, …)",
        ),
    ],
)
def test_nodes_print_in_words(node, text):
    assert repr(node) == text


def test_a_deep_chain_can_be_thrown_away():
    node = deep_sums(200_000)
    assert isinstance(node, Sum)
    del node
    gc.collect()


def test_leaves_of_any_family_can_be_written():
    assert flatten(Leaf("X", "gaussian", (0.0, 1.0))).n_leaves == 1
