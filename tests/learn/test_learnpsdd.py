"""LearnPSDD: what a change is worth, what is kept of the tree, and what it finds."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.table_examples import learn, mixture, schema_of, tables
from softlearn.circuit import PRODUCT, scopes
from softlearn.circuit.determinism import is_deterministic
from softlearn.kernels.psdd.gains import copy_gains, split_gains
from softlearn.learn.blocks import Block
from softlearn.learn.psdd.changes import Clone, Split, clone, split
from softlearn.learn.psdd.column_tree import paired
from softlearn.learn.psdd.growing import NONE, Growing
from softlearn.learn.psdd.mixture import fit_mixture
from softlearn.learn.psdd.rows import cells_of, first_shares
from softlearn.query import Evidence, log_likelihood, most_probable


def score(circuit, values):
    return float(log_likelihood(circuit, Evidence(values)).mean())


def growing(values, schema, weights=None, *, smoothing=0.0):
    """Independent columns, in a tree that pairs neighbours."""
    n_rows = values.shape[1]
    weights = np.stack([np.ones(n_rows), np.zeros(n_rows)]) if weights is None else weights
    n = len(schema)
    tree = paired(1.0 / (1.0 + np.abs(np.subtract.outer(np.arange(n), np.arange(n)))))
    block = Block(values, weights[0])
    first = first_shares(block, schema, tree)
    return Growing(tree, cells_of(block, schema, tree), first, weights, smoothing)


def total(grown):
    return float((grown.row_scores() * grown.weights[0]).sum())


def inner_edges(grown):
    return [
        edge
        for edge in range(grown.n_edges)
        if grown.owner(edge) != NONE and grown.children[edge][1] != NONE and grown.train(edge) > 0.0
    ]


def possible_splits(grown, edge):
    """The columns and levels that divide the rows of an edge."""
    rows, tree = grown.rows(edge), grown.tree
    left = int(tree.left[grown.place_of(edge)])
    for column in range(int(tree.first[left]), int(tree.end[left])):
        for level in np.unique(grown.cells.code[rows, column]).tolist():
            if (grown.cells.code[rows, column] != level).any():
                yield Split(edge, column, level)


def some_changes(grown, draw, n):
    """Split and clone at random."""
    for _ in range(n):
        edge = draw(st.sampled_from(inner_edges(grown)))
        below = grown.tree.all_below(grown.place_of(edge)).tolist()
        places = draw(st.sets(st.sampled_from(below)))
        shared = [node for node in grown.children[edge] if len(grown.parents[node]) > 1]
        if shared and draw(st.booleans()):
            node = draw(st.sampled_from(shared))
            clone(grown, Clone(edge, node), {*places, grown.places[node]})
            continue
        splits = list(possible_splits(grown, edge))
        if splits:
            split(grown, draw(st.sampled_from(splits)), places)


discrete = tables(kinds="b23", gaps=False, max_rows=40)


@given(data=st.data(), values_and_schema=discrete)
@settings(max_examples=60, deadline=None)
def test_a_change_gains_what_was_said_of_it(data, values_and_schema):
    values, schema = values_and_schema
    grown = growing(values, schema)
    if len(schema) < 2:
        return
    some_changes(grown, data.draw, data.draw(st.integers(0, 4)))
    edge = data.draw(st.sampled_from(inner_edges(grown)))
    change = data.draw(st.sampled_from([*possible_splits(grown, edge), None]))
    if change is None:
        return
    rows, place = grown.rows(edge), grown.place_of(edge)
    places = grown.tree.all_below(place)[:-1]
    group = (grown.cells.code[rows, change.column] == change.level).astype(np.int32)
    gains = copy_gains(rows, group, grown.weights, grown.passed, places, 0.0)
    n = np.bincount(group, minlength=2)
    said = gains[0].sum() + (n * np.log(n / n.sum())).sum()

    low = grown.cells.start[grown.tree.first[place]]
    of_all = split_gains(
        rows, grown.weights[0], grown.passed, grown.cells, grown.tree.places, place, 0.0
    )
    state = grown.cells.start[change.column] + change.level - low
    if grown.cells.is_tried[low + state]:
        assert of_all[0, state] == pytest.approx(said, abs=1e-9)

    before = total(grown)
    split(grown, change, set(places.tolist()))
    assert total(grown) - before == pytest.approx(said, abs=1e-9)


@given(data=st.data(), values_and_schema=discrete)
@settings(max_examples=60, deadline=None)
def test_a_clone_gains_what_was_said_of_it(data, values_and_schema):
    values, schema = values_and_schema
    grown = growing(values, schema)
    if len(schema) < 2:
        return
    some_changes(grown, data.draw, 4)
    shared = [
        (edge, node)
        for edge in inner_edges(grown)
        for node in grown.children[edge]
        if len(grown.parents[node]) > 1
    ]
    if not shared:
        return
    edge, node = data.draw(st.sampled_from(shared))
    places, rows = grown.tree.all_below(grown.places[node]), grown.rows(edge)
    nobody = np.zeros(rows.size, np.int32)
    said = copy_gains(rows, nobody, grown.weights, grown.passed, places, 0.0)[0].sum()
    before = total(grown)
    clone(grown, Clone(edge, node), set(places.tolist()))
    assert total(grown) - before == pytest.approx(said, abs=1e-9)


@given(data=st.data(), values_and_schema=discrete)
@settings(max_examples=60, deadline=None)
def test_after_any_changes_rows_take_edges_of_nodes_that_their_other_edges_lead_to(
    data, values_and_schema
):
    values, schema = values_and_schema
    grown = growing(values, schema, smoothing=1.0)
    if len(schema) < 2:
        return
    some_changes(grown, data.draw, 6)
    tree = grown.tree
    for row in range(values.shape[1]):
        node = {grown.root}
        for place in range(grown.root, -1, -1):
            edge = int(grown.edge[place, row])
            assert grown.owner(edge) in node
            if tree.left[place] >= 0:
                node |= set(grown.children[edge])
            else:
                column = int(tree.first[place])
                assert grown.children[edge][0] == grown.cells.code[row, column]
    counted = [grown.train(edge) for edge in range(grown.n_edges)]
    found = np.bincount(grown.edge.ravel(), minlength=grown.n_edges)
    assert counted == pytest.approx(found.tolist(), abs=1e-9)


# The tree of the columns


def test_columns_that_say_most_of_each_other_are_paired_first():
    information = np.zeros((5, 5))
    information[0, 3] = information[3, 0] = 0.9
    information[1, 4] = information[4, 1] = 0.5
    information[0, 4] = information[4, 0] = 0.6
    tree = paired(information)
    parts = {frozenset(tree.order[a:b].tolist()) for a, b in zip(tree.first, tree.end, strict=True)}
    assert frozenset({0, 3}) in parts
    assert frozenset({1, 4}) in parts
    assert frozenset({0, 1, 3, 4}) in parts


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64])
def test_a_tree_has_every_column_once(n):
    tree = paired(np.random.default_rng(n).random((n, n)))
    assert sorted(tree.order.tolist()) == list(range(n))
    assert tree.left.size == 2 * n - 1
    inner = np.flatnonzero(tree.left >= 0)
    assert (tree.end[tree.left[inner]] == tree.first[tree.right[inner]]).all()


def test_every_product_cuts_its_columns_in_the_way_of_the_tree():
    values = mixture("bb3b2bbb", 800)
    circuit = learn("learnpsdd", values, schema_of("bb3b2bbb"), min_gain=0.2)
    found = scopes(circuit)
    cuts = {}
    for node in np.flatnonzero(circuit.kind == PRODUCT):
        children = circuit.child[circuit.edge_start[node] : circuit.edge_start[node + 1]]
        cut = tuple(found[child] for child in children)
        assert cuts.setdefault(found[node], cut) == cut
    assert len(cuts) == 7


# What it finds


def test_a_column_that_two_others_decide_is_found():
    rng = np.random.default_rng(0)
    a, b, c = rng.random((3, 2000)) < 0.5
    values = np.stack([a, b, a & b, c]).astype(float)
    circuit = learn("learnpsdd", values, schema_of("bbbb"))
    assert score(circuit, values) == pytest.approx(3 * np.log(0.5), abs=0.03)


def test_independent_columns_stay_independent():
    values = (np.random.default_rng(1).random((6, 1000)) < 0.3).astype(float)
    circuit = learn("learnpsdd", values, schema_of("bbbbbb"))
    assert circuit.n_leaves <= 8


@pytest.mark.parametrize("n_members", [1, 3])
def test_all_worlds_add_up_to_one(n_members):
    values = mixture("b3b2b", 500)
    circuit = learn("learnpsdd", values, schema_of("b3b2b"), min_gain=0.1, n_members=n_members)
    every = np.array(list(product(*(range(n) for n in (2, 3, 2, 2, 2)))), dtype=float).T
    found = np.exp(log_likelihood(circuit, Evidence(every)))
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0.0).all()


def test_most_probable_completions_are_exact():
    values = mixture("b3b2b", 500)
    circuit = learn("learnpsdd", values, schema_of("b3b2b"), min_gain=0.1)
    assert is_deterministic(circuit)
    every = np.array(list(product(*(range(n) for n in (2, 3, 2, 2, 2)))), dtype=float).T
    scores = log_likelihood(circuit, Evidence(every))
    for column, level in [(0, 0), (1, 2), (3, 1)]:
        known = np.full((5, 1), np.nan)
        known[column] = level
        found = most_probable(circuit, Evidence(known))
        fits = every[column] == level
        assert log_likelihood(circuit, Evidence(found.values))[0] == pytest.approx(
            scores[fits].max()
        )
        assert found.exact.all()


def test_parameters_are_shares_of_rows():
    """Two columns that are equal: the circuit says so as far as the pseudo-rows let it."""
    values = np.repeat([[0.0, 1.0], [0.0, 1.0]], 100, axis=1)
    circuit = learn("learnpsdd", values, schema_of("bb"), smoothing=2.0, held_out=0.0)
    found = np.exp(log_likelihood(circuit, Evidence(np.array([[0.0, 0.0], [0.0, 1.0]]))))
    assert found[0] == pytest.approx(0.5 * (100 + 2 * 0.5) / 102, rel=1e-3)
    assert found.sum() == pytest.approx(0.5)


# Mixtures


def test_em_makes_the_rows_likelier_step_by_step():
    values = mixture("bbbbbb", 400, n_groups=6)
    weights = np.stack([np.ones(400), np.zeros(400)])
    scores = []
    for n_steps in range(4):
        members = []
        for seed in range(3):
            own = np.random.default_rng(seed).multinomial(400, np.full(400, 1 / 400))
            grown = growing(values, schema_of("bbbbbb"), np.stack([own.astype(float), weights[1]]))
            for edge in inner_edges(grown)[:1]:
                split(grown, next(possible_splits(grown, edge)), set(range(grown.root)))
            members.append(grown)
        shares = fit_mixture(members, weights, n_steps)
        each = np.stack([member.row_scores() for member in members])
        scores.append(float(np.log(shares @ np.exp(each)).mean()))
    assert scores == sorted(scores)
    assert scores[3] > scores[0]


def test_a_mixture_tells_rows_better_than_one(nltcs):
    values = nltcs.train[:4000].T.astype(float)
    schema, rest = schema_of("b" * 16), nltcs.valid.T.astype(float)
    one = learn("learnpsdd", values, schema)
    many = learn("learnpsdd", values, schema, n_members=5)
    assert score(many, rest) > score(one, rest)
    assert score(one, rest) > score(learn("chowliutree", values, schema), rest)
