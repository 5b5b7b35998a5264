"""Leaves of grown circuits: weighted estimates, inheritance, know-nothing leaves, families."""

from dataclasses import fields, replace

import numpy as np
import pytest

from learn.table_examples import GROWERS, leaf_params, learn, mixture, schema_of, with_gaps
from scaled_examples import COLUMNS
from scaled_examples import values as values_of
from softlearn.circuit import cells_of, violations
from softlearn.leaf import CATEGORICAL, FAMILIES, GAUSSIAN, HISTOGRAM, SCALED, LeafOptions
from softlearn.learn import LEARNERS, GrowConfig
from softlearn.learn.grow import Grower
from softlearn.learn.leaves import finish_leaves, with_histograms
from softlearn.learn.options import growth_options
from softlearn.learn.pieces import one_open
from softlearn.learn.slices import Slice
from softlearn.numeric_policy import SCALE_SMOOTHING
from softlearn.stats.duplicates import merge_duplicates
from softlearn.stats.table import training_table
from softlearn.table.schema import Schema

every_grower = pytest.mark.parametrize("learner", GROWERS)


def with_clear_clusters(learner):
    """Choices by which k-means gives each row to one cluster."""
    soft = any(one.name == "beta" for one in fields(LEARNERS[learner].config))
    return {"clustering": "kmeans", **({"beta": 1e9} if soft else {})}


def family_of(circuit, column):
    return {FAMILIES[f] for f in circuit.leaf_family[circuit.leaf_column == column].tolist()}


def two_groups(n_rows=400):
    """Four flags that tell two groups apart without error."""
    group = np.arange(n_rows) % 2
    return np.tile(group.astype(float), (4, 1)), group


N_FLAGS = 20  # so many that k-means finds the groups wherever it starts


def half_observed(n_rows=400):
    """Flags tell two groups apart; one more ties them to a number that one group lacks."""
    rng = np.random.default_rng(0)
    group = np.arange(n_rows) % 2
    link = np.where(group == 1, 1, rng.integers(0, 2, n_rows))
    number = np.where(group == 0, 4.0 * link + rng.normal(size=n_rows), np.nan)
    return np.stack([group] * N_FLAGS + [link] + [number]).astype(float), group


@every_grower
@pytest.mark.parametrize("kind", ["n", "b", "3"])
@pytest.mark.parametrize("leaf", ["gaussian", "histogram"])
def test_a_column_without_values_in_a_cluster_takes_its_parents_leaf(learner, kind, leaf):
    values, _ = half_observed()
    if kind != "n":
        values[-1] = np.where(np.isnan(values[-1]), np.nan, values[-1] > 2.0)
    schema, last = schema_of("b" * (N_FLAGS + 1) + kind), N_FLAGS + 1
    choices = {**with_clear_clusters(learner), "leaf": leaf, "significance": 0.001}
    circuit = learn(learner, values, schema, max_depth=1, **choices)
    assert violations(circuit) == []
    leaves = leaf_params(circuit, last)
    (parent,) = leaf_params(learn(learner, values, schema, max_depth=0, leaf=leaf), last)
    assert len(leaves) == 2  # one group's own, and for the other that of the root
    assert any(np.array_equal(params, parent) for params in leaves)
    deep = leaf_params(learn(learner, values, schema, **choices), last)
    assert any(np.array_equal(params, parent) for params in deep)


@every_grower
@pytest.mark.parametrize("leaf", ["gaussian", "histogram"])
def test_a_column_never_observed_knows_nothing(learner, leaf):
    values = np.concatenate([mixture("bbb", 200), np.full((3, 200), np.nan)])
    circuit = learn(learner, values, schema_of("bbbnb3"), leaf=leaf)
    assert violations(circuit) == []
    for column, expected in ((4, [0.5, 0.5]), (5, [1 / 3] * 3)):
        for params in leaf_params(circuit, column):
            assert params == pytest.approx(expected)
    for params in leaf_params(circuit, 3):
        expected = [0.0, 1.0] if leaf == "gaussian" else [0.0, 1.0, 1.0]
        assert params.tolist() == expected


@every_grower
def test_histograms_may_be_chosen_by_column(learner):
    values, schema = mixture("nbn", 300), schema_of("nbn")
    circuit = learn(learner, values, schema, leaf={"c2": "histogram"})
    assert family_of(circuit, 0) == {GAUSSIAN}
    assert family_of(circuit, 1) == {CATEGORICAL}
    assert family_of(circuit, 2) == {HISTOGRAM}


@every_grower
def test_the_root_alone_has_the_estimates_of_the_families(learner):
    values, weights = mixture("n3b", 300), np.random.default_rng(0).gamma(1.0, 1.0, 300)
    chosen = {"max_depth": 0, "smoothing": 0.5, "smoothing_per": "level"}
    circuit = learn(learner, values, schema_of("n3b"), weights=weights, **chosen)
    options = LeafOptions(smoothing=0.5)
    for column, levels in ((1, 3), (2, 2)):
        stats = CATEGORICAL.summarise(values[column], weights, n_levels=levels)
        (found,) = leaf_params(circuit, column)
        assert found == pytest.approx(CATEGORICAL.finish(stats, options), rel=1e-6)
    (found,) = leaf_params(circuit, 0)
    assert found[0] == pytest.approx(np.average(values[0], weights=weights))


@every_grower
def test_smoothing_per_column_has_pseudo_rows_for_each_level_that_a_leaf_has_seen(learner):
    values, weights = mixture("n3b9", 300), np.random.default_rng(0).gamma(1.0, 1.0, 300)
    values[3] = np.where(values[3] < 6, 0.0, values[3])  # five of nine levels are never seen
    weights[values[3] == 8.0] = 0.0
    weights[np.argmax(values[3] == 8.0)] = 0.25  # this much of another one
    chosen = {"weights": weights, "max_depth": 0, "smoothing": 0.5}
    circuit = learn(learner, values, schema_of("n3b9"), **chosen)
    for column, levels, seen in ((1, 3, 3.0), (2, 2, 2.0), (3, 9, 3.25)):
        raised = np.bincount(values[column].astype(int), weights, levels) + 0.5 * seen / levels
        (found,) = leaf_params(circuit, column)
        assert found == pytest.approx(raised / raised.sum(), rel=1e-6)


@every_grower
def test_a_leaf_of_one_level_expects_another_less_than_one_of_many(learner):
    values = np.stack([np.zeros(60), np.arange(60) % 8]).astype(float)
    circuit = learn(learner, values, schema_of("99"), max_depth=0)
    (same,), (all_but_one,) = leaf_params(circuit, 0), leaf_params(circuit, 1)
    assert all_but_one[8] == pytest.approx(8.0 * same[8], rel=0.02)


@every_grower
def test_a_gaussian_of_different_rows_has_bessels_correction(learner):
    values = np.random.default_rng(1).normal(2.0, 3.0, (1, 10))
    circuit = learn(learner, values, schema_of("n"))
    assert circuit.params == pytest.approx([values.mean(), values.std(ddof=1)])


@every_grower
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_histogram_does_not_depend_on_the_unit(learner, scale):
    """Metres or micrometres: the bins scale with the column, their masses stay."""
    values = np.random.default_rng(0).normal(size=(1, 500))
    one = learn(learner, values, schema_of("n"), leaf="histogram").params
    other = learn(learner, values * scale, schema_of("n"), leaf="histogram").params
    n_edges = (one.size + 1) // 2
    assert other[:n_edges] == pytest.approx(one[:n_edges] * scale, rel=1e-9)
    assert other[n_edges:] == pytest.approx(one[n_edges:])


@every_grower
@pytest.mark.parametrize("value", [0.0, 1.0, -1e9, 1e17])
def test_a_constant_column_has_a_histogram(learner, value):
    circuit = learn(learner, np.full((1, 20), value), schema_of("n"), leaf="histogram")
    assert violations(circuit) == []


@every_grower
def test_a_histogram_holds_all_values(learner):
    values = np.random.default_rng(0).exponential(size=(1, 500))
    params = learn(learner, values, schema_of("n"), leaf="histogram", smoothing=0.0).params
    edges, masses = params[: (params.size + 1) // 2], params[(params.size + 1) // 2 :]
    assert edges[0] < values.min()
    assert edges[-1] > values.max()
    counts, _ = np.histogram(values, edges)
    assert masses == pytest.approx(counts / 500)
    assert masses == pytest.approx(1 / masses.size, rel=0.25)


@every_grower
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_floor_of_a_deviation_follows_the_column(learner, scale):
    """Two clusters of equal values: no spread inside, and a hundredth of the column's as floor."""
    flags, group = two_groups()
    values = np.concatenate([flags, scale * group[None]])
    circuit = learn(learner, values, schema_of("bbbbn"), **with_clear_clusters(learner))
    deviations = [params[1] for params in leaf_params(circuit, 4)]
    assert len(deviations) == 2
    assert deviations == pytest.approx([0.01 * 0.5 * scale] * 2, rel=1e-6)


# --- From the slice of the kernel to the family's own estimate.

CONFIG = GrowConfig(smoothing=0.3, smoothing_per="level", leaf={"c3": "histogram"})


def alike_rows(scaled, gaps, n_rows=150):
    """Rows of every family, many of them alike; in a column with a scale one value per cell."""
    schema = schema_of("b3nn9n")
    columns = (*schema.columns[:5], replace(scaled, name="c5"))
    values = np.round(mixture("b3nn9n", n_rows))
    cells = cells_of(scaled)
    every = np.array(values_of(scaled))
    one_each = every[np.unique(cells.code(every), return_index=True)[1]]
    values[5] = one_each[values[5].astype(int) % one_each.size]
    values = np.repeat(with_gaps(values, gaps), 2, axis=1)
    coded = values.copy()
    coded[5] = np.where(np.isnan(values[5]), np.nan, cells.code(values[5]))
    merged, own, _ = merge_duplicates(coded, np.ones(values.shape[1]))
    known = ~np.isnan(merged[5])
    merged[5, known] = one_each[merged[5, known].astype(int)]
    return values, merged, own, Schema(columns)


def estimate(schema, table, column, cells, weights):
    """What the column's family makes of the rows one by one."""
    about, options = schema.columns[column], LeafOptions(smoothing=0.3)
    floor = float(CONFIG.deviation_floor * table.spread[column])
    if about.is_discrete:
        stats = CATEGORICAL.summarise(cells, weights, n_levels=about.n_levels)
        return CATEGORICAL.finish(stats, options)
    if about.scale is not None:
        family = SCALED.on(cells_of(about))
        options = LeafOptions(smoothing=SCALE_SMOOTHING, deviation_floor=floor)
        return family.finish(family.summarise(cells, weights), options)
    if column in table.edges:
        stats = HISTOGRAM.summarise(cells, weights, edges=table.edges[column])
        return HISTOGRAM.finish(stats, options)
    options = LeafOptions(deviation_floor=floor)
    return GAUSSIAN.finish(GAUSSIAN.summarise(cells, weights), options)


@pytest.mark.parametrize("scaled", COLUMNS, ids=lambda column: column.name)
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_leaves_of_a_slice_are_those_of_its_rows_one_by_one(scaled, gaps):
    """A slice has a share of each row; c equal rows, merged to one, count as c."""
    values, merged, own, schema = alike_rows(scaled, gaps)
    table = training_table(
        values, np.ones(values.shape[1]), schema, with_histograms(schema, CONFIG)
    )
    assert np.array_equal(table.weights, own)
    rng = np.random.default_rng(0)
    rows = np.flatnonzero(rng.random(own.size) < 0.6).astype(np.int32)
    share = rng.random(rows.size)
    columns = np.array([5, 3, 0, 2, 4, 1], np.int32)
    task = Slice(
        rows=rows,
        weights=share * own[rows],
        columns=columns,
        seed=0,
        depth=0,
        connected=False,
        n_nodes=np.inf,
        piece=one_open(),
        place=0,
    )
    grower = Grower(table.arrays, growth_options(CONFIG, table))
    grower.stop.fill(1)
    tree, _ = grower.split(task)
    assert tree.column[1:].tolist() == columns.tolist()
    finished = finish_leaves(tree, table, CONFIG)
    times = own[rows].astype(int)
    for i, column in enumerate(columns.tolist()):
        cells, weights = np.repeat(merged[column, rows], times), np.repeat(share, times)
        found = finished.params[finished.param_start[i] : finished.param_start[i + 1]]
        expected = estimate(schema, table, column, cells, weights)
        assert found == pytest.approx(expected, rel=1e-9), schema.columns[column].name
