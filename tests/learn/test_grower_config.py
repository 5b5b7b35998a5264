"""What growers do where the caller leaves a choice open."""

from __future__ import annotations

import pytest

from learn.table_examples import schema_of
from softlearn.learn import LEARNERS, GrowConfig
from softlearn.learn.growing import settled

GROWERS = [entry for entry in LEARNERS.values() if entry.promises.grower]


def chosen(entry, kinds, **choices):
    return settled(entry.config(**choices), schema_of(kinds), soft=True, ranks=False)


@pytest.mark.parametrize("entry", GROWERS, ids=lambda entry: entry.name)
def test_the_usual_choices_depend_on_the_columns(entry):
    for kinds, usual in (("bb2", (None, 2, "level")), ("bn", (None, 2, "column"))):
        found = chosen(entry, kinds)
        assert (found.significance, found.n_clusters, found.smoothing_per) == usual


@pytest.mark.parametrize("entry", GROWERS, ids=lambda entry: entry.name)
def test_tables_of_two_levels_or_few_rows_are_tested_less_strictly(entry):
    for mass, usual in ((500.0, 2.0), (1500.0, 1.0), (2048.0, 0.5), (1e6, 0.5)):
        levels = [chosen(entry, kinds).for_rows(mass).level(7, 1.0) for kinds in ("bb", "bn")]
        assert levels == pytest.approx([2 / 21, usual / 21])
        highest = chosen(entry, "bn").for_rows(mass).level(2, 1.0)
        assert highest == pytest.approx(0.25 / usual)


@pytest.mark.parametrize("entry", GROWERS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("kinds", ["bb", "bn"])
def test_what_the_caller_says_stays(entry, kinds):
    found = chosen(entry, kinds, significance=0.05, n_clusters=3, smoothing_per="level")
    assert (found.significance, found.n_clusters, found.smoothing_per) == (0.05, 3, "level")


@pytest.mark.parametrize("entry", GROWERS, ids=lambda entry: entry.name)
def test_defaults_are_those_of_the_grower_itself(entry):
    found, usual = chosen(entry, "bn"), GrowConfig()
    assert found == usual


def test_the_level_of_tests_falls_with_the_pairs_of_a_node():
    levels = [GrowConfig().level(n, 1.0) for n in (1, 2, 7, 400)]
    assert levels[:2] == [0.5, 0.5]
    assert levels[2:] == pytest.approx([0.5 / 21, 0.5 / (200 * 399)])
    assert GrowConfig(significance=0.3).level(400, 1e6) == 0.3


def test_the_level_of_tests_falls_with_the_rows_of_a_node_in_powers_of_two():
    masses = (0.0, 0.5, 100.0, 128.0, 255.0, 256.0, 2.0**20)
    levels = [GrowConfig().level(2, mass) for mass in masses]
    expected = [0.5, 0.5, 10 / 64, 10 / 128, 10 / 128, 10 / 256, 10 / 2**20]
    assert levels == pytest.approx(expected)
