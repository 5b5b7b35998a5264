import pytest

from experiments.tiny_cells import row
from softlearn.experiments.summaries import best_on_valid, spread, tally


def test_a_spread_is_mean_and_deviation_of_one_seed():
    rows = [row("a", valid=value, test=0.0, seed=seed) for seed, value in enumerate((1, 2, 6))]
    found = spread(rows, "valid")
    assert (found.mean, found.n) == (3.0, 3)
    assert found.sd == pytest.approx(7**0.5)  # (4 + 1 + 9) / 2
    assert str(found) == "3.000 ± 2.646"


def test_one_seed_has_no_deviation():
    assert str(spread([row("a", valid=-1.0, test=0.0)], "valid")) == "-1.000"


def test_a_setting_is_chosen_on_valid_whatever_test_says():
    rows = [
        row("a", p=0.01, valid=-1.0, test=-9.0),
        row("a", p=0.001, valid=-2.0, test=-1.0),
    ]
    chosen = best_on_valid(rows, "p")
    assert chosen.choice("p") == 0.01
    assert chosen.test.mean == -9.0


def test_means_over_seeds_are_compared_not_single_seeds():
    rows = [
        row("a", p=0.01, valid=-1.0, test=0.0, seed=0),
        row("a", p=0.01, valid=-5.0, test=0.0, seed=1),
        row("a", p=0.001, valid=-2.0, test=0.0, seed=0),
    ]
    assert best_on_valid(rows, "p").choice("p") == 0.001


def test_systems_that_print_alike_are_tied():
    ours = {"won": -1.0, "lost": -2.0, "tied": -3.0001, "alone": -4.0}
    theirs = {"won": -1.001, "lost": -1.9, "tied": -3.0004, "other": 0.0}
    assert tally(ours, theirs) == (1, 1, 1)
    assert str(tally(ours, theirs)) == "1 of 3 (1 lost, 1 tied)"
