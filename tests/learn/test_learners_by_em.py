"""Learners with a fixed structure: what they build, and what EM makes of it."""

import itertools

import numpy as np
import pytest

from learn.table_examples import learn, mixture, schema_of, with_gaps
from softlearn import SoftLearn
from softlearn.circuit import SUM
from softlearn.estimators.from_registry import estimator_of
from softlearn.learn import LEARNERS, Block
from softlearn.learn.em_config import EmConfig
from softlearn.learn.first_leaves import FirstLeaves
from softlearn.learn.hclt import HcltConfig, hidden_tree, tree_of
from softlearn.learn.region_circuit import Widths, first_circuit
from softlearn.learn.region_graph import poon_domingos, random_trees
from softlearn.query import Evidence, log_likelihood

BY_EM = [name for name, entry in LEARNERS.items() if issubclass(entry.config, EmConfig)]
every_one = pytest.mark.parametrize("name", BY_EM)
SMALL = {
    "hclt": {"n_states": 3},
    "ratspn": {"n_replicas": 2, "n_sums": 3, "n_inputs": 2},
    "einsumnetwork": {"n_replicas": 2, "n_nodes": 3},
}
POON = {"structure": "poon-domingos", "n_nodes": 2}


def first_leaves(kinds, values):
    return FirstLeaves.of(Block(values, np.ones(values.shape[1])), schema_of(kinds), EmConfig())


def scores(circuit, values):
    return log_likelihood(circuit, Evidence(values))


def test_these_are_all():
    assert list(SMALL) == BY_EM


@pytest.mark.parametrize(("name", "choices"), [*SMALL.items(), ("einsumnetwork", POON)])
def test_all_rows_together_have_probability_one(name, choices):
    kinds = "b3b2b"
    circuit = learn(name, mixture(kinds, 200), schema_of(kinds), **choices, max_iter=5)
    worlds = np.array(list(itertools.product(*(range(2 if k == "b" else int(k)) for k in kinds))))
    logs = scores(circuit, worlds.T.astype(float))
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)
    some = worlds.T.astype(float)
    some[:3] = np.nan
    pairs, first = np.unique(some[3:], axis=1, return_index=True)
    for at, pair in zip(first, pairs.T, strict=True):
        mine = (worlds[:, 3:] == pair).all(axis=1)
        assert np.exp(scores(circuit, some[:, [at]]))[0] == pytest.approx(np.exp(logs[mine]).sum())


@every_one
def test_training_rows_become_more_likely(name):
    kinds = "bn3nbb2n"
    values = with_gaps(mixture(kinds, 500, n_groups=5), 0.1)
    found = [
        scores(
            learn(name, values, schema_of(kinds), **SMALL[name], held_out=0.0, max_iter=n), values
        ).mean()
        for n in (0, 3, 20)
    ]
    assert found[0] < found[1] < found[2]


@every_one
def test_it_beats_independent_columns_on_rows_held_out(name):
    kinds = "bn3nbb2nbb"
    values = mixture(kinds, 2000, n_groups=3)
    train, held = values[:, :1000], values[:, 1000:]
    schema = schema_of(kinds)
    alone = learn("softlearn", train, schema, max_depth=0)
    assert scores(learn(name, train, schema), held).mean() > scores(alone, held).mean() + 1.0


@every_one
def test_batches_learn_too(name):
    kinds = "bn3nbb2nbb"
    values, schema = mixture(kinds, 2000, n_groups=3), schema_of(kinds)
    start, end = (
        scores(learn(name, values, schema, **SMALL[name], batch_rows=300, max_iter=n), values)
        for n in (0, 10)
    )
    assert end.mean() > start.mean() + 0.5


@every_one
def test_numbers_with_a_scale_and_frames_are_learnt(name):
    rng = np.random.default_rng(0)
    table = np.exp(rng.normal(size=(400, 3)) + rng.integers(0, 2, (400, 1)) * 3)
    learnt = estimator_of(LEARNERS[name])(**SMALL[name], random_state=0).fit(table)
    alone = SoftLearn(max_depth=0).fit(table)
    assert learnt.score(table) > alone.score(table) + 0.3
    assert learnt.probability({"2": (10, None)}, given={"0": (20, None)}) > 0.5


# What is built


def test_a_hidden_tree_has_a_table_of_states_for_each_edge_of_the_tree():
    kinds, k = "bbbbb", 4
    values = mixture(kinds, 300)
    leaves = first_leaves(kinds, values)
    parent = np.array([-1, 0, 0, 1, 1])
    circuit = hidden_tree(leaves, parent, k, np.random.default_rng(0))
    n_sum_edges = np.diff(circuit.edge_start)[circuit.kind == SUM].sum()
    assert n_sum_edges == k + 4 * k * k
    assert circuit.n_leaves == 5 * k


def test_a_hidden_tree_with_one_state_has_independent_columns():
    kinds = "b3n"
    values = mixture(kinds, 300)
    circuit = learn("hclt", values, schema_of(kinds), n_states=1)
    marginals = [np.where(np.arange(3)[:, None] == i, values, np.nan) for i in range(3)]
    np.testing.assert_allclose(
        scores(circuit, values), sum(scores(circuit, one) for one in marginals)
    )


def test_columns_that_say_nothing_of_each_other_hang_below_the_first():
    values = np.stack([np.tile([0.0, 1.0], 50), np.repeat([0.0, 1.0], 50), np.zeros(100)])
    parent = tree_of(first_leaves("bbb", values), HcltConfig())
    np.testing.assert_array_equal(parent, [-1, 0, 0])


def test_regions_have_sums_over_all_pairs():
    kinds = "bbbb"
    leaves, rng = first_leaves(kinds, mixture(kinds, 100)), np.random.default_rng(0)
    graph = random_trees(4, 2, 3, rng)
    circuit = first_circuit(leaves, graph, Widths(5, 4, mixes=False), rng)
    n_children = np.diff(circuit.edge_start)[circuit.kind == SUM]
    assert sorted(set(n_children.tolist())) == [4 * 4, 3 * 5 * 5]
    assert n_children.size == 3 * 2 * 5 + 1
    mixed = first_circuit(leaves, graph, Widths(5, 4, mixes=True), rng)
    n_children = np.diff(mixed.edge_start)[mixed.kind == SUM]
    assert sorted(n_children[-4:].tolist()) == [3, 25, 25, 25]


def test_poon_domingos_shares_the_nodes_of_a_region():
    kinds = "bbbb"
    leaves, rng = first_leaves(kinds, mixture(kinds, 100)), np.random.default_rng(0)
    circuit = first_circuit(leaves, poon_domingos((4,), 4), Widths(2, 2, mixes=True), rng)
    assert circuit.n_leaves == 4 * 2
    assert np.bincount(circuit.child[: circuit.n_edges]).max() > 2
