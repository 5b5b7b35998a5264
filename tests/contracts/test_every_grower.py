"""What every learner that grows promises: clusters, tests, depth, nodes, time, interrupts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit_examples import must_equal
from learn.table_examples import (
    GROWERS,
    inner_depth,
    is_factorised,
    leaf_params,
    learn,
    mixture,
    schema_of,
    tables,
    with_gaps,
)
from softlearn.circuit import save_circuit, violations
from softlearn.learn import LEARNERS, Block, Engine, grow
from softlearn.learn.grower_config import GrowerConfig
from softlearn.query import Evidence, log_likelihood
from softlearn.table.schema import Column, Schema

every_grower = pytest.mark.parametrize("learner", GROWERS)
every_clustering = pytest.mark.parametrize("clustering", ["em", "kmeans"])

KINDS = "bn3nbb2n"


@every_grower
def test_it_has_the_parameters_of_all_growers(learner):
    assert issubclass(LEARNERS[learner].config, GrowerConfig)


def must_be_sound(circuit, values):
    assert violations(circuit) == []
    assert np.isfinite(circuit.params).all()
    assert np.isfinite(log_likelihood(circuit, Evidence(values))).all()


def score(circuit, values):
    return float(log_likelihood(circuit, Evidence(values)).mean())


@every_grower
@every_clustering
@given(table=tables(), n_clusters=st.integers(2, 4), histograms=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_circuit_is_sound_on_any_table(learner, clustering, table, n_clusters, histograms):
    values, schema = table
    leaf = "histogram" if histograms else "gaussian"
    choices = {"clustering": clustering, "n_clusters": n_clusters, "leaf": leaf}
    must_be_sound(learn(learner, values, schema, **choices), values)


@every_grower
@every_clustering
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.95])
def test_missing_cells_are_no_obstacle(learner, clustering, share):
    values = with_gaps(mixture(KINDS, 400), share)
    values[:, :5] = np.nan
    circuit = learn(learner, values, schema_of(KINDS), clustering=clustering, n_clusters=3)
    must_be_sound(circuit, values)
    assert is_factorised(circuit) == (share == 0.95)


@every_grower
@every_clustering
@pytest.mark.parametrize("test", ["chi2", "g"])
def test_both_independence_tests_grow_a_circuit(learner, clustering, test):
    values = mixture(KINDS, 300)
    circuit = learn(learner, values, schema_of(KINDS), clustering=clustering, test=test)
    must_be_sound(circuit, values)
    assert not is_factorised(circuit)


@every_grower
def test_smoothing_may_be_zero(learner):
    values = with_gaps(mixture("bb3b2", 300), 0.1)
    must_be_sound(learn(learner, values, schema_of("bb3b2"), smoothing=0.0), values)


@every_grower
@every_clustering
def test_one_column_is_one_leaf(learner, clustering):
    for kind in "bn3":
        values = mixture(kind, 50)
        circuit = learn(learner, values, schema_of(kind), clustering=clustering)
        must_be_sound(circuit, values)
        assert circuit.kind.size == 1


@every_grower
@every_clustering
def test_rows_that_are_all_alike_do_not_divide(learner, clustering):
    values = np.repeat(mixture(KINDS, 1), 100, axis=1)
    circuit = learn(learner, values, schema_of(KINDS), clustering=clustering, n_clusters=3)
    must_be_sound(circuit, values)
    assert is_factorised(circuit)


@every_grower
@every_clustering
def test_there_may_be_more_clusters_than_different_rows(learner, clustering):
    values = np.repeat(np.array([[0.0, 1.0], [0.0, 1.0], [-2.0, 2.0]]), 50, axis=1)
    circuit = learn(learner, values, schema_of("bbn"), clustering=clustering, n_clusters=7)
    must_be_sound(circuit, values)
    assert not is_factorised(circuit)


@every_grower
@every_clustering
def test_a_constant_column_changes_nothing_for_the_others(learner, clustering):
    values = mixture("bbbb", 300)
    constant = np.ones((1, 300))
    alone = learn(learner, values, schema_of("bbbb"), clustering=clustering)
    schema = schema_of("bbbbb")
    beside = learn(learner, np.concatenate([values, constant]), schema, clustering=clustering)
    unknown = np.concatenate([values, np.full((1, 300), np.nan)])
    must_be_sound(beside, unknown)
    assert score(beside, unknown) == pytest.approx(score(alone, values), abs=0.05)


@every_grower
@every_clustering
def test_a_constant_number_has_a_sensible_deviation(learner, clustering):
    """0.1 is no sum of powers of two: its mean is off by rounding, which is not its spread."""
    values = np.concatenate([mixture("nn", 333), np.full((1, 333), 0.1)])
    circuit = learn(learner, values, schema_of("nnn"), clustering=clustering)
    for mean, deviation in leaf_params(circuit, 2):
        assert mean == pytest.approx(0.1)
        assert deviation > 1e-6


def bytes_of(circuit, folder):
    save_circuit(folder / "model.safetensors", circuit)
    return (folder / "model.safetensors").read_bytes()


@every_grower
@every_clustering
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_same_seed_same_file_for_any_number_of_jobs(
    learner, clustering, gaps, tmp_path, monkeypatch
):
    values, schema = with_gaps(mixture(KINDS, 600, n_groups=9), gaps), schema_of(KINDS)
    choices = {"clustering": clustering, "n_clusters": 3, "seed": 7}
    whole = bytes_of(learn(learner, values, schema, **choices), tmp_path)
    monkeypatch.setattr(grow, "_SMALL", 0, raising=False)  # every slice is handed round
    for n_jobs in (1, 2, 8):
        found = learn(learner, values, schema, n_jobs=n_jobs, **choices)
        assert bytes_of(found, tmp_path) == whole


@every_grower
@every_clustering
def test_limits_hold_for_any_number_of_jobs(learner, clustering, monkeypatch):
    monkeypatch.setattr(grow, "_SMALL", 0, raising=False)
    values, schema = mixture("bbbbbbbb", 800, n_groups=12), schema_of("bbbbbbbb")
    for limit in ({"max_nodes": 60}, {"max_depth": 3}):
        one = learn(learner, values, schema, clustering=clustering, **limit)
        eight = learn(learner, values, schema, clustering=clustering, n_jobs=8, **limit)
        must_equal(one, eight)


@every_grower
def test_another_seed_may_give_another_circuit(learner):
    values, schema = mixture(KINDS, 400, n_groups=9), schema_of(KINDS)
    found = {
        learn(learner, values, schema, seed=seed, clustering="kmeans").params.tobytes()
        for seed in range(5)
    }
    assert len(found) > 1


@every_grower
@every_clustering
@given(table=tables(), seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_order_of_rows_does_not_matter(learner, clustering, table, seed):
    values, schema = table
    order = np.random.default_rng(seed).permutation(values.shape[1])
    must_equal(
        learn(learner, values, schema, clustering=clustering),
        learn(learner, values[:, order], schema, clustering=clustering),
    )


@every_grower
@every_clustering
def test_order_of_equal_rows_with_broken_weights_does_not_matter(learner, clustering):
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1: weights of equal rows are added in no row's order."""
    rng = np.random.default_rng(0)
    values, weights = np.repeat(mixture("bbb3", 50), 6, axis=1), rng.gamma(1.0, 1.0, 300)
    order, schema = rng.permutation(300), schema_of("bbb3")
    must_equal(
        learn(learner, values, schema, weights=weights, clustering=clustering),
        learn(learner, values[:, order], schema, weights=weights[order], clustering=clustering),
    )


@every_grower
@every_clustering
@given(table=tables(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_a_weight_counts_like_so_many_rows(learner, clustering, table, data):
    values, schema = table
    n_rows = values.shape[1]
    counts = data.draw(
        st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).filter(
            lambda c: np.count_nonzero(c) > 1
        )
    )
    weighted = learn(
        learner, values, schema, weights=np.array(counts, float), clustering=clustering
    )
    repeated = learn(learner, np.repeat(values, counts, axis=1), schema, clustering=clustering)
    must_equal(weighted, repeated)


@every_grower
def test_merging_equal_rows_keeps_the_deviation(learner):
    """A thousand rows of two values have a deviation of a half, whatever is merged on the way."""
    values = np.array([[0.0, 1.0] * 500])
    circuit = learn(learner, values, schema_of("n"))
    assert circuit.params[1] == pytest.approx(values.std(ddof=1), rel=0.01)


@every_grower
@every_clustering
def test_small_weights_keep_every_leaf_on_data(learner, clustering):
    """Thousands of rows that weigh little each are still thousands of rows."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 20_000)
    values = np.stack([group, group, group, 3.0 * group + rng.normal(size=20_000)])
    weights = np.full(20_000, 9e-4)  # below what is negligible beside weights of one
    schema = schema_of("bbbn")
    circuit = learn(learner, values, schema, weights=weights, clustering=clustering)
    must_be_sound(circuit, values)
    alone = learn(learner, values, schema, weights=weights, max_depth=0)
    assert not is_factorised(circuit)
    assert score(circuit, values) > score(alone, values)


@every_grower
@every_clustering
@pytest.mark.parametrize("far", [1e6, 1e40, 1e150])
def test_a_row_far_away_that_weighs_nothing_changes_nothing(learner, clustering, far):
    values, weights = mixture("nnb", 300, n_groups=2), np.ones(300)
    outlier = np.array([[far], [-far], [1.0]])
    schema = schema_of("nnb")
    alone = learn(learner, values, schema, weights=weights, clustering=clustering)
    beside = learn(
        learner,
        np.concatenate([values, outlier], axis=1),
        schema,
        weights=np.append(weights, far**-2.0),
        clustering=clustering,
    )
    assert violations(beside) == []
    assert np.isfinite(beside.params).all()
    assert not is_factorised(beside)
    assert score(beside, values) == pytest.approx(score(alone, values), abs=0.2)


@every_grower
@every_clustering
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 5])
def test_depth_is_limited(learner, clustering, max_depth):
    values, schema = mixture(KINDS, 600, n_groups=9), schema_of(KINDS)
    circuit = learn(learner, values, schema, clustering=clustering, max_depth=max_depth)
    must_be_sound(circuit, values)
    assert inner_depth(circuit) <= max_depth + 1
    assert is_factorised(circuit) == (max_depth == 0)


@every_grower
@every_clustering
@given(
    max_nodes=st.integers(10, 300), seed=st.integers(0, 20), kinds=st.sampled_from(["b" * 9, KINDS])
)
@settings(max_examples=40, deadline=None)
def test_number_of_nodes_is_limited(learner, clustering, max_nodes, seed, kinds):
    values, schema = mixture(kinds, 500, n_groups=9, seed=seed), schema_of(kinds)
    values[:, :20] = values[:, :1]  # a small group beside large ones
    choices = {"clustering": clustering, "n_clusters": 2 + seed % 3, "seed": seed}
    circuit = learn(learner, values, schema, max_nodes=max_nodes, **choices)
    assert violations(circuit) == []
    assert circuit.kind.size <= max_nodes


@every_grower
@every_clustering
@pytest.mark.parametrize("max_nodes", [31, 41, 51, 61, 91])
@pytest.mark.parametrize("seed", [4, 5, 19])
def test_small_clusters_do_not_break_the_limit(learner, clustering, max_nodes, seed):
    """A cluster of few rows needs a leaf for each column, however small its share of nodes."""
    rng = np.random.default_rng(seed)
    group = rng.choice(4, 2000, p=[0.02, 0.03, 0.45, 0.5])
    favourite = rng.integers(0, 2, (9, 4))[:, group]
    noise = rng.random((9, 2000)) < 0.1
    values = np.where(noise, rng.integers(0, 2, (9, 2000)), favourite).astype(float)
    choices = {"clustering": clustering, "max_nodes": max_nodes, "seed": seed}
    assert learn(learner, values, schema_of("b" * 9), **choices).kind.size <= max_nodes


@every_grower
def test_without_time_it_is_one_product_of_leaves(learner):
    values, schema = mixture(KINDS, 600), schema_of(KINDS)
    circuit = learn(learner, values, schema, time_budget=0.0)
    must_be_sound(circuit, values)
    assert is_factorised(circuit)
    must_equal(circuit, learn(learner, values, schema, max_depth=0))


@every_grower
@every_clustering
def test_independent_columns_become_one_product_of_leaves(learner, clustering):
    rng = np.random.default_rng(3)
    values = np.stack(
        [rng.integers(0, 2, 500), rng.normal(size=500), rng.integers(0, 3, 500), rng.random(500)]
    )
    # Six pairs at this level: false alarm 6e-6, and the seed is fixed.
    circuit = learn(learner, values, schema_of("bn3n"), significance=1e-6, clustering=clustering)
    must_be_sound(circuit, values)
    assert is_factorised(circuit)


@every_grower
@every_clustering
@pytest.mark.parametrize("kinds", ["b" * 8, "n" * 4, "3b3b9", KINDS])
def test_rows_of_several_groups_are_told_apart(learner, clustering, kinds):
    values, schema = mixture(kinds, 1000, n_groups=3), schema_of(kinds)
    grown = learn(learner, values, schema, clustering=clustering)
    alone = learn(learner, values, schema, max_depth=0)
    assert score(grown, values) > score(alone, values) + 0.3


@every_grower
@every_clustering
def test_dependent_pairs_are_found_in_any_order_of_columns(learner, clustering):
    rng = np.random.default_rng(5)
    flag = rng.integers(0, 2, 600).astype(float)
    number = 3.0 * flag + rng.normal(size=600)
    for kinds, values in (("bn", [flag, number]), ("nb", [number, flag])):
        circuit = learn(
            learner, np.stack(values), schema_of(kinds), clustering=clustering, n_clusters=2
        )
        assert not is_factorised(circuit)


@every_grower
@pytest.mark.slow
def test_five_thousand_columns(learner):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 50)
    values = (rng.random((5000, 50)) < np.array([0.2, 0.6])[group]).astype(float)
    schema = Schema(tuple(Column(f"c{i}", "boolean") for i in range(5000)))
    circuit = learn(learner, values, schema, significance=1e-4, max_depth=2)
    must_be_sound(circuit, values)


@every_grower
@pytest.mark.slow
def test_ten_thousand_levels(learner):
    rng = np.random.default_rng(0)
    levels = tuple(f"user {i}" for i in range(10_000))
    schema = Schema((Column("user", "categorical", levels), *schema_of("bbn").columns))
    values = np.concatenate([rng.integers(0, 10_000, (1, 2000)), mixture("bbn", 2000)])
    values[0, :1000] = rng.integers(0, 3, 1000)
    circuit = learn(learner, values, schema, max_nodes=100)
    must_be_sound(circuit, values)


@every_grower
def test_a_learner_reports_how_far_it_is(learner):
    seen = []
    engine = Engine(watch=lambda progress: seen.append((progress.share, progress.n_nodes)))
    block, entry = Block(mixture(KINDS, 300), np.ones(300)), LEARNERS[learner]
    seed = np.random.SeedSequence(1)
    circuit = entry.learn([block], schema_of(KINDS), entry.config(), seed, engine)
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0, abs=0.01)
    assert 0 < seen[-1][1] <= 2 * circuit.kind.size


def interrupted(learner, values, *, keep_partial, after):
    """Run a learner that the user interrupts when so many slices are done."""
    calls = []

    def watch(progress):
        calls.append(progress.n_nodes)
        if len(calls) == after:
            raise KeyboardInterrupt

    engine = Engine(watch=watch, keep_partial=keep_partial, n_jobs=2)
    block, seed = Block(values, np.ones(values.shape[1])), np.random.SeedSequence(0)
    entry = LEARNERS[learner]
    return entry.learn([block], schema_of(KINDS), entry.config(), seed, engine)


@every_grower
@pytest.mark.parametrize("after", [1, 2, 5])
def test_an_interrupted_learner_may_keep_what_it_has(learner, after, monkeypatch):
    monkeypatch.setattr(grow, "_SMALL", 0, raising=False)
    values = mixture(KINDS, 600, n_groups=9)
    whole = learn(learner, values, schema_of(KINDS))
    partial = interrupted(learner, values, keep_partial=True, after=after)
    must_be_sound(partial, values)
    assert partial.kind.size < whole.kind.size


@every_grower
def test_an_interrupt_ends_it_all_unless_told_otherwise(learner, monkeypatch):
    monkeypatch.setattr(grow, "_SMALL", 0, raising=False)
    with pytest.raises(KeyboardInterrupt):
        interrupted(learner, mixture(KINDS, 600, n_groups=9), keep_partial=False, after=2)
