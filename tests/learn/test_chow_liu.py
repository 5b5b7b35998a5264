"""Trees of columns: against plain products of conditional tables, and against all other trees."""

from itertools import product

import numpy as np
import pytest

from learn.table_examples import learn, mixture, schema_of, with_gaps
from softlearn.circuit import SUM, describe
from softlearn.circuit.determinism import is_deterministic
from softlearn.query import Evidence, log_likelihood, most_probable
from softlearn.table.schema import Column, Schema


def scores(circuit, values):
    return log_likelihood(circuit, Evidence(values))


def worlds(kinds):
    levels = [range(2 if kind == "b" else int(kind)) for kind in kinds]
    return np.array(list(product(*levels)), dtype=float).T


def plain_tree_score(values, parent):
    """The log-likelihood of the best parameters of a tree, row by row from counts."""
    total = 0.0
    for child, above in enumerate(parent):
        for row in values.T:
            same = values[child] == row[child]
            given = np.ones(same.size, bool) if above < 0 else values[above] == row[above]
            total += np.log((same & given).sum() / given.sum())
    return total


def all_trees(n):
    for parent in product(range(-1, n), repeat=n):
        heights = []
        for i in range(n):
            node, steps = i, 0
            while node >= 0 and steps <= n:
                node, steps = parent[node], steps + 1
            heights.append(steps)
        if max(heights) <= n:
            yield parent


def test_no_tree_has_a_larger_likelihood():
    values = mixture("b3b2", 60, seed=3)
    best = max(plain_tree_score(values, parent) for parent in all_trees(4))
    circuit = learn("chowliutree", values, schema_of("b3b2"), smoothing=0.0)
    assert scores(circuit, values).sum() == pytest.approx(best)


@pytest.mark.parametrize("per", ["level", "column"])
def test_probabilities_of_all_rows_add_to_one(per):
    values = with_gaps(mixture("b3b29", 80), 0.2)
    circuit = learn("chowliutree", values, schema_of("b3b29"), smoothing_per=per)
    assert np.exp(scores(circuit, worlds("b3b29"))).sum() == pytest.approx(1.0)


def test_a_pair_of_columns_is_its_smoothed_table():
    """The rarer column depends on the other by (count + 1) / (count of the parent + levels)."""
    values = np.array([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]], float)
    circuit = learn("chowliutree", values, schema_of("bb"), smoothing=1.0, smoothing_per="level")
    found = np.exp(scores(circuit, worlds("bb")))
    given_first = [0.5 * 4 / 6, 0.5 * 2 / 6, 0.5 * 1 / 6, 0.5 * 5 / 6]
    assert found == pytest.approx(given_first)


def test_a_level_never_seen_with_its_parent_falls_back_on_the_column():
    values = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]], float)
    values[1, :3] = np.nan  # nothing is known of the second column where the first is 0
    circuit = learn("chowliutree", values, schema_of("b3"), smoothing=0.0)
    assert np.exp(scores(circuit, np.array([[0.0], [1.0]]))) == pytest.approx([0.5])


def test_discrete_trees_are_deterministic_and_completed_exactly():
    values = with_gaps(mixture("b3b29b", 200), 0.1)
    circuit = learn("chowliutree", values, schema_of("b3b29b"))
    assert is_deterministic(circuit)
    assert "most probable completions are exact" in str(describe(circuit))
    every = worlds("b3b29b")
    found = most_probable(circuit, Evidence(np.full((6, 1), np.nan)))
    best = every[:, np.argmax(scores(circuit, every))]
    assert found.exact.all()
    assert np.array_equal(found.values[:, 0], best)


def test_numbers_and_levels_tell_of_each_other():
    values = mixture("nb3nn", 1500, n_groups=3)
    kinds = schema_of("nb3nn")
    tree = scores(learn("chowliutree", values, kinds), values).mean()
    apart = scores(learn("softlearn", values, kinds, max_depth=0), values).mean()
    assert tree > apart + 0.5


def test_a_table_of_numbers_alone_is_a_tree_of_bins():
    rng = np.random.default_rng(0)
    first = rng.normal(size=2000)
    values = np.stack([first, first + 0.3 * rng.normal(size=2000), rng.normal(size=2000)])
    circuit = learn("chowliutree", values, schema_of("nnn"))
    apart = learn("softlearn", values, schema_of("nnn"), max_depth=0)
    assert scores(circuit, values).mean() > scores(apart, values).mean() + 0.6
    assert not describe(circuit).deterministic


def test_density_of_numbers_integrates_to_one():
    values = mixture("nbn", 300)
    circuit = learn("chowliutree", values, schema_of("nbn"))
    grid = np.linspace(-25.0, 25.0, 401)
    x, y = np.meshgrid(grid, grid)
    step = (grid[1] - grid[0]) ** 2
    points = np.stack([x.ravel(), np.full(x.size, np.nan), y.ravel()])
    assert np.exp(scores(circuit, points)).sum() * step == pytest.approx(1.0, abs=1e-3)


def test_columns_of_very_many_levels_keep_all_of_them():
    names = tuple(f"l{i}" for i in range(80))
    schema = Schema((Column("many", "categorical", names), Column("flag", "boolean")))
    rng = np.random.default_rng(0)
    many = rng.integers(0, 70, 2000) ** 2 // 70
    values = np.stack([many, many < 20]).astype(float)
    circuit = learn("chowliutree", values, schema)
    every = np.stack([np.repeat(np.arange(80), 2), np.tile([0, 1], 80)]).astype(float)
    found = np.exp(scores(circuit, every))
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0.0).all()
    assert is_deterministic(circuit)


def test_members_are_averaged_and_share_leaves():
    values = mixture("bbbb3", 300)
    one = learn("chowliutree", values, schema_of("bbbb3"))
    several = learn("chowliutree", values, schema_of("bbbb3"), n_members=5)
    root = slice(several.edge_start[-2], several.edge_start[-1])
    assert several.weight[root] == pytest.approx(np.full(5, 0.2))
    assert several.kind[-1] == SUM
    assert several.n_leaves < 5 * one.n_leaves
    alike = learn("chowliutree", values, schema_of("bbbb3"), n_members=2, bootstrap=False)
    assert scores(alike, values) == pytest.approx(scores(one, values))
