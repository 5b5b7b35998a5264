"""SoftLearn whose memberships are forced to 0 and 1 is LearnSPN, node for node."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from circuit_examples import must_equal
from learn.plain_grower import plainly_grown
from learn.table_examples import learn, mixture, schema_of
from softlearn.learn import Engine, GrowConfig, grow
from softlearn.learn.assemble import assemble
from softlearn.learn.leaves import finish_leaves
from softlearn.query import Evidence, log_likelihood
from softlearn.stats.clustering import memberships
from softlearn.stats.table import training_table

SEED = np.random.SeedSequence(3)

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


def table_of(values, schema, weights=None):
    weights = np.ones(values.shape[1]) if weights is None else weights
    return training_table(values, weights, schema)


def grown(values, schema, **choices):
    """The grower by itself, with its choices as they are given."""
    table, config = table_of(values, schema), GrowConfig(**choices)
    tree = grow.grow(table, config, SEED, Engine())
    return assemble(tree, finish_leaves(tree, table, config), schema)


def split_with(memberships, values, schema, weights=None, **choices):
    """The circuit whose rows are clustered by a function; inside the kernel there is no door."""
    table = table_of(values, schema, weights)
    return plainly_grown(table, GrowConfig(**choices), SEED, memberships=memberships)


def watched(seen):
    """The usual memberships, all of which are noted down."""

    def cluster(data, picks, options, core):
        found = memberships(data, picks, options, core)
        seen.append((data, found))
        return found

    return cluster


@every_clustering
@given(values=binary_tables, n_clusters=st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_soft_learning_with_hard_memberships_is_learnspn(clustering, values, n_clusters):
    def forced(data, picks, options, core):
        found = memberships(data, picks, options, core)
        return found if found is None else np.eye(found.shape[0])[found.argmax(axis=0)].T

    choices = {"clustering": clustering, "n_clusters": n_clusters}
    expected = split_with(memberships, values, binary(values), soft=False, ranks=True, **choices)
    must_equal(split_with(forced, values, binary(values), **choices), expected)


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
    seen, choices = [], {"clustering": "kmeans", "beta": 1e9}
    split_with(watched(seen), values, binary(values), **choices)
    shared = [m is not None and ((m > 0.0) & (m < 1.0)).any() for _, m in seen]
    assume(not any(shared))  # a tie is broken in the hard case, and shared in the soft one
    soft = grown(values, binary(values), soft=True, **choices)
    must_equal(soft, grown(values, binary(values), soft=False, clustering="kmeans"))


@every_clustering
@pytest.mark.parametrize("kinds", ["bbbb", "b3n", "nn"])
def test_hard_memberships_give_each_row_to_one_cluster(clustering, kinds):
    values, schema, choices = mixture(kinds, 300), schema_of(kinds), {"n_clusters": 3}
    hard, soft = [], []
    split_with(watched(hard), values, schema, soft=False, clustering=clustering, **choices)
    hard = [membership for _, membership in hard if membership is not None]
    assert hard
    for membership in hard:
        assert set(np.unique(membership)) <= {0.0, 1.0}
        assert (membership.sum(axis=0) == 1.0).all()
    split_with(watched(soft), values, schema, clustering=clustering, **choices)
    soft = [membership for _, membership in soft if membership is not None]
    assert any(((m > 0.01) & (m < 0.99)).any() for m in soft)
    assert all(np.allclose(m.sum(axis=0), 1.0) for m in soft)


@every_clustering
def test_clusters_see_the_columns_of_their_node_alone(clustering):
    """Two independent blocks of columns: each is clustered by its own columns, not by all."""
    values = np.concatenate([mixture("bbb", 400, seed=1, n_groups=2), mixture("3n", 400, seed=9)])
    seen, choices = [], {"clustering": clustering, "significance": 1e-5}
    split_with(watched(seen), values, schema_of("bbb3n"), **choices)
    widths = {(data.single.size, data.numbers.shape[0]) for data, _ in seen}
    assert (3, 0) in widths
    assert (1, 1) in widths
    assert (4, 1) not in widths


def test_edge_weights_are_the_shares_of_mass():
    """A quarter of each row to the first cluster: 1/4 and 3/4, whatever the weights."""

    def quarter(data, picks, options, core):
        return np.tile([[0.25], [0.75]], data.weights.size)

    values, schema = mixture("bbbb", 300, seed=3), schema_of("bbbb")
    weights = np.random.default_rng(0).gamma(1.0, 1.0, 300)
    circuit = split_with(quarter, values, schema, weights, max_depth=1)
    root = circuit.weight[circuit.edge_start[-2] : circuit.edge_start[-1]]
    assert root == pytest.approx([0.25, 0.75])
    # Both children have all rows in the same proportions, so the same leaves but for smoothing.
    plain = learn("softlearn", values, schema, weights=weights, max_depth=0)
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
