"""AutoCircuit finds one good model within its bounds, and never learns from rows that judge."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from estimators.people import people
from softlearn import (
    AutoCircuit,
    CircuitClassifier,
    CircuitImputer,
    CircuitOutlierDetector,
    Column,
    SoftLearn,
    SoftlearnError,
)
from softlearn.estimators import auto
from softlearn.learn import LEARNERS
from softlearn.learn.search import search as real_search

QUICK = {"learners": ["softlearn", "chowliutree"], "n_jobs": 1, "random_state": 0}


def two_groups(n_rows: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    group = rng.random(n_rows) < 0.5
    return (rng.random((n_rows, 6)) < np.where(group[:, None], 0.85, 0.15)).astype(float)


def bounded_by_work(n_fits: int = 10, **further) -> AutoCircuit:
    return AutoCircuit(None, max_fits=n_fits, **{**QUICK, **further})


def test_the_same_seed_gives_the_same_model_if_work_is_bounded():
    table = two_groups(300, 0)
    first, second = (bounded_by_work().fit(table) for _ in range(2))
    other = bounded_by_work(random_state=1).fit(table)
    assert np.array_equal(first.score_samples(table), second.score_samples(table))
    assert not np.array_equal(first.score_samples(table), other.score_samples(table))


def many_groups(n_rows: int, seed: int) -> np.ndarray:
    """More groups than the default circuit finds in so few rows."""
    rng = np.random.default_rng(seed)
    chances = np.random.default_rng(99).random((8, 10))
    return (rng.random((n_rows, 10)) < chances[rng.integers(8, size=n_rows)]).astype(float)


def test_it_is_better_than_one_circuit_on_new_rows():
    gains = []
    for seed in range(4):  # a single table is not enough: its held-out rows are few
        table, new = many_groups(600, seed), many_groups(2000, 100 + seed)
        learnt = bounded_by_work(20, random_state=seed).fit(table)
        assert learnt.report_.n_members > 1
        gains.append(learnt.score(new) - SoftLearn(random_state=seed).fit(table).score(new))
    assert np.mean(gains) > 0.0


class Spy:
    """A learner that remembers the rows that it was given."""

    def __init__(self) -> None:
        self.seen: list[np.ndarray] = []

    def __call__(self, blocks, schema, config, seed, engine):
        self.seen += [block.values[:, block.weights > 0.0] for block in blocks]
        return LEARNERS["chowliutree"].function(blocks, schema, config, seed, engine)


@pytest.fixture
def spy():
    watching = Spy()
    entry = replace(LEARNERS["chowliutree"], estimator="Spy", function=watching)
    with LEARNERS.with_learner(entry):
        yield watching


def named_rows(n_rows: int) -> tuple[pd.DataFrame, dict[str, Column]]:
    """The code of the first column says which row it is."""
    names = tuple(f"{place:03}" for place in range(n_rows))
    table = pd.DataFrame({"name": names, "b": two_groups(n_rows, 0)[:, 0] > 0.0})
    return table, {"name": Column("name", "categorical", names)}


def test_rows_that_judge_are_never_learnt_from(spy):
    table, schema = named_rows(400)
    learnt = bounded_by_work(6, schema=schema, learners=["spy"])
    learnt.fit(table[:300], valid=table[300:])
    assert {code for rows in spy.seen for code in rows[0]} == set(range(300))
    spy.seen.clear()
    learnt.set_params(refit=False).fit(table)
    assert len({code for rows in spy.seen for code in rows[0]}) < 380  # the others judge


def test_in_the_end_all_rows_are_learnt_from(spy):
    table, schema = named_rows(400)
    learnt = bounded_by_work(6, schema=schema, learners=["spy"]).fit(table)
    refits = [row for row in learnt.report_.table if row["stage"] == "refit"]
    assert {row["rows"] for row in refits} == {400}
    assert np.isnan([row["score"] for row in refits]).all()  # they have seen the rows that judge
    assert max(len(set(rows[0])) for rows in spy.seen) == 400


def test_time_is_kept():
    table = two_groups(2000, 0)
    AutoCircuit(0.1, **QUICK).fit(table)  # compiles
    started = time.monotonic()
    AutoCircuit(2.0, **QUICK).fit(table)
    assert time.monotonic() - started < 6.0


def for_samples(n_fits: int = 4, **further) -> AutoCircuit:
    return bounded_by_work(n_fits, goal="samples", learners=None, **further)


def test_for_samples_many_alike_circuits_weigh_the_same():
    learnt = for_samples().fit(many_groups(600, 0))
    table = learnt.report_.table
    assert {(row["learner"], row["settings"]) for row in table} == {("softlearn", "n_clusters=8")}
    members = [row for row in table if row["stage"] == "member"]
    assert len(members) == learnt.report_.n_members == 4
    assert [row["weight"] for row in members] == [0.25] * 4
    refits = [row for row in table if row["stage"] == "refit"]
    assert [row["rows"] for row in refits] == [600] * 4


def test_for_samples_the_seed_gives_the_model_and_members_are_bounded():
    table = many_groups(400, 0)
    first, second = (for_samples(max_members=3).fit(table) for _ in range(2))
    assert first.report_.n_members == 3
    assert np.array_equal(first.score_samples(table), second.score_samples(table))


def test_for_samples_validation_rows_only_judge():
    table, valid = many_groups(400, 0), many_groups(300, 1)
    judged = for_samples(2).fit(table, valid=valid)
    assert {row["stage"] for row in judged.report_.table} == {"member"}
    assert judged.report_.score == pytest.approx(judged.score(valid))


def test_for_samples_there_are_no_learners_to_choose():
    with pytest.raises(SoftlearnError, match='goal="samples" leave them out'):
        for_samples().set_params(learners=["hclt"]).fit(two_groups(300, 0))


@pytest.mark.parametrize("goal", ["likelihood", "samples"])
def test_an_interrupt_keeps_what_there_is(monkeypatch, goal):
    def interrupted(*args, options, **further):
        def watch(news):
            if news.n_fits >= 3:
                raise KeyboardInterrupt

        return real_search(*args, options=replace(options, watch=watch), **further)

    monkeypatch.setattr(auto, "search", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        learnt = bounded_by_work(9, goal=goal, learners=None).fit(many_groups(300, 0))
    assert learnt.report_.ended == "interrupted"
    assert np.isfinite(learnt.score(many_groups(300, 1)))


def test_an_interrupt_before_there_is_a_model_is_raised(monkeypatch):
    def interrupted(*args, options, **further):
        def watch(news):
            raise KeyboardInterrupt

        return real_search(*args, options=replace(options, watch=watch), **further)

    monkeypatch.setattr(auto, "search", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bounded_by_work().fit(two_groups(100, 0))


def test_the_report_is_a_table_of_what_was_tried():
    learnt = bounded_by_work(8).fit(pl.from_numpy(two_groups(300, 0)))
    frame = learnt.report_.frame()
    assert isinstance(frame, pl.DataFrame)
    tried = frame.filter(pl.col("stage") != "refit")
    assert len(tried) == 8
    assert sum(frame["weight"]) == pytest.approx(1.0)
    best = frame["best"].to_list()
    assert best == sorted(best)
    assert "nats per row" in repr(learnt.report_)
    assert "<table" in learnt.report_._repr_html_()


def test_a_small_table_has_the_default_circuit():
    frame = people(40)
    learnt = bounded_by_work().fit(frame)
    assert learnt.report_.n_members == 1
    assert learnt.report_.table[0]["learner"] == "softlearn"
    assert [row["settings"] for row in for_samples().fit(frame).report_.table] == [""]


@pytest.mark.parametrize("built_on", [CircuitImputer, CircuitOutlierDetector, CircuitClassifier])
def test_auto_names_it_in_what_is_built_on_a_learner(built_on, monkeypatch):
    bounds = []

    def few(schema, rows, valid, given, **further):
        bounds.append(given)
        return real_search(schema, rows, valid, replace(given, seconds=None, max_fits=2), **further)

    monkeypatch.setattr(auto, "search", few)
    frame = people()
    kind = np.where(frame["age"] > 37, "old", "young")
    learnt = built_on("auto", random_state=0).fit(frame, kind)
    assert bounds
    assert np.isfinite(learnt.model_.score_samples(learnt.model_.sample(3, random_state=0))).all()


def test_the_classes_share_the_time(monkeypatch):
    bounds = []

    def few(schema, rows, valid, given, **further):
        bounds.append(given)
        return real_search(schema, rows, valid, replace(given, seconds=None, max_fits=1), **further)

    monkeypatch.setattr(auto, "search", few)
    frame = people()
    kind = np.where(frame["age"] > 37, "old", "young")
    CircuitClassifier(AutoCircuit(10.0), structure="per_class", random_state=0).fit(frame, kind)
    assert [one.seconds for one in bounds] == [5.0, 5.0]


def test_wrong_learners_are_refused():
    with pytest.raises(SoftlearnError, match="learners must be None or a list of names"):
        AutoCircuit(learners=["nobody"]).fit(two_groups(50, 0))
