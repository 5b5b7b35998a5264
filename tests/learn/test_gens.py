"""LearnSPN as first published: G-tests, hard incremental EM, a price on clusters."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit_examples import must_equal
from learn.table_examples import is_factorised, learn, mixture, schema_of, tables
from softlearn.circuit import PRODUCT, SUM, violations
from softlearn.kernels.cluster.incremental import incremental_em
from softlearn.query import Evidence, log_likelihood


def gens(values, schema, **choices):
    return learn("learnspn", values, schema, variant="gens", **choices)


def score(circuit, values):
    return float(log_likelihood(circuit, Evidence(values)).mean())


@given(data=st.data(), leaf=st.sampled_from(["gaussian", "chow-liu"]))
@settings(max_examples=30, deadline=None)
def test_the_circuit_is_sound_on_any_table(data, leaf):
    values, schema = data.draw(tables())
    circuit = gens(values, schema, leaf=leaf)
    assert violations(circuit) == []
    assert np.isfinite(log_likelihood(circuit, Evidence(values))).all()
    order = np.random.default_rng(0).permutation(values.shape[1])
    must_equal(circuit, gens(values[:, order], schema, leaf=leaf))


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_a_weight_counts_like_so_many_rows(data):
    values, schema = data.draw(tables())
    counts = np.random.default_rng(0).integers(1, 4, values.shape[1])
    weighted = gens(values, schema, weights=counts.astype(float))
    must_equal(weighted, gens(np.repeat(values, counts, axis=1), schema))


def test_independent_columns_are_told_apart():
    values = (np.random.default_rng(0).random((5, 800)) < 0.4).astype(float)
    assert is_factorised(gens(values, schema_of("bbbbb")))


def test_groups_of_columns_become_parts_of_a_product():
    first, second = mixture("bbb", 1000, seed=1), mixture("bbb", 1000, seed=2)
    circuit = gens(np.concatenate([first, second]), schema_of("bbbbbb"), significance=0.001)
    assert circuit.kind[-1] == PRODUCT
    assert np.count_nonzero(circuit.kind == SUM) >= 2


def test_groups_of_rows_are_found():
    values, schema = mixture("bbb3b3bb", 1500, n_groups=3), schema_of("bbb3b3bb")
    apart = learn("learnspn", values, schema, max_depth=0)
    assert score(gens(values, schema), values) > score(apart, values) + 0.5


def clusters_of(codes, price, n_states=2):
    n_columns = codes.shape[1]
    start = np.arange(n_columns + 1) * n_states
    order = np.arange(codes.shape[0])
    weights = np.ones(codes.shape[0])
    return incremental_em(codes.astype(np.uint8), start, weights, order, 0.1, price, 50, 10)


def test_the_price_decides_how_many_clusters_there_are():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 400)
    codes = (rng.random((400, 12)) < np.where(group[:, None] == 1, 0.9, 0.1)).astype(int)
    found = clusters_of(codes, 12 * 0.6)
    assert np.unique(found).size == 2
    agrees = (found == found[np.argmax(group == 1)]) == (group == 1)
    assert agrees.mean() > 0.98
    assert np.unique(clusters_of(codes, 1000.0)).size == 1
    assert np.unique(clusters_of(codes, 0.0)).size > 2


def test_a_missing_cell_says_nothing():
    codes = np.full((30, 4), 255)
    assert np.unique(clusters_of(codes, 0.1)).size == 1


def test_depth_and_nodes_are_limited():
    values, schema = mixture("b3bbbb", 800, n_groups=6), schema_of("b3bbbb")
    free = gens(values, schema, significance=0.1)
    small = gens(values, schema, significance=0.1, max_nodes=60)
    assert free.n_nodes > 100
    assert 7 < small.n_nodes <= 70
    assert is_factorised(gens(values, schema, max_nodes=1))
    assert is_factorised(gens(values, schema, max_depth=0))
