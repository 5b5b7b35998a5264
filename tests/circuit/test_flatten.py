"""From the build form to the flat form and back."""

import numpy as np
import pytest

from circuit_examples import mixed, mixed_nodes, must_equal, paper_example
from softlearn.circuit import (
    LEAF,
    PRODUCT,
    SUM,
    Categorical,
    Gaussian,
    Leaf,
    Product,
    Sum,
    build_form,
    flatten,
    violations,
)
from softlearn.errors import CircuitError, SoftlearnError
from softlearn.table.schema import Column, Schema


def test_the_papers_example_has_the_expected_arrays():
    circuit = flatten(paper_example())
    assert circuit.schema.names == ("X", "Y")
    assert circuit.kind.tolist() == [LEAF] * 4 + [PRODUCT] * 2 + [SUM]
    assert circuit.edge_start.tolist() == [0, 0, 0, 0, 0, 2, 4, 6]
    assert circuit.child.tolist() == [0, 1, 2, 3, 4, 5]
    assert circuit.weight.tolist() == [1, 1, 1, 1, 0.5, 0.5]
    assert circuit.leaf_column.tolist() == [0, 1, 0, 1]
    assert circuit.param_start.tolist() == [0, 2, 4, 6, 8]
    assert circuit.params.tolist() == [-0.5, 1, -2, 0.2, 0.5, 1, 2, 0.2]


def test_leaves_come_first_grouped_by_family():
    circuit = mixed()
    assert (circuit.kind[: circuit.n_leaves] == LEAF).all()
    assert (circuit.kind[circuit.n_leaves :] != LEAF).all()
    assert (np.diff(circuit.leaf_family.astype(int)) >= 0).all()


def test_children_come_before_parents_and_the_root_is_last():
    circuit = mixed()
    assert (circuit.child < circuit.edge_owner).all()
    assert set(range(circuit.n_nodes)) - set(circuit.child.tolist()) == {circuit.root}


def test_a_leaf_alone_is_a_circuit():
    circuit = flatten(Gaussian("X", 0, 1))
    assert (circuit.n_nodes, circuit.n_edges, circuit.depth) == (1, 0, 0)


def test_the_arrays_are_frozen():
    with pytest.raises(ValueError, match="read-only"):
        mixed().weight[0] = 2.0


def test_columns_appear_in_the_order_of_writing():
    nested = 0.5 * Gaussian("b", 0, 1) + 0.5 * Gaussian("b", 1, 1)
    assert flatten(nested * Gaussian("a", 0, 1)).schema.names == ("b", "a")


def test_levels_are_gathered_from_all_leaves_of_a_column():
    circuit = flatten(
        0.5 * Categorical("c", {"b": 1}) + 0.5 * Categorical("c", {"a": 0.5, "b": 0.5})
    )
    assert circuit.schema["c"].levels == ("b", "a")
    assert circuit.params.tolist() == [1, 0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("named", "levels"),
    [((True,), (False, True)), ((False, True), (False, True)), ((1,), (0, 1)), ((1, 0), (0, 1))],
)
def test_truth_values_make_a_boolean_column(named, levels):
    column = flatten(Categorical("c", dict.fromkeys(named, 1 / len(named)))).schema["c"]
    assert column.kind == "boolean"
    assert repr(column.levels) == repr(levels)


def test_float_levels_stay_floats():
    column = flatten(Categorical("c", {0.0: 0.5, 1.0: 0.5})).schema["c"]
    assert column.kind == "categorical"
    assert repr(column.levels) == "(0.0, 1.0)"


def test_an_explicit_schema_sets_columns_and_levels():
    schema = Schema(
        (Column("size", "numeric"), Column("colour", "categorical", ("blue", "green", "red")))
    )
    circuit = flatten(
        Categorical("colour", {"red": 0.2, "blue": 0.8}) * Gaussian("size", 0, 1), schema
    )
    assert circuit.schema is schema
    assert circuit.leaf_column.tolist() == [1, 0]
    assert circuit.params.tolist() == [0.8, 0, 0.2, 0, 1]


def test_leaves_without_levels_take_the_schemas():
    schema = Schema((Column("c", "categorical", ("a", "b")),))
    assert flatten(Leaf("c", "categorical", (0.2, 0.8)), schema).params.tolist() == [0.2, 0.8]


def test_a_column_that_the_schema_lacks_is_named():
    with pytest.raises(CircuitError, match="leaf over 'Y': the schema has no column of that name"):
        flatten(Gaussian("Y", 0, 1), Schema((Column("X", "numeric"),)))


def test_a_level_that_the_schema_lacks_is_named():
    schema = Schema((Column("c", "categorical", ("a",)),))
    with pytest.raises(CircuitError, match=r"names levels that the schema lacks: \['b'\]"):
        flatten(Categorical("c", {"a": 0.5, "b": 0.5}), schema)


def test_a_column_of_the_schema_without_a_leaf_is_named():
    schema = Schema((Column("X", "numeric"), Column("Y", "numeric")))
    with pytest.raises(CircuitError, match="column 'Y' has no leaf"):
        flatten(Gaussian("X", 0, 1), schema)


def test_products_inside_products_are_merged():
    a, b, c, d = (Gaussian(name, 0, 1) for name in "abcd")
    circuit = flatten((a * b) * (c * d))
    assert circuit.kind.tolist() == [LEAF] * 4 + [PRODUCT]
    assert circuit.child.tolist() == [0, 1, 2, 3]


def test_a_product_that_others_use_is_kept():
    shared = Gaussian("a", 0, 1) * Gaussian("b", 0, 1)
    root = 0.5 * (shared * Gaussian("c", 0, 1)) + 0.5 * (shared * Gaussian("c", 1, 1))
    assert np.count_nonzero(flatten(root).kind == PRODUCT) == 3


def test_the_build_form_flattens_to_the_same_circuit():
    circuit = mixed()
    must_equal(flatten(build_form(circuit)[-1], circuit.schema), circuit)


def test_the_build_form_keeps_sharing():
    nodes = build_form(mixed())
    parents = [node for node in nodes if isinstance(node, Product)]
    shared = {id(child) for child in parents[0].children} & {
        id(child) for child in parents[1].children
    }
    assert len(shared) == 1


def test_the_build_form_has_a_readable_node_for_each_flat_node():
    circuit = mixed()
    kinds = {Leaf: LEAF, Product: PRODUCT, Sum: SUM}
    assert [kinds[type(node)] for node in build_form(circuit)] == circuit.kind.tolist()


def test_flattening_validates():
    with pytest.raises(CircuitError, match=r"its weights add to 1\.5"):
        flatten(0.5 * Gaussian("X", 0, 1) + 1.0 * Gaussian("X", 1, 1))


def test_a_weighted_branch_is_not_a_root():
    with pytest.raises(CircuitError, match="add the other branches, or drop the weight"):
        flatten(0.5 * Gaussian("X", 0, 1))


def test_a_weighted_branch_is_not_a_child():
    with pytest.raises(CircuitError, match="a weighted branch is not a circuit"):
        flatten(Product((Gaussian("X", 0, 1), 0.5 * Gaussian("Y", 0, 1))))


@pytest.mark.parametrize("stranger", [None, "X", 3, [Gaussian("X", 0, 1)]], ids=repr)
def test_anything_else_is_not_a_root(stranger):
    with pytest.raises(CircuitError, match="a circuit is made of nodes, not of"):
        flatten(stranger)


@pytest.mark.parametrize("empty", [Product(()), Sum((), ())])
def test_an_inner_node_needs_children(empty):
    with pytest.raises(CircuitError, match="without children"):
        flatten(empty)


def test_weights_and_children_must_pair_up():
    with pytest.raises(CircuitError, match="has 1 weights for 2 children"):
        flatten(Sum((1.0,), (Gaussian("X", 0, 1), Gaussian("X", 1, 1))))


def test_levels_and_probabilities_must_pair_up():
    lopsided = Leaf("c", "categorical", (0.5, 0.5), ("a",))
    other = Categorical("c", {"a": 0.5, "b": 0.5})
    with pytest.raises(CircuitError, match="has 2 probabilities for 1 levels"):
        flatten(0.5 * lopsided + 0.5 * other)


def test_an_unknown_family_is_named():
    with pytest.raises(SoftlearnError, match="no leaf family 'poison'"):
        flatten(Leaf("X", "poison", (1.0,)))


def test_the_mixed_example_is_sound_and_holds_every_family():
    circuit = flatten(mixed_nodes())
    assert violations(circuit) == []
    assert set(circuit.leaf_family.tolist()) == {0, 1, 2}
