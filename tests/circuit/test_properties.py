"""Every rule of a sound circuit, broken one at a time and several at once."""

from dataclasses import replace

import numpy as np
import pytest

from circuit_examples import mixed, paper_example
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
    validate,
    violations,
)
from softlearn.errors import CircuitError
from softlearn.table.schema import Column, Schema

# The paper's example: leaves 0 to 3 (X, Y, X, Y), products 4 and 5, sum 6.
SOUND = flatten(paper_example())


def changed(array_name: str, position: int, value: float, circuit: Circuit = SOUND) -> Circuit:
    """Return the circuit with one entry of one array changed."""
    array = getattr(circuit, array_name).copy()
    array[position] = value
    return replace(circuit, **{array_name: array})


def reasons(circuit: Circuit) -> str:
    return "\n".join(violations(circuit))


def test_sound_circuits_break_no_rule():
    assert violations(SOUND) == []
    assert violations(mixed()) == []
    validate(SOUND)


def test_validate_raises_all_violations_at_once():
    broken = replace(SOUND, weight=np.array([1, 1, 1, 1, 1.3, 0.7]), params=np.full(8, np.nan))
    with pytest.raises(CircuitError) as raised:
        validate(broken)
    assert raised.value.violations == tuple(violations(broken))
    assert len(raised.value.violations) == 5


def test_weights_that_do_not_add_to_one_are_told_with_their_sum():
    assert reasons(changed("weight", 4, 0.6)) == "sum 6: its weights add to 1.1"


def test_weights_of_1_3_and_0_7_are_refused():
    with pytest.raises(CircuitError, match="sum 2: its weights add to 2"):
        flatten(1.3 * Gaussian("X", 0, 1) + 0.7 * Gaussian("X", 1, 1))


def test_rounding_in_weights_is_forgiven():
    third = 1 / 3
    assert (
        violations(flatten(Sum((third,) * 3, tuple(Gaussian("X", i, 1) for i in range(3))))) == []
    )


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf, -0.5])
def test_a_weight_that_is_no_probability_is_told_once(weight):
    assert reasons(changed("weight", 5, weight)) == f"node 6: an edge weighs {weight}"


def test_weights_whose_sum_overflows_are_refused():
    huge = replace(SOUND, weight=np.array([1, 1, 1, 1, 1e308, 1e308]))
    assert reasons(huge) == "sum 6: its weights add to inf"


def test_a_product_edge_weighs_one():
    assert reasons(changed("weight", 0, 0.5)) == "product 4: an edge weighs 0.5, not 1"


def test_a_branch_of_weight_zero_is_allowed():
    assert violations(flatten(Sum((0.0, 1.0), (Gaussian("X", 0, 1), Gaussian("X", 1, 1))))) == []


def test_a_sum_over_different_columns_is_not_smooth():
    with pytest.raises(
        CircuitError, match="sum 2 is not smooth: not all its children cover 'X', 'Y'"
    ):
        flatten(0.5 * Gaussian("X", 0, 1) + 0.5 * Gaussian("Y", 0, 1))


def test_smoothness_names_only_the_columns_that_are_missing():
    whole = Gaussian("X", 0, 1) * Gaussian("Y", 0, 1)
    with pytest.raises(CircuitError, match=r"cover 'Y'$"):
        flatten(0.3 * whole + 0.4 * Gaussian("X", 0, 1) + 0.3 * whole)


def test_a_product_over_one_column_twice_is_not_decomposable():
    with pytest.raises(CircuitError, match="product 2 is not decomposable: its children share 'X'"):
        flatten(Gaussian("X", 0, 1) * Gaussian("X", 1, 1))


def test_decomposability_looks_below_the_children():
    inner = 0.5 * Gaussian("X", 0, 1) + 0.5 * Gaussian("X", 1, 1)
    with pytest.raises(CircuitError, match="not decomposable: its children share 'X'"):
        flatten(inner * Gaussian("Y", 0, 1) * Gaussian("X", 2, 1))


def test_many_shared_columns_are_counted():
    twice = [Gaussian(f"x{i}", 0, 1) for i in range(8) for _ in range(2)]
    with pytest.raises(CircuitError, match="share 'x0', 'x1', 'x2', 'x3', 'x4' and 3 more"):
        flatten(Product(tuple(twice)))


def test_scopes_of_shared_nodes_are_kept_until_their_last_reader():
    shared = 0.5 * Gaussian("X", 0, 1) + 0.5 * Gaussian("X", 1, 1)
    branches = tuple(Product((shared, Gaussian("Y", i, 1))) for i in range(5))
    assert violations(flatten(Sum((0.2,) * 5, branches))) == []


def test_a_child_after_its_parent_is_told():
    assert reasons(changed("child", 0, 5)) == "node 4: child 5 does not come before it"


def test_a_node_that_is_its_own_child_is_told():
    assert reasons(changed("child", 5, 6)) == "node 6: child 6 does not come before it"


@pytest.mark.parametrize("child", [-1, 7, 2**31 - 1, -(2**31)])
def test_a_child_out_of_range_is_told(child):
    assert reasons(changed("child", 5, child)) == f"node 6: child {child} does not come before it"


def test_a_second_root_is_told():
    assert "node 5 cannot be reached from the root" in reasons(changed("child", 5, 4))


def test_an_unreachable_leaf_is_told():
    assert reasons(changed("child", 2, 0)) == "node 2 cannot be reached from the root"


def test_an_unknown_kind_is_told():
    assert "node 5: unknown kind 9" in reasons(changed("kind", 5, 9))


def test_leaves_must_come_first():
    assert "the first 4 nodes, and only they, must be leaves" in reasons(changed("kind", 1, SUM))


def test_a_leaf_with_children_is_told():
    assert "leaf 5 has children" in reasons(changed("kind", 5, LEAF))


def test_an_inner_node_without_children_is_told():
    assert reasons(changed("edge_start", 5, 0)) == "node 4 has no children"


def test_leaves_must_be_grouped_by_family():
    swapped = replace(mixed(), leaf_family=mixed().leaf_family[::-1])
    assert "leaves must be grouped by family" in reasons(swapped)


def test_an_unknown_family_is_told():
    assert reasons(changed("leaf_family", 3, 200)) == "leaf 3: unknown family 200"


@pytest.mark.parametrize("column", [-1, 2, 2**31 - 1])
def test_a_column_out_of_range_is_told(column):
    assert reasons(changed("leaf_column", 3, column)) == f"leaf 3: there is no column {column}"


def test_a_column_without_leaf_is_told():
    schema = Schema((*SOUND.schema.columns, Column("Z", "numeric")))
    assert reasons(replace(SOUND, schema=schema)) == "column 'Z' has no leaf"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_parameter_that_is_not_finite_is_told(value):
    assert reasons(changed("params", 2, value)).startswith("leaf 1 over 'Y': ")


@pytest.mark.parametrize("deviation", [0.0, -1.0])
def test_a_deviation_that_is_not_positive_is_told(deviation):
    assert reasons(changed("params", 7, deviation)).startswith("leaf 3 over 'Y': the deviation")


def test_probabilities_of_a_leaf_that_do_not_add_to_one_are_told():
    with pytest.raises(CircuitError, match=r"leaf 0 over 'c': probabilities add to 1\.1"):
        flatten(Categorical("c", {"a": 0.5, "b": 0.6}))


def test_a_categorical_leaf_of_the_wrong_length_is_told():
    one = flatten(Categorical("c", {"a": 0.5, "b": 0.5}))
    schema = Schema((Column("c", "categorical", ("a", "b", "c")),))
    assert reasons(replace(one, schema=schema)).startswith("leaf 0 over 'c': ")


def test_leaves_without_parameters_are_told():
    bare = replace(SOUND, params=np.zeros(0), param_start=np.zeros(5))
    assert len(violations(bare)) == 4


def test_a_discrete_leaf_on_a_numeric_column_is_told():
    one = flatten(Categorical("c", {"a": 0.5, "b": 0.5}))
    numeric = replace(one, schema=Schema((Column("c", "numeric"),)))
    assert reasons(numeric) == "leaf 0: a categorical leaf cannot model the numeric column 'c'"


def test_a_continuous_leaf_on_a_categorical_column_is_told():
    with pytest.raises(CircuitError, match="a gaussian leaf cannot model the categorical column"):
        flatten(0.5 * Categorical("c", {"a": 0.5, "b": 0.5}) + 0.5 * Gaussian("c", 0, 1))


@pytest.mark.parametrize("name", ["edge_start", "weight", "leaf_family", "param_start"])
def test_arrays_of_the_wrong_length_are_told(name):
    short = replace(SOUND, **{name: getattr(SOUND, name)[:-1]})
    assert f"{name} has " in reasons(short)


@pytest.mark.parametrize("name", ["kind", "child", "params"])
def test_arrays_that_others_point_into_must_not_be_short(name):
    assert violations(replace(SOUND, **{name: getattr(SOUND, name)[:-1]}))


@pytest.mark.parametrize("name", ["edge_start", "param_start"])
def test_offsets_must_rise_from_zero_to_the_end(name):
    offsets = getattr(SOUND, name)
    for broken in (offsets[::-1], offsets + 1, offsets * 2):
        assert f"{name} must rise from 0" in reasons(replace(SOUND, **{name: broken}))


def test_offsets_whose_differences_wrap_around_are_told():
    largest = 2**63 - 1
    offsets = [0, largest, -largest - 1, -1, 8]  # each step is positive in 64-bit arithmetic
    assert (np.diff(np.array(offsets)) > 0).all()
    assert reasons(replace(SOUND, param_start=offsets)) == "param_start must rise from 0 to 8"


def test_arrays_must_have_one_dimension():
    square = replace(SOUND, params=SOUND.params.reshape(2, 4))
    assert reasons(square) == "every array must have one dimension"


def test_a_circuit_without_nodes_is_told():
    empty = {
        name: [] for name in ("kind", "child", "weight", "leaf_column", "leaf_family", "params")
    }
    nothing = replace(SOUND, edge_start=[0], param_start=[0], **empty)
    assert reasons(nothing) == "a circuit needs at least one leaf"


def test_several_faults_are_told_together():
    kinds = np.where(SOUND.kind == SUM, PRODUCT, SOUND.kind)
    broken = replace(SOUND, kind=kinds, params=np.where(SOUND.params == 0.2, -0.2, SOUND.params))
    found = reasons(broken)
    assert "product 6: an edge weighs 0.5, not 1" in found
    assert "product 6 is not decomposable" in found
    assert "leaf 1 over 'Y'" in found
    assert "leaf 3 over 'Y'" in found


def test_very_many_faults_are_told():
    n = 300_000
    wide = flatten(Product(tuple(Gaussian(f"x{i}", 0, 1) for i in range(3))))
    broken = replace(wide, edge_start=[0, 0, 0, 0, n], child=np.full(n, 9), weight=np.ones(n))
    assert len(violations(broken)) == 1000  # of each rule
