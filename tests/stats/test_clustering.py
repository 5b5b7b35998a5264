"""Weighted k-means and EM over levels and numbers, against a plain twin and by their laws."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from kernels.plain_seeds import mixed
from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.grow.slices import FARTHEST
from softlearn.stats.clustering import memberships
from softlearn.stats.table import training_table
from stats.plain_clustering import (
    both_forms,
    em_step,
    level_cells,
    lloyd,
    options_of,
    plain_memberships,
    rows_of,
    soft_memberships,
    squared_distances,
    take_all,
)

TABLES = [("bbbbbb", 0.0), ("b3n9nb", 0.0), ("b3n9nb", 0.3), ("nnn", 0.2), ("9999", 0.0)]
picks = np.array([13, 77, 42, 58, 91], np.uint64)
every_table = pytest.mark.parametrize(("kinds", "gaps"), TABLES)
every_clustering = pytest.mark.parametrize("clustering", ["kmeans", "em"])


def numbers_alone(numbers, weights=None):
    """Rows of standardised numbers, as they are given."""
    weights = np.ones(numbers.shape[1]) if weights is None else weights
    nothing = np.zeros(1, np.int64)
    return RowData(
        dense=np.zeros((0, 0), np.float32),
        start=nothing,
        feature=np.zeros(0, np.int32),
        levels=np.zeros((0, weights.size), np.int32),
        numbers=numbers.astype(np.float32),
        weights=weights,
        keys=np.arange(weights.size, dtype=np.uint64),
        groups=nothing,
        single=np.zeros(0, bool),
    )


def random_picks(rng, shape):
    return rng.integers(0, 2**64, shape, np.uint64)


def pick_of(rows, row):
    """A pick by which this row is the first of all."""
    keys = rows.keys.tolist()
    every = (np.array([mixed(key + pick) for key in keys], np.uint64) for pick in count())
    return next(pick for pick, places in enumerate(every) if places.argmin() == row)


def reweighted(table, rows, weights):
    return replace(table, weights=weights), rows._replace(weights=weights)


def must_be_memberships(found):
    assert np.isfinite(found).all()
    assert (found >= 0.0).all()
    assert found.sum(axis=0) == pytest.approx(1.0, abs=1e-12)


def must_equal_the_plain_one(table, rows, start, options, *, within=2e-4):
    """EM takes a given number of steps here; when it ends by itself is a test of its own."""
    steps = options._replace(em_iterations=min(options.em_iterations, 20), em_tolerance=-1.0)
    found = memberships(rows, start, steps)
    must_be_memberships(found)
    assert found == pytest.approx(plain_memberships(table, start, steps), abs=within)


# --- The whole, against the twin.


@every_table
@every_clustering
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("soft", [True, False])
def test_the_whole_equals_the_plain_one(kinds, gaps, clustering, k, soft):
    for seed in range(3):
        table, rows = rows_of(kinds, 200, gaps=gaps, seed=seed)
        options = options_of(clustering=clustering, soft=soft, beta=10.0)
        for form in both_forms(rows):
            must_equal_the_plain_one(table, form, picks[:k], options)


@every_table
@pytest.mark.parametrize("k", [2, 3, 5])
def test_em_ends_when_the_likelihood_hardly_grows(kinds, gaps, k):
    """A tenth about the threshold is left to rounding: means are in single precision."""
    for seed in range(3):
        table, rows = rows_of(kinds, 200, gaps=gaps, seed=seed)
        options = options_of(em_iterations=100)
        hard, _ = lloyd(table, picks[:k], options)
        membership = options.sharpness * hard + (1.0 - options.sharpness) / k
        means = []
        for _ in range(options.em_iterations):
            membership, likelihood, _ = em_step(table, membership, options.smoothing)
            means.append(likelihood / table.weights.sum())
        growth = np.diff(means, prepend=-np.inf) / np.maximum(1.0, np.abs(means))
        earliest = np.argmax(growth < 1.1 * options.em_tolerance) + 1
        n_steps = steps_taken(rows, picks[:k], options)
        assert earliest <= n_steps
        assert (growth[: n_steps - 1] > 0.9 * options.em_tolerance).all()


def steps_taken(rows, start, options):
    """The fewest steps that lead where all of them lead."""
    end = memberships(rows, start, options)
    for n in range(1, options.em_iterations):
        if np.array_equal(memberships(rows, start, options._replace(em_iterations=n)), end):
            return n
    return options.em_iterations


@every_table
@pytest.mark.parametrize("max_iter", [1, 2, 50])
def test_distances_are_those_to_the_weighted_means(kinds, gaps, max_iter):
    """Memberships tell distances: log m₀ − log m₁ is beta times the difference of their shares."""
    table, rows = rows_of(kinds, 150, gaps=gaps)
    options = options_of(clustering="kmeans", kmeans_iterations=max_iter, beta=1.0)
    hard, _ = lloyd(table, picks[:3], options)
    assert (hard.sum(axis=1) > 0).all()
    share = -np.log(memberships(rows, picks[:3], options))
    expected = np.sqrt(squared_distances(table, hard))
    seen = expected.any(axis=0)  # others have no cell
    share, expected = share[:, seen], expected[:, seen] / expected[:, seen].sum(axis=0)
    assert share - share[0] == pytest.approx(expected - expected[0], abs=1e-4)


@every_table
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 2.0])
@pytest.mark.parametrize("n_steps", [1, 3])
def test_steps_of_em_equal_the_plain_ones(kinds, gaps, smoothing, n_steps):
    table, rows = rows_of(kinds, 200, gaps=gaps)
    options = options_of(
        kmeans_iterations=2, sharpness=0.9, em_iterations=n_steps, smoothing=smoothing
    )
    hard, _ = lloyd(table, picks[:3], options)
    expected = 0.9 * hard + 0.1 / 3
    for _ in range(n_steps):
        expected, _, _ = em_step(table, expected, smoothing)
    assert memberships(rows, picks[:3], options) == pytest.approx(expected, abs=1e-3)


# --- The laws of k-means.


@every_table
@pytest.mark.parametrize("seed", range(4))
def test_the_error_never_increases(kinds, gaps, seed):
    table, rows = rows_of(kinds, 150, gaps=gaps, seed=seed)
    start = random_picks(np.random.default_rng(seed), 3)
    errors = []
    for max_iter in range(1, 12):
        options = options_of(clustering="kmeans", kmeans_iterations=max_iter, soft=False)
        hard = memberships(rows, start, options)
        if hard.any(axis=1).all():
            errors.append(table.weights @ (squared_distances(table, hard) * hard).sum(axis=0))
    assert len(errors) > 5
    assert (np.diff(errors) <= 1e-4).all()


@every_table
def test_at_the_end_each_row_is_with_its_nearest_mean(kinds, gaps):
    table, rows = rows_of(kinds, 150, gaps=gaps)
    hard = memberships(rows, picks[:3], options_of(clustering="kmeans", soft=False))
    d = squared_distances(table, hard)
    own = (d * hard).sum(axis=0)
    assert table.weights @ own == pytest.approx(table.weights @ d.min(axis=0), rel=0.01)
    assert set(np.unique(hard)) <= {0.0, 1.0}


@every_clustering
def test_clear_groups_are_found(clustering):
    values = np.repeat([[0.0, 1.0], [0.0, 1.0], [-5.0, 5.0]], 30, axis=1)
    values[2] += np.random.default_rng(0).normal(size=60)
    table = training_table(values, np.ones(60), schema_of("bbn"))
    for start in random_picks(np.random.default_rng(1), (10, 2)):
        hard = memberships(take_all(table), start, options_of(clustering=clustering, soft=False))
        assert hard.sum(axis=1).tolist() == [30.0, 30.0]
        assert np.unique(level_cells(table, 0)[hard[0] == 1.0]).size == 1


@pytest.mark.parametrize("kinds", ["bbb", "3n", "n"])
def test_rows_that_are_alike_have_no_clusters(kinds):
    values = np.repeat(mixture(kinds, 1), 9, axis=1)
    table = training_table(values, np.ones(9), schema_of(kinds))
    assert memberships(take_all(table), picks[:3], options_of()) is None


def test_there_are_no_more_clusters_than_different_rows():
    values = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    table = training_table(values, np.ones(3), schema_of("bb"))
    options = options_of(clustering="kmeans", soft=False)
    hard = memberships(take_all(table), np.arange(8, dtype=np.uint64), options)
    assert hard.shape == (3, 3)
    assert hard.sum(axis=1).tolist() == [1.0, 1.0, 1.0]


def test_numbers_that_differ_by_a_few_hundredths_are_alike():
    apart = np.sqrt(2.0**-10)
    for gap, n_clusters in ((0.99 * apart, None), (1.01 * apart, 2)):
        found = memberships(numbers_alone(np.array([[0.0, gap]])), picks[:2], options_of())
        assert (found is None) if n_clusters is None else found.shape == (n_clusters, 2)


def test_a_weight_counts_like_so_many_rows():
    """A heavy row pulls the centroid: the mean of 0 (three times) and 4 is 1."""
    x = np.array([0.0, 4.0, 100.0, 101.0])
    table = training_table(x[None], np.array([3.0, 1, 1, 1]), schema_of("n"))
    x = x[table.codes.codes[0]]  # in the order of the table; the codes are ranks
    found = memberships(take_all(table), picks[:2], options_of(clustering="kmeans"))
    expected = soft_memberships(np.abs(x - np.array([[1.0], [100.5]])), 40.0)
    near = 0 if found[0, x == 0.0] > 0.5 else 1
    assert found[[near, 1 - near]] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", ["n", "3"])
def test_a_cluster_that_never_sees_a_column_stays_where_it_began(kind):
    """Weights that are no sums of powers of two leave rounding, which is no mean."""
    rng = np.random.default_rng(0)
    group = np.arange(300) % 3
    values = np.stack([group == 0, group == 0, group == 0, group == 1, group == 1, group * 1.0])
    values[5] = values[5] + rng.normal(size=300) if kind == "n" else rng.integers(0, 3, 300)
    values[5, group == 0] = np.nan
    table = training_table(
        values.astype(float), rng.gamma(1.0, 1.0, 300), schema_of("bbbbb" + kind)
    )
    options = options_of(clustering="kmeans", beta=5.0)
    for start in random_picks(rng, (20, 3)):
        for form in both_forms(take_all(table)):
            must_equal_the_plain_one(table, form, start, options)


# --- The laws of EM.


@every_table
@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_never_decreases(kinds, gaps, seed):
    """With pseudo-counts it is the likelihood times their prior that EM climbs."""
    table, rows = rows_of(kinds, 200, gaps=gaps, seed=seed)
    climbed = []
    for n_steps in range(1, 15):
        start = {"kmeans_iterations": 2, "sharpness": 0.9}
        options = options_of(**start, em_iterations=n_steps, smoothing=0.1)
        _, likelihood, prior = em_step(table, memberships(rows, picks[:3], options), 0.1)
        climbed.append(likelihood + prior)
    assert (np.diff(climbed) >= -1e-3).all()
    assert climbed[-1] > climbed[0] + 1e-3


@every_table
def test_em_ends_where_the_plain_one_ends(kinds, gaps):
    table, rows = rows_of(kinds, 200, gaps=gaps)
    options = options_of(kmeans_iterations=2, sharpness=0.9, em_iterations=200, smoothing=0.1)
    hard, _ = lloyd(table, picks[:3], options)
    expected = 0.9 * hard + 0.1 / 3
    for _ in range(200):
        expected, _, _ = em_step(table, expected, 0.1)
    _, at_end, _ = em_step(table, memberships(rows, picks[:3], options), 0.1)
    _, best, _ = em_step(table, expected, 0.1)
    assert at_end / table.weights.sum() == pytest.approx(best / table.weights.sum(), abs=0.02)


# --- Weights and numbers of any size.


@every_clustering
@pytest.mark.parametrize("form", [0, 1], ids=["dense", "listed"])
@pytest.mark.parametrize("unit", [1e-30, 1e-3, 1e9, 1e30])
def test_the_unit_of_the_weights_makes_no_difference(clustering, form, unit):
    """If the pseudo-counts have the same unit."""
    for kinds, gaps in TABLES:
        rows = both_forms(rows_of(kinds, 150, gaps=gaps)[1])[form]
        options = options_of(clustering=clustering, smoothing=0.1)
        expected = memberships(rows, picks[:3], options)
        scaled = rows._replace(weights=rows.weights * unit)
        found = memberships(scaled, picks[:3], options._replace(smoothing=0.1 * unit))
        must_be_memberships(found)
        assert found == pytest.approx(expected, abs=2e-3)


@every_table
@every_clustering
def test_rows_that_weigh_next_to_nothing_are_shared(kinds, gaps, clustering):
    """Beyond single precision their clusters may be poor ones."""
    _, rows = rows_of(kinds, 150, gaps=gaps)
    for form in both_forms(rows):
        light = form._replace(weights=1e-300 * rows.weights)
        must_be_memberships(memberships(light, picks, options_of(clustering=clustering)))


@every_table
@every_clustering
def test_rows_without_weight_are_shared_and_change_nothing(kinds, gaps, clustering):
    table, rows = rows_of(kinds, 150, gaps=gaps)
    options = options_of(clustering=clustering, beta=10.0)
    for weight in (0.0, 1e-300):
        weights = np.where(np.arange(table.n_rows) % 3 == 0, weight, table.weights)
        lighter, light_rows = reweighted(table, rows, weights)
        must_equal_the_plain_one(lighter, light_rows, picks[:3], options)


@every_clustering
def test_no_weight_at_all_has_no_clusters(clustering):
    _, rows = rows_of("b3n", 50)
    options = options_of(clustering=clustering)
    nothing = rows._replace(weights=np.zeros(rows.weights.size))
    assert memberships(nothing, picks, options) is None


@every_table
@every_clustering
def test_few_heavy_rows_drown_no_others(kinds, gaps, clustering):
    """Light rows beside one that weighs as much as all of them."""
    table, rows = rows_of(kinds, 300, gaps=gaps)
    weights = np.where(np.arange(table.n_rows) == 7, 300.0, table.weights)
    options = options_of(clustering=clustering, beta=10.0)
    heavier, heavy_rows = reweighted(table, rows, weights)
    must_equal_the_plain_one(heavier, heavy_rows, picks[:3], options)


@every_table
@pytest.mark.parametrize("ratio", [1e4, 1e6, 1e8])
def test_clusters_of_light_rows_have_their_own_means(kinds, gaps, ratio):
    """Beside rows that weigh far more; sums over a matrix, in single precision, lose them."""
    rng = np.random.default_rng(0)
    for seed in range(8):
        table, rows = rows_of(kinds, 150, gaps=gaps, seed=seed)
        heavy = np.where(rng.random(table.n_rows) < 0.1, ratio, 1.0)
        table, rows = reweighted(table, rows, heavy * table.weights)
        options = options_of(clustering="kmeans", beta=10.0)
        dense, listed = both_forms(rows)
        start = random_picks(rng, 3)
        must_equal_the_plain_one(table, listed, start, options)
        must_be_memberships(memberships(dense, start, options))
        if ratio <= 1e4:
            must_equal_the_plain_one(table, dense, start, options, within=1e-2)


@every_clustering
@pytest.mark.parametrize("size", [1e3, 1e6, 1e9, FARTHEST])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_numbers_of_any_size_are_shared(clustering, size, k):
    numbers = np.random.default_rng(0).normal(size=(2, 40))
    numbers[0, 0], numbers[1, 1], numbers[0, 5] = size, -size, np.nan
    numbers[:, 2], numbers[:, 3] = size, (size, -size)
    for sign in (1.0, -1.0):
        options = options_of(clustering=clustering)
        must_be_memberships(memberships(numbers_alone(sign * numbers), picks[:k], options))


@every_clustering
def test_a_row_far_away_leaves_the_others_to_their_groups(clustering):
    """One row a million deviations off is a cluster, and three groups remain three."""
    group = np.arange(90) % 3
    numbers = np.stack([5.0 * group, -5.0 * group]) + 0.1 * np.random.default_rng(0).normal(
        size=(2, 90)
    )
    numbers[:, 0] = 1e6, -1e6
    rows, options = numbers_alone(numbers), options_of(clustering=clustering, soft=False)
    start = [pick_of(rows, row) for row in range(4)]  # one of each kind
    hard = memberships(rows, np.array(start, np.uint64), options)
    assert hard.shape[0] == 4
    for kind in range(3):
        assert np.unique(hard[:, 1:][:, group[1:] == kind], axis=1).shape[1] == 1
    assert hard[:, 0].tolist() == [1.0, 0.0, 0.0, 0.0]


@every_clustering
def test_a_row_without_any_value_is_shared(clustering):
    values = with_gaps(mixture("b3n9nb", 100), 0.2)
    values = np.concatenate([values, np.full((6, 1), np.nan)], axis=1)
    empty = take_all(training_table(values, np.ones(101), schema_of("b3n9nb")))
    without_levels = (empty.levels == empty.groups[-1]).all(axis=0)
    assert (without_levels & np.isnan(empty.numbers).all(axis=0)).sum() == 1
    must_be_memberships(memberships(empty, picks, options_of(clustering=clustering)))


def test_tables_have_every_kind_of_rows():
    """What the twin is compared on."""
    forms = [both_forms(rows_of(kinds, 150, gaps=gaps)[1]) for kinds, gaps in TABLES]
    for name in ("levels", "numbers", "dense"):
        assert {getattr(dense, name).size > 0 for dense, _ in forms} == {True, False}
    assert any(listed.feature.size > 0 for _, listed in forms)
