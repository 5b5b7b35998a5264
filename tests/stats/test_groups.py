"""Statistics of groups of rows against those of each group by itself."""

import numpy as np
import pytest

from learn.table_examples import schema_of
from softlearn.leaf import GAUSSIAN, GaussianStats
from softlearn.stats.groups import group_statistics, with_pseudo_rows
from softlearn.stats.states import all_rows
from softlearn.stats.table import training_table


def number_and_groups(n_rows=200):
    rng = np.random.default_rng(0)
    values = rng.normal(3.0, 2.0, (1, n_rows))
    values[0, ::7] = np.nan
    table = training_table(values, rng.uniform(0.5, 2.0, n_rows), schema_of("n"))
    group = rng.integers(0, 4, table.n_rows).astype(np.uint8)
    group[group == 3] = 255  # in none
    return table, group


def moments(stats):
    """What a leaf is made of: weight, pairs, mean and scatter."""
    return [stats.weight, stats.pairs, stats.centre + stats.offset, stats.scatter]


def test_moments_are_those_of_each_group():
    table, group = number_and_groups()
    found = group_statistics(table, 0, all_rows(table), group, 4)
    for k in range(3):
        mine = group == k
        w = table.weights[mine & ~np.isnan(table.numbers[0])]
        expected = GAUSSIAN.summarise(table.numbers[0][mine], table.weights[mine])
        # Of a row that was merged from several each part counts by itself.
        expected = expected._replace(pairs=w.sum() ** 2 - w.sum())
        assert moments(GaussianStats(*found[k])) == pytest.approx(moments(expected))
    assert not found[3].any()


def test_pseudo_rows_are_merged_like_rows():
    table, group = number_and_groups()
    some = all_rows(table)
    found = group_statistics(table, 0, some, group, 4)
    whole = group_statistics(table, 0, some, np.zeros_like(group), 1)[0]
    mixed = with_pseudo_rows(found, whole, 2.5, 0)
    part = 2.5 / whole[0]
    more = GaussianStats(2.5, 2.5**2, whole[2], whole[3], part * whole[4])
    for k in range(3):
        expected = GAUSSIAN.merge(GaussianStats(*found[k]), more)
        assert moments(GaussianStats(*mixed[k])) == pytest.approx(moments(expected))
    assert moments(GaussianStats(*mixed[3])) == pytest.approx(moments(more))


def test_an_empty_group_is_as_all_rows_even_without_pseudo_rows():
    table, group = number_and_groups()
    some = all_rows(table)
    found = group_statistics(table, 0, some, group, 4)
    whole = group_statistics(table, 0, some, np.zeros_like(group), 1)[0]
    mixed = with_pseudo_rows(found, whole, 0.0, 0)
    assert mixed[:3] == pytest.approx(found[:3])
    assert mixed[3, 2] + mixed[3, 3] == pytest.approx(whole[2] + whole[3])
