"""SoftLearn whose memberships are forced to 0 and 1 is LearnSPN, node for node."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from softlearn.learn.training import training_table

from circuit_examples import must_equal
from learn.table_examples import learn, mixture, schema_of
from softlearn.learn import Engine, GrowConfig, grow, grow_mixed
from softlearn.learn.assemble import assemble
from softlearn.query import Evidence, log_likelihood

binary_tables = st.builds(
    lambda n_columns, n_rows, seed, n_groups: mixture(
        "b" * n_columns, n_rows, seed=seed, n_groups=n_groups
    ),
    st.integers(2, 8),
    st.integers(10, 300),
    st.integers(0, 10_000),
    st.integers(1, 9),
)
every_clustering = pytest.mark.parametrize("clustering", ["em", "kmeans"])


def binary(values):
    return schema_of("b" * values.shape[0])


def split_with(patch, memberships):
    """Cluster by another function: one split at a time, as inside the kernel there is no door."""
    patch.setattr(grow, "BinaryGrower", grow_mixed.MixedGrower)
    patch.setattr(grow_mixed, "memberships", memberships)


def grown(values, schema, **choices):
    """The grower by itself, with its choices as they are given."""
    table = training_table(values, np.ones(values.shape[1]), schema)
    tree = grow.grow(table, GrowConfig(**choices), np.random.SeedSequence(3), Engine())
    return assemble(tree, schema)


@every_clustering
@given(values=binary_tables, n_clusters=st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_soft_learning_with_hard_memberships_is_learnspn(clustering, values, n_clusters):
    original = grow_mixed.memberships

    def forced(data, uniforms, options):
        found = original(data, uniforms, options)
        return found if found is None else np.eye(found.shape[0])[found.argmax(axis=0)].T

    choices = {"clustering": clustering, "n_clusters": n_clusters}
    with pytest.MonkeyPatch.context() as patch:
        split_with(patch, original)
        expected = learn("learnspn", values, binary(values), **choices)
        split_with(patch, forced)
        must_equal(learn("softlearn", values, binary(values), **choices), expected)


@every_clustering
@given(values=binary_tables)
@settings(max_examples=25, deadline=None)
def test_rank_tests_make_no_difference_to_binary_columns(clustering, values):
    choices = {"soft": False, "clustering": clustering}
    one = grown(values, binary(values), ranks=False, **choices)
    must_equal(one, grown(values, binary(values), ranks=True, **choices))


@given(values=binary_tables)
@settings(max_examples=40, deadline=None)
def test_a_very_sharp_softmax_is_hard(values):
    original, shared = grow_mixed.memberships, []

    def watched(data, uniforms, options):
        found = original(data, uniforms, options)
        if found is not None:
            shared.append(bool(((found > 0.0) & (found < 1.0)).any()))
        return found

    with pytest.MonkeyPatch.context() as patch:
        split_with(patch, watched)
        soft = grown(values, binary(values), soft=True, clustering="kmeans", beta=1e9)
        hard = grown(values, binary(values), soft=False, clustering="kmeans")
    assume(not any(shared))  # a tie is broken in the hard case, and shared in the soft one
    must_equal(soft, hard)


@every_clustering
@pytest.mark.parametrize("kinds", ["bbbb", "b3n", "nn"])
def test_hard_memberships_give_each_row_to_one_cluster(clustering, kinds, monkeypatch):
    original, seen = grow_mixed.memberships, []

    def watched(data, uniforms, options):
        found = original(data, uniforms, options)
        if found is not None:
            seen.append(found)
        return found

    split_with(monkeypatch, watched)
    values = mixture(kinds, 300)
    learn("learnspn", values, schema_of(kinds), clustering=clustering, n_clusters=3)
    assert seen
    for membership in seen:
        assert set(np.unique(membership)) <= {0.0, 1.0}
        assert (membership.sum(axis=0) == 1.0).all()
    seen.clear()
    learn("softlearn", values, schema_of(kinds), clustering=clustering, n_clusters=3)
    assert any(((m > 0.01) & (m < 0.99)).any() for m in seen)
    assert all(np.allclose(m.sum(axis=0), 1.0) for m in seen)


@every_clustering
def test_clusters_see_the_columns_of_their_node_alone(clustering, monkeypatch):
    """Two independent blocks of columns: each is clustered by its own columns, not by all."""
    values = np.concatenate([mixture("bbb", 400, seed=1, n_groups=2), mixture("3n", 400, seed=9)])
    widths, original = set(), grow_mixed.memberships

    def watched(data, uniforms, options):
        widths.add((int(data.single.size), data.numbers.shape[0]))
        return original(data, uniforms, options)

    split_with(monkeypatch, watched)
    learn("softlearn", values, schema_of("bbb3n"), clustering=clustering, significance=1e-5)
    assert (3, 0) in widths
    assert (1, 1) in widths
    assert (4, 1) not in widths


def test_edge_weights_are_the_shares_of_mass(monkeypatch):
    """A quarter of each row to the first cluster: 1/4 and 3/4, whatever the weights."""

    def quarter(data, uniforms, options):
        return np.tile([[0.25], [0.75]], data.n_rows)

    split_with(monkeypatch, quarter)
    values = mixture("bbbb", 300, seed=3)
    weights = np.random.default_rng(0).gamma(1.0, 1.0, 300)
    circuit = learn(
        "softlearn", values, schema_of("bbbb"), weights=weights, max_depth=1, significance=0.1
    )
    root = circuit.weight[circuit.edge_start[-2] : circuit.edge_start[-1]]
    assert root == pytest.approx([0.25, 0.75])
    # Both children have all rows in the same proportions, so the same leaves but for smoothing.
    plain = learn("softlearn", values, schema_of("bbbb"), weights=weights, max_depth=0)
    assert circuit.params.reshape(2, -1) == pytest.approx(np.tile(plain.params, (2, 1)), abs=0.01)


@every_clustering
@pytest.mark.parametrize("kinds", ["bbbbbb", "nnb3"])
def test_leaving_out_negligible_rows_hardly_matters(clustering, kinds):
    """The promise of the design: the held-out log-likelihood moves by less than 0.002.

    No deeper than one clustering: a second one would start from other rows if some are left out.
    """
    both = mixture(kinds, 4000)
    values, held_out = both[:, :2000], Evidence(both[:, 2000:])
    choices = {"clustering": clustering, "beta": 10.0, "max_depth": 2}
    some = learn("softlearn", values, schema_of(kinds), **choices)
    every = learn("softlearn", values, schema_of(kinds), min_weight=0.0, **choices)
    gap = log_likelihood(some, held_out).mean() - log_likelihood(every, held_out).mean()
    assert abs(gap) < 0.002
