"""Large slices are measured bucket by bucket, and rows may come in any blocks."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.table_examples import mixture, schema_of, tables, with_gaps
from softlearn.circuit import Circuit
from softlearn.learn import Block, Engine, grow
from softlearn.learn.config import GrowConfig
from softlearn.learn.growing import grown
from softlearn.table import infer_schema
from softlearn.table.encode import encode
from softlearn.table.schema import Schema

SEED = np.random.SeedSequence(0)
GROWN = {
    "softlearn": GrowConfig(),
    "softlearn by k-means": GrowConfig(clustering="kmeans", n_clusters=3),
    "learnspn": GrowConfig(soft=False, ranks=True),
    "learnspn by k-means": GrowConfig(soft=False, ranks=True, clustering="kmeans", test="g"),
}


def learnt(values, schema, config, *, weights=None, n_blocks=1, n_jobs=1, order=None) -> Circuit:
    """The circuit of a table that comes in blocks."""
    weights = np.ones(values.shape[1]) if weights is None else weights
    order = np.arange(values.shape[1]) if order is None else order
    some = np.array_split(order, n_blocks)
    blocks = [Block(values[:, rows], weights[rows]) for rows in some]
    return grown(blocks, schema, config, SEED, Engine(n_jobs=n_jobs))


def same_bits(a: Circuit, b: Circuit) -> bool:
    """Whether two circuits are the same to the last bit."""
    names = [one.name for one in fields(Circuit) if one.name != "schema"]
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def same_shape(a: Circuit, b: Circuit) -> bool:
    """Whether two circuits have the same nodes and edges."""
    return np.array_equal(a.kind, b.kind) and np.array_equal(a.child, b.child)


def scaled_table(n_rows: int) -> tuple[np.ndarray, Schema]:
    """Numbers with spikes and steps, levels, gaps."""
    rng = np.random.default_rng(5)
    group = rng.integers(0, 3, n_rows)
    price = np.where(rng.random(n_rows) < 0.3, 0.0, np.round(rng.lognormal(group, 0.5), 2))
    age = rng.poisson(20 + 10 * group).astype(float)
    level = (group + (rng.random(n_rows) < 0.2)) % 3
    values = np.column_stack([price, age, rng.normal(group), level])
    values[rng.random(values.shape) < 0.05] = np.nan
    schema = infer_schema(values, overrides={"3": "categorical"})
    return encode(values, schema), schema


@pytest.mark.parametrize("name", GROWN)
@pytest.mark.parametrize("bucket_rows", [64, 100_000])
@pytest.mark.parametrize(("n_blocks", "n_jobs"), [(2, 1), (7, 2)])
def test_blocks_do_not_matter(name, bucket_rows, n_blocks, n_jobs):
    values, schema = scaled_table(600)
    rng = np.random.default_rng(n_blocks)
    weights = rng.integers(0, 3, 600) + rng.random(600)
    config = replace(GROWN[name], bucket_rows=bucket_rows)
    one = learnt(values, schema, config, weights=weights)
    order = rng.permutation(600)
    cut = {"n_blocks": n_blocks, "n_jobs": n_jobs, "order": order, "weights": weights}
    assert one.kind.size > 20
    assert same_bits(one, learnt(values, schema, config, **cut))


@given(table=tables(max_rows=40), n_blocks=st.integers(2, 5), name=st.sampled_from(sorted(GROWN)))
@settings(max_examples=40, deadline=None)
def test_blocks_do_not_matter_for_any_table(table, n_blocks, name):
    values, schema = table
    config = replace(GROWN[name], bucket_rows=8, significance=0.3)
    one = learnt(values, schema, config)
    assert same_bits(one, learnt(values, schema, config, n_blocks=n_blocks))


@pytest.mark.parametrize("n_blocks", [2, 7])
def test_blocks_do_not_matter_for_equal_rows_with_broken_weights(n_blocks):
    rng = np.random.default_rng(0)
    values = mixture("bb3", 400)  # at most twelve different rows
    weights = np.where(rng.random(400) < 0.5, 1.0, rng.random(400))
    config = GrowConfig(bucket_rows=4, significance=0.3)
    one = learnt(values, schema_of("bb3"), config, weights=weights)
    order = rng.permutation(400)
    cut = learnt(values, schema_of("bb3"), config, weights=weights, n_blocks=n_blocks, order=order)
    assert one.kind.size > 5
    assert same_bits(one, cut)


@pytest.mark.parametrize("name", GROWN)
@pytest.mark.parametrize(
    ("kinds", "gaps"), [("bbbbbb", 0.0), ("b3nb5n", 0.1), ("nnnn", 0.0), ("bbbbbbbb", 0.02)]
)
def test_buckets_grow_what_one_go_grows(name, kinds, gaps):
    values = with_gaps(mixture(kinds, 900, seed=3), gaps)
    schema = schema_of(kinds)
    config = replace(GROWN[name], significance=0.05)
    whole = learnt(values, schema, config)
    parts = learnt(values, schema, replace(config, bucket_rows=100))
    assert same_shape(whole, parts)
    # Sums of other rows first: rounding, which scores in single precision carry on.
    assert parts.params == pytest.approx(whole.params, rel=1e-6, abs=1e-9)
    assert parts.weight == pytest.approx(whole.weight, rel=1e-6)


@pytest.mark.parametrize("name", GROWN)
def test_a_scale_with_spikes_is_grown_alike_in_buckets(name):
    values, schema = scaled_table(800)
    config = GROWN[name]
    whole = learnt(values, schema, config)
    parts = learnt(values, schema, replace(config, bucket_rows=50))
    assert same_shape(whole, parts)
    assert parts.params == pytest.approx(whole.params, rel=1e-6, abs=1e-9)


def test_few_ones_are_compressed_and_grown_alike():
    rng = np.random.default_rng(0)
    values = (rng.random((12, 700)) < np.where(rng.random(700) < 0.5, 0.15, 0.02)).astype(float)
    schema = schema_of("b" * 12)
    whole = learnt(values, schema, GrowConfig(significance=0.3))
    parts = learnt(values, schema, GrowConfig(significance=0.3, bucket_rows=60))
    assert whole.kind.size > 15
    assert same_shape(whole, parts)


def test_a_column_that_a_cluster_never_saw_keeps_its_fallback():
    rng = np.random.default_rng(1)
    group = rng.random(600) < 0.5
    values = np.stack([group * 6.0, group * 5.0 - 2.0, np.zeros(600)]) + rng.normal(size=(3, 600))
    values[2, group] = np.nan  # seen in one group only
    config = GrowConfig(soft=False, max_depth=2, significance=0.05)
    whole = learnt(values, schema_of("nnn"), config)
    parts = learnt(values, schema_of("nnn"), replace(config, bucket_rows=40))
    assert same_shape(whole, parts)
    assert parts.params == pytest.approx(whole.params, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("limit", [{"max_depth": 1}, {"max_nodes": 30}, {"min_rows": 300}])
def test_limits_hold_in_buckets(limit):
    values, schema = scaled_table(600)
    config = replace(GrowConfig(), **limit)
    whole = learnt(values, schema, config)
    parts = learnt(values, schema, replace(config, bucket_rows=30))
    assert same_shape(whole, parts)


def test_without_time_large_slices_become_leaves():
    values, schema = scaled_table(600)
    config = GrowConfig(bucket_rows=50, time_budget=0.0)
    circuit = learnt(values, schema, config)
    assert circuit.kind.size == len(schema) + 1


def test_an_interrupt_in_a_large_slice_keeps_a_circuit():
    values, schema = scaled_table(600)

    class Impatient:
        seen = 0

        def __call__(self, progress) -> None:
            self.seen += 1
            if self.seen == 1:
                raise KeyboardInterrupt

    blocks = [Block(values, np.ones(600))]
    config = GrowConfig(bucket_rows=50)
    engine = Engine(watch=Impatient(), keep_partial=True)
    kept = grown(blocks, schema, config, SEED, engine)
    assert len(schema) < kept.kind.size < grown(blocks, schema, config, SEED, Engine()).kind.size


def test_small_slices_do_not_wait_until_no_large_one_is_left(monkeypatch):
    """Slices share rows: all small ones together may have many times the rows of the table."""
    waiting, gathered, plain = [], [], grow._SmallSliceGrower.hand_over

    def hand_over(self, task):
        plain(self, task)
        gathered.append(task.n_rows)
        waiting.append(sum(own.rows.size for own in self.waiting))

    monkeypatch.setattr(grow._SmallSliceGrower, "hand_over", hand_over)
    values, schema = scaled_table(600)
    config = GrowConfig(bucket_rows=300, significance=0.3, n_clusters=4)
    learnt(values, schema, config)
    assert sum(gathered) > 4 * 600
    assert max(waiting) <= 600 + 300
