"""A search tries every combination on rows that were held out, and learns with the best."""

from __future__ import annotations

import sys
from io import StringIO
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest

from estimators.people import people
from softlearn import CircuitMixture, LearnSPN, SoftLearn, SoftlearnError, infer_schema, tune
from softlearn.estimators.trials import splits
from softlearn.estimators.tuning import usual_grid
from softlearn.numeric_policy import SMOOTHING_GRID

FRAME, OTHER = people(), people(seed=1)
SMALL = {"n_clusters": [1, 2], "smoothing": [0.1, 5.0]}


def test_a_table_of_its_own_judges():
    """By hand: every combination learnt on one table and scored on the other."""
    tuned = tune(FRAME, SoftLearn(random_state=0), SMALL, valid=OTHER)
    by_hand = {
        pair: SoftLearn(random_state=0, n_clusters=pair[0], smoothing=pair[1]).fit(FRAME)
        for pair in product(*SMALL.values())
    }
    scores = {pair: learnt.score(OTHER) for pair, learnt in by_hand.items()}
    found = {(row["n_clusters"], row["smoothing"]): row["score"] for row in tuned.table}
    assert found == scores
    best = max(scores, key=scores.__getitem__)
    assert tuple(tuned.best_params.values()) == best
    assert tuned.best_score == scores[best]
    assert np.array_equal(tuned.model.score_samples(OTHER), by_hand[best].score_samples(OTHER))


def test_results_are_sorted_and_counted():
    tuned = tune(FRAME, grid=SMALL, random_state=0)
    scores = [row["score"] for row in tuned.table]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 4
    assert tuned.best_score == scores[0]
    assert all(row["seconds"] > 0 and row["n_nodes"] >= 5 for row in tuned.table)
    assert tuned.best_params["n_clusters"] == 2


def test_held_out_rows_are_not_learnt_from():
    """Rows that all differ: the more nodes, the better the training rows and the worse the rest."""
    noise = np.random.default_rng(0).normal(size=(120, 3))
    grid = {"n_clusters": [1, 8], "significance": [0.9]}
    tuned = tune(noise, SoftLearn(random_state=0), grid, valid=3, random_state=0)
    assert tuned.best_params["n_clusters"] == 1
    crowded = SoftLearn(n_clusters=8, significance=0.9, random_state=0).fit(noise)
    assert crowded.score(noise) > tuned.estimator.score(noise)


def test_the_best_is_learnt_from_all_rows():
    tuned = tune(FRAME, SoftLearn(random_state=0), SMALL, random_state=1)
    whole = SoftLearn(random_state=0, **tuned.best_params).fit(FRAME)
    assert np.array_equal(tuned.estimator.score_samples(FRAME), whole.score_samples(FRAME))


@pytest.mark.parametrize("valid", [None, 0.5, 3])
def test_the_same_seed_finds_the_same(valid):
    one, other = (tune(FRAME, grid=SMALL, valid=valid, random_state=4) for _ in range(2))
    assert [row["score"] for row in one.table] == [row["score"] for row in other.table]


def test_the_number_of_jobs_changes_no_score():
    one, other = (tune(FRAME, grid=SMALL, random_state=4, n_jobs=n) for n in (None, 2))
    assert [row["score"] for row in one.table] == [row["score"] for row in other.table]
    assert other.estimator.n_jobs is None


@pytest.mark.parametrize(("valid", "n_splits"), [(None, 1), (0.3, 1), (2, 2), (5, 5)])
def test_splits_hold_each_row_out_once(valid, n_splits):
    held_out = np.array(splits(valid, 50, np.random.default_rng(0)))
    assert held_out.shape == (n_splits, 50)
    if n_splits > 1:
        assert (held_out.sum(axis=0) == 1).all()
    else:
        assert held_out.sum() == round(50 * (valid or 0.2))


@pytest.mark.parametrize("valid", [0.0, 1.0, 1, 76, True, -2, "rows"])
def test_wrong_judges_are_refused(valid):
    with pytest.raises(SoftlearnError, match=r"valid must be a table|a table is a pandas"):
        tune(FRAME, valid=valid)


def test_the_papers_grid_is_the_default():
    assert usual_grid(SoftLearn()) == {
        "significance": (0.01, 0.001, 0.0001),
        "smoothing": SMOOTHING_GRID,
    }
    assert usual_grid(SoftLearn(clustering="kmeans"))["beta"] == (20.0, 40.0, 80.0)
    assert "beta" not in usual_grid(LearnSPN(clustering="kmeans"))
    assert usual_grid(CircuitMixture()) == {}
    assert len(tune(people(40), random_state=0).table) == 9


def test_a_level_that_only_held_out_rows_have_is_known():
    frame = FRAME.assign(rare=["a", "b"] * 74 + ["c", "d"])
    assert np.isfinite(tune(frame, grid=SMALL, valid=5, random_state=0).best_score)


def test_what_is_known_of_columns_holds():
    tuned = tune(FRAME, SoftLearn(schema={"age": "numeric"}), {"n_clusters": [2]}, random_state=0)
    assert tuned.estimator.schema_ == infer_schema(FRAME, overrides={"age": "numeric"})


def test_weights_count_in_learning_and_judging():
    young = (FRAME["age"] < 37).to_numpy()
    tuned = tune(FRAME, grid=SMALL, sample_weight=young.astype(float), random_state=0)
    assert tuned.model.expectation("age") < 37
    assert tuned.best_score > tune(FRAME, grid=SMALL, random_state=0).best_score


def test_parameters_below_a_mixture_are_tuned():
    mixture = CircuitMixture(SoftLearn(), n_estimators=2)
    tuned = tune(FRAME, mixture, {"estimator__n_clusters": [1, 2]}, random_state=0)
    assert tuned.best_params == {"estimator__n_clusters": 2}
    assert isinstance(tuned.estimator, CircuitMixture)


def test_grids_may_be_several_and_frames_of_any_kind():
    grids = [{"clustering": ["em"]}, {"clustering": ["kmeans"], "beta": [20.0, 80.0]}]
    tuned = tune(pl.from_pandas(FRAME), grid=grids, random_state=0)
    assert len(tuned.table) == 3
    assert sum("beta" in row for row in tuned.table) == 2


def test_the_callers_estimator_is_not_changed():
    mine = SoftLearn()
    tune(FRAME, mine, SMALL, random_state=0)
    assert mine.get_params() == SoftLearn().get_params()
    assert not hasattr(mine, "model_")


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"clusters": [2]}, "grid: SoftLearn has no parameter 'clusters'; it has .*n_clusters"),
        ({"n_clusters": 2}, "grid must map parameters to lists of values"),
        ({"n_clusters": [0]}, "n_clusters must be a whole number"),
        (3, "grid must map parameters to lists of values"),
    ],
)
def test_wrong_grids_are_refused(grid, message):
    with pytest.raises(SoftlearnError, match=message):
        tune(FRAME, grid=grid)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"estimator": "SoftLearn"}, "estimator must be None, the name of a learner"),
        ({"random_state": -1}, "random_state must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"verbose": 3}, "verbose must be 0 or 1, not 3"),
        ({"sample_weight": [1.0]}, "one number for each of the 150 rows"),
    ],
)
def test_wrong_choices_are_refused(choices, message):
    with pytest.raises(SoftlearnError, match=message):
        tune(FRAME, **choices)


def test_the_table_prints_best_first():
    lines = repr(tune(FRAME, grid=SMALL, random_state=0)).splitlines()
    assert lines[0].split() == ["n_clusters", "smoothing", "score", "n_nodes", "seconds"]
    assert len(lines) == 5
    assert len(set(map(len, lines))) == 1
    scores = [float(line.split()[2]) for line in lines[1:]]
    assert scores == sorted(scores, reverse=True)


def test_the_table_makes_a_frame():
    frame = pd.DataFrame(tune(FRAME, grid=SMALL, random_state=0).table)
    assert list(frame.columns) == ["n_clusters", "smoothing", "score", "n_nodes", "seconds"]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_the_search_has_come(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    tune(FRAME, grid=SMALL, random_state=0, verbose=1)
    shown = sys.stderr.getvalue()
    assert "tuning" in shown
    assert "100%" in shown


def test_without_a_terminal_nothing_is_shown(capfd):
    tune(FRAME, grid=SMALL, random_state=0, verbose=1)
    assert capfd.readouterr() == ("", "")


def test_a_wide_grid_reaches_further_than_the_papers():
    learner = SoftLearn(clustering="kmeans")
    usual, wide = usual_grid(learner), usual_grid(learner, wide=True)
    assert {"significance", "smoothing", "beta"} == set(usual)
    assert {*usual, "n_clusters"} == set(wide)
    assert max(one for one in wide["significance"] if one is not None) == 0.5
    assert max(wide["smoothing"]) == 1.0
    assert max(wide["beta"]) == 160.0
    assert "beta" not in usual_grid(SoftLearn(), wide=True)


def test_grids_have_names():
    table = np.random.default_rng(0).integers(0, 2, size=(60, 2))
    learner = SoftLearn(random_state=0, n_jobs=1)
    usual, named = (tune(table, learner, grid, random_state=0) for grid in (None, "paper"))
    assert named.best_params == usual.best_params
    assert len(named.table) == len(usual.table)
    with pytest.raises(SoftlearnError, match="'paper', 'wide' or a mapping, not 'narrow'"):
        tune(table, learner, "narrow")
