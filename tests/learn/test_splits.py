"""Which test a pair of columns gets, and what the parts of a slice are."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from learn.plain_grower import PlainGrower, Slice
from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.circuit import LEAF, PRODUCT, SUM
from softlearn.learn import Engine
from softlearn.learn.config import GrowConfig
from softlearn.learn.grow import Grower, grow
from softlearn.learn.options import cluster_options, growth_options
from softlearn.learn.pieces import one_open
from softlearn.learn.slices import whole_table
from softlearn.stats.bins import Codes
from softlearn.stats.independence import binary_parts, rank_parts, table_parts
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema
from stats.plain_bins import pair_codes, pair_tables


def parts_of(values, kinds, *, columns=None, **choices):
    """The parts that the columns of a table fall into: the root's leaves and products."""
    columns = range(len(kinds)) if columns is None else columns
    schema = Schema(tuple(schema_of(kinds).columns[i] for i in columns))
    table = training_table(values[list(columns)], np.ones(values.shape[1]), schema)
    config = GrowConfig(max_depth=1, **choices)
    tree = grow(table, config, np.random.SeedSequence(0), Engine())
    if tree.kind[0] == SUM:
        return np.zeros(len(schema))
    leaves = np.flatnonzero(tree.kind == LEAF)
    part = np.where(tree.parent[leaves] == 0, leaves, tree.parent[leaves])
    return part[np.argsort(tree.column[leaves])]


def codes_of(values, kinds, columns):
    """The codes of some columns."""
    codes = pair_codes(values, np.ones(values.shape[1]), schema_of(kinds))
    return Codes(*(part[list(columns)] for part in codes))


def same_partition(one, other):
    return np.array_equal(one[:, None] == one, other[:, None] == other)


def bent(n_rows=500):
    """A number, and another that depends on how far it is from zero: the ranks know nothing."""
    x = np.linspace(-1.0, 1.0, n_rows)
    return np.stack([x, np.abs(x) + 1e-3 * x])


def test_numbers_are_tested_by_their_ranks_alone_if_so_chosen():
    by_tables, by_ranks = (parts_of(bent(), "nn", ranks=ranks) for ranks in (False, True))
    assert by_tables[0] == by_tables[1]
    assert by_ranks[0] != by_ranks[1]


def test_a_number_and_levels_are_tested_by_ranks_alone_if_so_chosen():
    x = bent()[0]
    values = np.stack([x, np.abs(x) > 0.5])
    by_tables, by_ranks = (parts_of(values, "nb", ranks=ranks) for ranks in (False, True))
    assert by_tables[0] == by_tables[1]
    assert by_ranks[0] != by_ranks[1]


@pytest.mark.parametrize("ranks", [False, True])
def test_levels_are_tested_by_tables_whatever_stands_beside_them(ranks):
    """Equal levels with a number between them that has nothing to do with either."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 400)
    values = np.stack([level, rng.normal(size=400), level, rng.integers(0, 2, 400)])
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0]):
        kinds = "".join("3n3b"[i] for i in order)
        found = parts_of(values[order], kinds, ranks=ranks, significance=1e-4)
        assert same_partition(found, np.array([9, 1, 9, 3])[order])


@pytest.mark.parametrize("ranks", [False, True])
def test_only_the_columns_of_the_slice_are_labelled(ranks):
    """The one that is left out would link them all."""
    rng = np.random.default_rng(0)
    flag, other = rng.integers(0, 2, 300), rng.normal(size=300)
    both = np.select([(flag == 1) & (other > 0.0), other > 0.0], [2.0, 1.0], 0.0)
    values = np.stack([flag, both, 3.0 * flag + rng.normal(size=300), other])
    whole = parts_of(values, "b3nn", ranks=ranks, significance=1e-4)
    assert same_partition(whole, np.zeros(4))
    found = parts_of(values, "b3nn", columns=[0, 2, 3], ranks=ranks, significance=1e-4)
    assert same_partition(found, np.array([0, 0, 1]))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ranks", [False, True])
def test_parts_are_those_of_the_tests_of_all_pairs(seed, ranks):
    kinds, significance = "bn3nb2", 0.2
    rng = np.random.default_rng(seed)
    values = mixture(kinds, 100, seed=seed)
    for i in (1, 2, 4):  # some columns of no group
        values[i] = rng.permutation(values[i])
    values = with_gaps(values, 0.1, seed=seed)
    found = parts_of(values, kinds, ranks=ranks, significance=significance)
    weights, expected = np.ones(100), np.arange(6)
    for i in range(6):
        for j in range(i):
            codes = codes_of(values, kinds, [j, i])
            if ranks and codes.numeric.any():
                labels = rank_parts(np.arange(2), *codes[::2], weights, significance)
            else:
                tables = pair_tables(codes, weights, weights, coarse=not ranks)
                labels = table_parts(tables, significance)
            if labels[0] == labels[1]:
                expected[expected == expected[i]] = expected[j]
    assert same_partition(found, expected)


def pair_beside_many(kinds, seed):
    """A table that begins with two columns that hardly depend on each other."""
    rng = np.random.default_rng(seed)
    values = mixture(kinds, 150, seed=seed, n_groups=2)
    values[1] = np.where(rng.random(150) < 0.2, values[1], rng.permutation(values[1]))
    beside = rng.integers(0, 2, (38, 150))
    schema = schema_of(kinds + "b" * 38)
    return training_table(np.concatenate([values, beside]), np.ones(150), schema)


def root_of(table, config, columns):
    """What the kernel makes of a slice of all rows over some columns, and what the plain one does.

    Columns that depend on each other are no product.
    """
    first = whole_table(table, config, np.random.SeedSequence(0), one_open())
    columns = np.array(columns, np.int32)
    piece, _ = Grower(table.arrays, growth_options(config, table)).split(
        replace(first, columns=columns)
    )
    own = Slice(first.rows, first.weights, columns, np.uint64(0), np.inf)
    labels = PlainGrower(table, config).parts(own)
    assert (piece.kind[0] == PRODUCT) == (labels[0] != labels[1])
    return piece.kind[0]


@pytest.mark.parametrize(
    ("kinds", "ranks"), [("bb", False), ("33", False), ("nn", False), ("nn", True), ("3n", True)]
)
def test_the_level_falls_with_the_columns_of_the_slice_not_of_the_table(kinds, ranks):
    """Pairs that depend on each other at the level of two columns, and not at that of forty."""
    config = GrowConfig(ranks=ranks)
    few, many = (replace(config, significance=config.level(n, 150.0)) for n in (2, 40))
    n_between = 0
    for seed in range(40):
        table = pair_beside_many(kinds, seed)
        is_between = root_of(table, few, [0, 1]) == SUM and root_of(table, many, [0, 1]) != SUM
        if is_between:
            assert root_of(table, config, [0, 1]) == SUM
        n_between += is_between
    assert n_between > 0


@pytest.mark.parametrize(
    ("kinds", "ranks"), [("bb", False), ("33", False), ("nn", False), ("nn", True), ("3n", True)]
)
def test_the_level_falls_with_the_rows_of_the_slice(kinds, ranks):
    """Pairs that depend on each other at the level of few rows, and not at that of these."""
    config = GrowConfig(ranks=ranks)
    lax, strict = (replace(config, significance=config.level(2, n)) for n in (1.0, 1000.0))
    n_between = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = mixture(kinds, 1000, seed=seed, n_groups=2)
        values[1] = np.where(rng.random(1000) < 0.1, values[1], rng.permutation(values[1]))
        table = training_table(values, np.ones(1000), schema_of(kinds))
        root = root_of(table, config, [0, 1])
        assert root == root_of(table, strict, [0, 1])
        n_between += root != root_of(table, lax, [0, 1])
    assert n_between > 0


def test_rare_levels_are_taken_together_unless_numbers_are_tested_by_ranks():
    """Pairs of which the two tables say different things; the number is just there."""
    n_different = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        values = mixture("99n", 200, seed=seed, n_groups=9)
        values[1] = np.where(rng.random(200) < 0.2, values[1], rng.permutation(values[1]))
        table = training_table(values, np.ones(200), schema_of("99n"))
        codes = Codes(*(part[:2] for part in table.codes))
        said = []
        for ranks in (False, True):
            tables = pair_tables(codes, table.weights, table.weights, coarse=not ranks)
            one, other = table_parts(tables, 0.05)
            root = root_of(table, GrowConfig(ranks=ranks, significance=0.05), [0, 1])
            assert (root == SUM) == (one == other)
            said.append(root)
        n_different += said[0] != said[1]
    assert n_different > 0


@pytest.mark.parametrize("n_rows", [20, 60, 250])
@pytest.mark.parametrize("shares", [False, True])
def test_independent_columns_raise_about_as_many_false_alarms_as_promised(n_rows, shares):
    """At most half more than the significance, for two tests; six deviations, risk 1e-9."""
    rng = np.random.default_rng(n_rows)
    values = np.concatenate([rng.normal(size=(50, n_rows)), rng.integers(0, 3, (20, n_rows))])
    codes = pair_codes(values, np.ones(n_rows), schema_of("n" * 50 + "3" * 20))
    weights = rng.beta(0.5, 0.5, n_rows) if shares else np.ones(n_rows)
    found = []
    for pair in product(range(20), range(20, 70)):  # a number, and another or levels
        some = Codes(*(part[list(pair)] for part in codes))
        tables = pair_tables(some, weights, np.ones(n_rows), coarse=True)
        one, other = table_parts(tables, 0.05)
        found.append(one == other)
    deviation = np.sqrt(0.05 * 0.95 / len(found))
    assert np.mean(found) < 1.5 * 0.05 + 6.0 * deviation
    assert np.mean(found) > 0.01


def test_a_trend_is_found_in_a_node_of_a_dozen_rows():
    """Where a table of two bins by two cannot be sure."""
    rng = np.random.default_rng(0)
    x = np.arange(12.0)
    values = np.stack([x, x + rng.normal(size=12), x > 5.0])
    assert same_partition(parts_of(values, "nnb", significance=0.01), np.zeros(3))


@pytest.mark.parametrize("test", ["chi2", "g"])
def test_binary_columns_are_tested_in_pairs(test):
    values = np.concatenate([mixture("bbb", 200, seed=1), mixture("bb", 200, seed=2)])
    expected = binary_parts(
        values @ values.T, 200.0, GrowConfig().for_rows(200.0).level(5, 200.0), test
    )
    assert same_partition(parts_of(values, "bbbbb", test=test), expected)


def test_options_have_one_type_whatever_the_user_writes():
    """The kernel is compiled for their types: an integer would cost seconds."""
    as_integers = GrowConfig(smoothing=1, beta=40)
    found = cluster_options(as_integers)
    assert found == cluster_options(GrowConfig(smoothing=1.0, beta=40.0))
    types = [type(value) for value in found]
    assert types == [type(value) for value in cluster_options(GrowConfig())]


@pytest.mark.parametrize("max_iter", [1, 5, 100])
def test_kmeans_starts_em_with_a_few_steps(max_iter):
    em = cluster_options(GrowConfig(clustering="em", max_iter=max_iter))
    alone = cluster_options(GrowConfig(clustering="kmeans", max_iter=max_iter))
    assert (em.kmeans_iterations, em.em_iterations) == (min(max_iter, 10), max_iter)
    assert (alone.kmeans_iterations, alone.em_iterations) == (max_iter, 0)
