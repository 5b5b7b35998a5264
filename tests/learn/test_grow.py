"""The kernel that grows circuits does what the plain grower says, node for node."""

import ast
import time
from dataclasses import asdict, replace
from inspect import getsource

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from circuit_examples import must_equal
from learn.plain_grower import PlainGrower, plainly_grown
from learn.table_examples import is_factorised, mixture, schema_of, with_gaps
from scaled_examples import COLUMNS
from scaled_examples import values as values_of
from softlearn.circuit import LEAF, PRODUCT, SUM, violations
from softlearn.circuit.flat import ARRAYS
from softlearn.kernels.grow import work
from softlearn.learn import Engine, GrowConfig, grow
from softlearn.learn.assemble import assemble
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.options import growth_options
from softlearn.learn.pieces import one_open
from softlearn.learn.slices import whole_table
from softlearn.stats.clustering import memberships
from softlearn.stats.rows import Csr
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema

SEED = np.random.SeedSequence(5)
ON_THE_VERGE = 1e-3  # of the level of a test, which single precision may move


def schema_with_scales(kinds, which=0):
    """As ``schema_of``; s is one of the columns with a scale, `which` the first of them."""
    columns = list(schema_of(kinds.replace("s", "n")).columns)
    for i, kind in enumerate(kinds):
        if kind == "s":
            columns[i] = replace(COLUMNS[(which + i) % len(COLUMNS)], name=f"c{i}")
    return Schema(tuple(columns))


def cells_of_groups(schema, n_rows, seed):
    """Rows of a few groups; in columns with a scale each group has a favourite value."""
    kinds = "".join(
        "n" if column.scale or not column.is_discrete else str(column.n_levels)
        for column in schema.columns
    )
    values = mixture(kinds, n_rows, seed=seed)
    for i, column in enumerate(schema.columns):
        if column.scale is not None:
            every = values_of(column)
            values[i] = np.array(every)[np.round(3.0 * values[i]).astype(int) % len(every)]
    return values


@st.composite
def tables(draw):
    """Training tables of every kind of column, with gaps, weights, and histograms."""
    kinds = draw(st.text("bn2399s", min_size=1, max_size=10) | st.integers(1, 12).map("b".__mul__))
    schema = schema_with_scales(kinds, draw(st.integers(0, 100)))
    n_rows, seed = draw(st.integers(2, 250)), draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    values = cells_of_groups(schema, n_rows, seed)
    if draw(st.booleans()):  # so few ones that rows are compressed
        is_discrete = np.array([column.is_discrete for column in schema.columns])
        values = np.where(is_discrete[:, None] & (rng.random(values.shape) < 0.85), 0.0, values)
    for i in range(len(kinds)):
        if draw(st.sampled_from(["as it is"] * 5 + ["shuffled"])) == "shuffled":
            values[i] = rng.permutation(values[i])
    values = with_gaps(values, draw(st.sampled_from([0.0, 0.0, 0.01, 0.3, 0.95])), seed=seed)
    weights = draw(st.sampled_from([np.ones(n_rows), rng.gamma(1.0, 2.0, n_rows)]))
    return values, weights, schema


choices_of_growth = st.fixed_dictionaries(
    {
        "soft": st.booleans(),
        "ranks": st.booleans(),
        "clustering": st.sampled_from(["em", "kmeans"]),
        "n_clusters": st.integers(2, 4),
        "significance": st.sampled_from([None, 1e-4, 0.01, 0.2]),
        "smoothing": st.sampled_from([1e-6, 0.1, 1.0]),
        "smoothing_per": st.sampled_from(["column", "level"]),
        "beta": st.sampled_from([2.0, 40.0]),
        "min_weight": st.sampled_from([0.0, 1e-3, 0.4]),
        "leaf": st.sampled_from(["gaussian", "histogram", {"c0": "histogram"}]),
        "test": st.sampled_from(["chi2", "g"]),
        "max_depth": st.sampled_from([None, None, 0, 1, 3]),
        "max_nodes": st.sampled_from([None, None, 20, 100]),
    }
)


def table_of(values, weights, schema, config):
    return training_table(values, weights, schema, with_histograms(schema, config))


def grown(table, config, *, small=None, n_jobs=1, **engine):
    """The circuit of the kernel; slices below so many cells are finished in one go."""
    with pytest.MonkeyPatch.context() as patch:
        if small is not None:
            patch.setattr(grow, "_SMALL", small)
        tree = grow.grow(table, config, SEED, Engine(n_jobs=n_jobs, **engine))
    return assemble(tree, finish_leaves(tree, table, config), table.schema)


def same_nodes(one, other):
    names = set(ARRAYS) - {"weight", "params"}
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def is_on_the_verge(table, config):
    """Whether a test comes out otherwise if its level is moved a little."""

    class Nudged(GrowConfig):
        factor = 1.0

        def level(self, n_columns, mass):
            return self.factor * GrowConfig.level(self, n_columns, mass)

    found = []
    for Nudged.factor in (1.0 - ON_THE_VERGE, 1.0 + ON_THE_VERGE):
        found.append(plainly_grown(table, Nudged(**asdict(config)), SEED))
    return not same_nodes(*found)


def must_be_as_plain(table, config, found):
    """The same nodes; numbers may differ by the order in which weights were added up."""
    expected = plainly_grown(table, config, SEED)
    if not same_nodes(found, expected):
        assume(not is_on_the_verge(table, config))
    assert same_nodes(found, expected)
    assert found.weight == pytest.approx(expected.weight, rel=1e-9)
    assert found.params == pytest.approx(expected.params, rel=1e-9, abs=1e-12)


@given(rows=tables(), choices=choices_of_growth)
@example(rows=(np.array([[0.0, 1.0, 1.0]]), np.ones(3), schema_of("b")), choices={})
@settings(max_examples=300, deadline=None)
def test_the_kernel_grows_what_the_plain_grower_grows(rows, choices):
    config = GrowConfig(**choices)
    table = table_of(*rows, config)
    must_be_as_plain(table, config, grown(table, config))


@pytest.mark.jit_off
@pytest.mark.parametrize("choices", [{}, {"soft": False, "ranks": True, "clustering": "kmeans"}])
@pytest.mark.parametrize(
    ("kinds", "share"), [("bbbb", 0.0), ("9999", 0.0), ("nn", 0.1), ("b3nsb", 0.0), ("s2nb", 0.3)]
)
def test_small_tables_of_every_kind(kinds, share, choices):
    schema, config = schema_with_scales(kinds), GrowConfig(leaf={"c2": "histogram"}, **choices)
    values = with_gaps(cells_of_groups(schema, 40, 1), share)
    table = table_of(values, np.random.default_rng(0).gamma(2.0, 1.0, 40), schema, config)
    found = grown(table, config)
    assert found.n_nodes > len(kinds) + 1
    must_be_as_plain(table, config, found)


@pytest.mark.parametrize(
    ("kinds", "gaps", "rare"),
    [
        ("b" * 10, 0.0, 0.0),
        ("b" * 30, 0.0, 0.9),
        ("9" * 8, 0.0, 0.0),
        ("b3nnsss9", 0.0, 0.0),
        ("b3nnsss9", 0.4, 0.0),
    ],
)
def test_it_is_the_same_circuit_whatever_is_done_in_one_go_and_by_how_many(kinds, gaps, rare):
    schema, config = (
        schema_with_scales(kinds),
        GrowConfig(leaf={"c3": "histogram"}, significance=0.1),
    )
    rng = np.random.default_rng(0)
    values = with_gaps(cells_of_groups(schema, 1500, 3), gaps)
    values = np.where(rng.random(values.shape) < rare, 0.0, values)
    table = table_of(values, rng.gamma(1.0, 2.0, 1500), schema, config)
    assert isinstance(table.ones, Csr) == (rare > 0.0)
    whole = grown(table, config, small=10**9)
    assert whole.n_nodes > 100
    for small in (0, 500, 10**9):
        for n_jobs in (1, 2):
            must_equal(grown(table, config, small=small, n_jobs=n_jobs), whole)


def test_one_missing_cell_changes_nothing_elsewhere():
    """Flags and numbers that depend on each other, and a flag by itself that lacks a cell."""
    values = np.concatenate([mixture("bbbnn", 400), mixture("b", 400, seed=9)])
    values[5] = np.random.default_rng(0).permutation(values[5])
    config = GrowConfig(significance=1e-4)
    schema = schema_of("bbbnnb")
    whole = plainly_and_by_kernel(values, schema, config)
    values[5, 7] = np.nan
    gap = plainly_and_by_kernel(values, schema, config)
    columns = [np.sort(one.leaf_column) for one in (whole, gap)]
    assert np.array_equal(*columns)
    assert np.array_equal(whole.kind, gap.kind)


def plainly_and_by_kernel(values, schema, config):
    table = table_of(values, np.ones(values.shape[1]), schema, config)
    found = grown(table, config)
    must_be_as_plain(table, config, found)
    return found


def test_one_kernel_grows_every_table():
    called = [
        node.func.id
        for node in ast.walk(ast.parse(getsource(grow)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    assert called.count("grow_slices") == 1


def test_growing_leaves_the_table_as_it_was():
    """The kernel writes over its stack, which must not be the table's own arrays."""
    values = with_gaps(mixture("bbbn3", 400, seed=1), 0.1)
    config = GrowConfig()
    table = table_of(values, np.ones(400), schema_of("bbbn3"), config)
    before = [np.copy(part) for part in table.arrays]
    grown(table, config)
    for part, was in zip(table.arrays, before, strict=True):
        assert np.array_equal(part, was, equal_nan=part.dtype == float)


def test_many_rows_are_added_up_block_by_block():
    """More rows than are multiplied at a time, so heavy that single precision would lose them."""
    rng = np.random.default_rng(0)
    values = (rng.random((14, 9000)) < 0.5).astype(float)
    values[1] = np.where(rng.random(9000) < 0.9, values[0], values[1])
    config = GrowConfig(max_depth=2)
    table = table_of(values, np.full(9000, 1e6), schema_of("b" * 14), config)
    assert table.n_rows > 4096
    must_be_as_plain(table, config, grown(table, config))


@pytest.mark.parametrize("test", ["chi2", "g"])
@pytest.mark.parametrize("unit", [1.0, 2.0**10, 1e6, 1e9])
def test_rounding_of_the_weights_is_no_dependence(test, unit):
    """A column of ones has the weight of all rows, but for what single precision loses."""
    rng = np.random.default_rng(0)
    values = np.concatenate([np.ones((2, 3000)), rng.random((12, 3000)) < 0.5]).astype(float)
    weights = unit * rng.gamma(1.0, 1.0, 3000)
    config = GrowConfig(significance=1e-4, test=test, max_depth=1)
    table = table_of(values, weights, schema_of("b" * 14), config)
    tree = grow.grow(table, config, SEED, Engine())
    assert set(tree.column[(tree.parent == 0) & (tree.kind == LEAF)]) >= {0, 1}


@pytest.mark.parametrize("kinds", ["bbb", "9999", "n3n", "ssb"])
def test_a_raised_flag_makes_leaves_of_everything(kinds):
    schema, config = schema_with_scales(kinds), GrowConfig()
    table = table_of(cells_of_groups(schema, 300, 0), np.ones(300), schema, config)
    grower, top = grow.Grower(table.arrays, growth_options(config, table)), one_open()
    grower.stop.fill(1)
    piece, more = grower.split(whole_table(table, config, SEED, top))
    assert piece.kind.tolist() == [PRODUCT] + [LEAF] * len(kinds)
    assert not more


def test_no_time_is_a_product_of_leaves():
    config = GrowConfig()
    table = table_of(mixture("bbn3", 2000), np.ones(2000), schema_of("bbn3"), config)
    for _ in range(20):
        tree = grow.grow(table, config, SEED, Engine(), ends=time.monotonic() - 1.0)
        assert is_factorised(assemble(tree, finish_leaves(tree, table, config), table.schema))


@pytest.mark.parametrize("after", [1, 3, 8])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_what_there_is(after, n_jobs):
    config = GrowConfig()
    values = with_gaps(mixture("9bn3n9b", 2000), 0.1)
    table = table_of(values, np.ones(2000), schema_of("9bn3n9b"), config)
    calls = []

    def interrupt(progress):
        calls.append(progress)
        if len(calls) == after:
            raise KeyboardInterrupt

    choices = {"small": 0, "n_jobs": n_jobs, "watch": interrupt}
    part = grown(table, config, keep_partial=True, **choices)
    assert violations(part) == []
    whole = grown(table, config).n_nodes
    assert 8 < part.n_nodes <= whole
    assert n_jobs > 1 or part.n_nodes < whole  # threads may have finished before they are told
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        grown(table, config, **choices)


def test_a_sum_needs_room_for_a_product_of_leaves_in_each_cluster():
    values, schema = np.tile(np.arange(300) % 2, (3, 1)).astype(float), schema_of("bbb")
    for max_nodes, kind in ((8, PRODUCT), (9, SUM)):  # the sum, two products, six leaves
        config = GrowConfig(max_nodes=max_nodes)
        table = table_of(values, np.ones(300), schema, config)
        for tree in (
            grow.grow(table, config, SEED, Engine()),
            PlainGrower(table, config).grow(SEED),
        ):
            assert tree.kind[0] == kind


@pytest.mark.parametrize("kinds", ["bbbbbb", "b3n9"])
def test_a_cluster_that_keeps_no_row_takes_no_weight(kinds):
    """The least share is chosen between what the rows keep in the third cluster and the others."""
    schema = schema_of(kinds)
    choices = {"clustering": "kmeans", "beta": 1.0, "n_clusters": 3, "significance": 0.5}
    config = GrowConfig(**choices, max_depth=1)
    table = table_of(mixture(kinds, 200, seed=2), np.ones(200), schema, config)
    seen = []

    def watched(data, picks, options, core):
        seen.append((memberships(data, picks, options, core), data.weights))
        return seen[-1][0]

    plainly_grown(table, config, SEED, memberships=watched)
    found, weights = seen[0]
    lost, least = np.sort(found.max(axis=1))[:2]
    kept = found.max(axis=1) > lost
    config = replace(config, min_weight=(lost + least) / 2.0)
    circuit = grown(table, config)
    must_be_as_plain(table, config, circuit)
    mass = (found @ weights)[kept]
    edges = circuit.weight[circuit.edge_start[-2] : circuit.edge_start[-1]]
    assert kept.sum() == 2
    assert edges == pytest.approx(mass / mass.sum(), rel=1e-9)


@pytest.mark.parametrize("kinds", ["bbbbbb", "b3n9"])
def test_light_rows_have_no_say_in_clusters_but_in_leaves(kinds):
    """Of rows that keep a tenth of themselves in a slice, or less, only leaves take notice."""
    config = GrowConfig(min_weight=0.01, significance=0.5, n_clusters=2)
    table = table_of(mixture(kinds, 400, seed=3), np.ones(400), schema_of(kinds), config)
    seen = []

    def watched(data, picks, options, core):
        seen.append(data.weights.size - core.weights.size)
        return memberships(data, picks, options, core)

    plainly_grown(table, config, SEED, memberships=watched)
    assert any(n_light > 0 for n_light in seen)
    must_be_as_plain(table, config, grown(table, config))


def test_the_plain_grower_takes_memberships_that_are_forced():
    config = GrowConfig(max_depth=1, significance=0.5)
    table = table_of(mixture("bb", 50), np.ones(50), schema_of("bb"), config)
    tree = PlainGrower(table, config, lambda *given: None).grow(SEED)
    assert tree.kind.tolist() == [PRODUCT, LEAF, LEAF]


def test_kernels_and_circuits_have_the_same_kinds():
    assert (work.LEAF, work.PRODUCT, work.SUM) == (LEAF, PRODUCT, SUM)
