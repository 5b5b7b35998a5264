"""The kernel that grows whole sub-circuits does what one split at a time does."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from softlearn.learn.training import training_table

from learn.table_examples import mixture, schema_of
from softlearn.circuit import LEAF, PRODUCT, SUM
from softlearn.kernels.grow import work
from softlearn.learn import Engine, GrowConfig, grow, grow_mixed
from softlearn.learn.assemble import assemble
from softlearn.stats.rows import Listing


def table_of(n_columns, n_rows, seed, *, sparse):
    """Weighted rows from a few groups; with few ones they are kept as a listing."""
    values = mixture("b" * n_columns, n_rows, seed=seed, n_groups=5)
    rng = np.random.default_rng(seed)
    if sparse:
        values *= rng.random(values.shape) < 0.15
    return training_table(values, rng.gamma(1.0, 2.0, n_rows), schema_of("b" * n_columns))


def grown(table, patch, *, grower=None, small=None, **choices):
    """The circuit, by the kernel or by another grower; slices below so many cells in one go."""
    if grower is not None:
        patch.setattr(grow, "BinaryGrower", grower)
    if small is not None:
        patch.setattr(grow, "_SMALL", small)
    config = GrowConfig(**choices)
    tree = grow.grow(table, config, np.random.SeedSequence(5), Engine(n_jobs=2))
    patch.undo()
    return assemble(tree, table.schema)


def must_be_close(one, other):
    """The same nodes; numbers may differ by the order in which weights were added up."""
    for name in ("kind", "edge_start", "child", "leaf_column", "param_start"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.weight == pytest.approx(other.weight, rel=1e-9)
    assert one.params == pytest.approx(other.params, rel=1e-9)


choices_of_growth = st.fixed_dictionaries(
    {
        "soft": st.booleans(),
        "clustering": st.sampled_from(["em", "kmeans"]),
        "n_clusters": st.integers(2, 4),
        "significance": st.sampled_from([1e-4, 0.01, 0.2]),
        "smoothing": st.sampled_from([1e-6, 0.1, 1.0]),
        "min_weight": st.sampled_from([0.0, 1e-3, 0.1]),
        "test": st.sampled_from(["chi2", "g"]),
        "max_depth": st.sampled_from([None, 0, 1, 3]),
        "max_nodes": st.sampled_from([None, 20, 100]),
    }
)


@given(
    n_columns=st.integers(1, 12),
    n_rows=st.integers(2, 300),
    seed=st.integers(0, 10_000),
    sparse=st.booleans(),
    small=st.sampled_from([0, 500, 10**9]),
    choices=choices_of_growth,
)
@example(n_columns=1, n_rows=5, seed=0, sparse=False, small=0, choices={})
@settings(max_examples=60, deadline=None)
def test_the_kernel_is_one_split_after_another(n_columns, n_rows, seed, sparse, small, choices):
    table = table_of(n_columns, n_rows, seed, sparse=sparse)
    with pytest.MonkeyPatch.context() as patch:
        expected = grown(table, patch, grower=grow_mixed.MixedGrower, **choices)
        must_be_close(grown(table, patch, small=small, **choices), expected)


@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_the_same_circuit_whatever_is_done_in_one_go(sparse):
    table = table_of(40 if sparse else 10, 1500, 3, sparse=sparse)
    assert isinstance(table.indicators, Listing) == sparse
    with pytest.MonkeyPatch.context() as patch:
        whole = grown(table, patch, small=10**9)
        assert whole.n_nodes > 100
        for small in (0, 1000, 5000):
            parts = grown(table, patch, small=small)
            must_be_close(parts, whole)
            assert np.array_equal(parts.params, whole.params)


def test_growing_leaves_the_table_as_it_was():
    """The kernel writes over its stack, which must not be the table's own arrays."""
    table = table_of(8, 400, 1, sparse=False)
    before = table.weights.copy(), table.indicators.copy()
    with pytest.MonkeyPatch.context() as patch:
        grown(table, patch)
    assert np.array_equal(table.weights, before[0])
    assert np.array_equal(table.indicators, before[1])


def test_many_rows_are_added_up_block_by_block():
    """More rows than are multiplied at a time, so heavy that single precision would lose them."""
    rng = np.random.default_rng(0)
    values = (rng.random((14, 9000)) < 0.5).astype(float)
    values[1] = np.where(rng.random(9000) < 0.9, values[0], values[1])
    table = training_table(values, np.full(9000, 1e6), schema_of("b" * 14))
    assert table.n_rows > 4096
    with pytest.MonkeyPatch.context() as patch:
        expected = grown(table, patch, grower=grow_mixed.MixedGrower, max_depth=2)
        must_be_close(grown(table, patch, max_depth=2), expected)


def test_kernels_and_circuits_have_the_same_kinds():
    assert (work.LEAF, work.PRODUCT, work.SUM) == (LEAF, PRODUCT, SUM)
