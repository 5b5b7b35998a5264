"""Leaves of grown circuits: weighted estimates, inheritance, know-nothing leaves, families."""

import numpy as np
import pytest

from learn.table_examples import GROWERS, leaf_params, learn, mixture, schema_of
from softlearn.circuit import violations
from softlearn.leaf import CATEGORICAL, FAMILIES, GAUSSIAN, HISTOGRAM, LeafOptions
from softlearn.learn import LEARNERS

every_learner = pytest.mark.parametrize("learner", GROWERS)


def as_hard_as_possible(learner):
    """By k-means, with memberships of all or nothing."""
    beta = {"beta": 1e9} if "beta" in LEARNERS[learner].parameters else {}
    return {"clustering": "kmeans", **beta}


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


@every_learner
@pytest.mark.parametrize("kind", ["n", "b", "3"])
@pytest.mark.parametrize("leaf", ["gaussian", "histogram"])
def test_a_column_without_values_in_a_cluster_takes_its_parents_leaf(learner, kind, leaf):
    values, _ = half_observed()
    if kind != "n":
        values[-1] = np.where(np.isnan(values[-1]), np.nan, values[-1] > 2.0)
    schema, last = schema_of("b" * (N_FLAGS + 1) + kind), N_FLAGS + 1
    choices = {**as_hard_as_possible(learner), "leaf": leaf, "significance": 0.001}
    circuit = learn(learner, values, schema, max_depth=1, **choices)
    assert violations(circuit) == []
    leaves = leaf_params(circuit, last)
    (parent,) = leaf_params(learn(learner, values, schema, max_depth=0, leaf=leaf), last)
    assert len(leaves) == 2  # one group's own, and for the other that of the root
    assert any(np.array_equal(params, parent) for params in leaves)
    deep = leaf_params(learn(learner, values, schema, **choices), last)
    assert any(np.array_equal(params, parent) for params in deep)


@every_learner
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


@every_learner
def test_histograms_may_be_chosen_by_column(learner):
    values, schema = mixture("nbn", 300), schema_of("nbn")
    circuit = learn(learner, values, schema, leaf={"c2": "histogram"})
    assert family_of(circuit, 0) == {GAUSSIAN}
    assert family_of(circuit, 1) == {CATEGORICAL}
    assert family_of(circuit, 2) == {HISTOGRAM}


@every_learner
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


@every_learner
def test_smoothing_per_column_is_shared_by_its_levels_as_they_occur(learner):
    values, weights = mixture("n3b", 300), np.random.default_rng(0).gamma(1.0, 1.0, 300)
    circuit = learn(learner, values, schema_of("n3b"), weights=weights, max_depth=0, smoothing=0.5)
    for column, levels in ((1, 3), (2, 2)):
        counts = np.bincount(values[column].astype(int), weights, levels)
        raised = counts + 0.5 * (counts + 0.5 / levels) / (counts.sum() + 0.5)
        (found,) = leaf_params(circuit, column)
        assert found == pytest.approx(raised / raised.sum(), rel=1e-6)


@every_learner
def test_a_gaussian_of_different_rows_has_bessels_correction(learner):
    values = np.random.default_rng(1).normal(2.0, 3.0, (1, 10))
    circuit = learn(learner, values, schema_of("n"))
    assert circuit.params == pytest.approx([values.mean(), values.std(ddof=1)])


@every_learner
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_histogram_does_not_depend_on_the_unit(learner, scale):
    """Metres or micrometres: the bins scale with the column, their masses stay."""
    values = np.random.default_rng(0).normal(size=(1, 500))
    one = learn(learner, values, schema_of("n"), leaf="histogram").params
    other = learn(learner, values * scale, schema_of("n"), leaf="histogram").params
    n_edges = (one.size + 1) // 2
    assert other[:n_edges] == pytest.approx(one[:n_edges] * scale, rel=1e-9)
    assert other[n_edges:] == pytest.approx(one[n_edges:])


@every_learner
@pytest.mark.parametrize("value", [0.0, 1.0, -1e9, 1e17])
def test_a_constant_column_has_a_histogram(learner, value):
    circuit = learn(learner, np.full((1, 20), value), schema_of("n"), leaf="histogram")
    assert violations(circuit) == []


@every_learner
def test_a_histogram_holds_all_values(learner):
    values = np.random.default_rng(0).exponential(size=(1, 500))
    params = learn(learner, values, schema_of("n"), leaf="histogram", smoothing=0.0).params
    edges, masses = params[: (params.size + 1) // 2], params[(params.size + 1) // 2 :]
    assert edges[0] < values.min()
    assert edges[-1] > values.max()
    counts, _ = np.histogram(values, edges)
    assert masses == pytest.approx(counts / 500)
    assert masses == pytest.approx(1 / masses.size, rel=0.25)


@every_learner
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_floor_of_a_deviation_follows_the_column(learner, scale):
    """Two clusters of equal values: no spread inside, and a hundredth of the column's as floor."""
    flags, group = two_groups()
    values = np.concatenate([flags, scale * group[None]])
    circuit = learn(learner, values, schema_of("bbbbn"), **as_hard_as_possible(learner))
    deviations = [params[1] for params in leaf_params(circuit, 4)]
    assert len(deviations) == 2
    assert deviations == pytest.approx([0.01 * 0.5 * scale] * 2, rel=1e-6)
