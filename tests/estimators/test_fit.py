"""Estimators learn from frames of every kind, with gaps, weights and interrupts."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from io import StringIO
from threading import active_count

import numpy as np
import pandas as pd
import polars as pl
import pytest

import softlearn
from softlearn import LearnSPN, Schema, SoftLearn, SoftlearnError, infer_schema, load
from softlearn.circuit import SUM, validate
from softlearn.estimators import circuit_estimator

ESTIMATORS = (SoftLearn, LearnSPN)


def people(n_rows: int = 400, seed: int = 0) -> pd.DataFrame:
    """Two kinds of people: text, whole and decimal numbers and truth values, with gaps."""
    rng = np.random.default_rng(seed)
    young = rng.random(n_rows) < 0.4
    frame = pd.DataFrame(
        {
            "sport": np.where(rng.random(n_rows) < np.where(young, 0.9, 0.2), "climb", "row"),
            "age": np.where(young, 25, 50) + rng.integers(-9, 10, n_rows),
            "speed": np.where(young, 2.0, -2.0) + rng.normal(size=n_rows),
            "member": rng.random(n_rows) < np.where(young, 0.8, 0.1),
        }
    )
    frame.loc[::7, "speed"] = None
    frame.loc[::11, "sport"] = None
    return frame


def blobs(n_rows: int = 12_000, n_columns: int = 12) -> np.ndarray:
    """More cells than are finished in one go, so that there is work in progress to interrupt."""
    rng = np.random.default_rng(1)
    centres = rng.normal(scale=3.0, size=(8, n_columns))
    return centres[rng.integers(8, size=n_rows)] + rng.normal(size=(n_rows, n_columns))


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("clustering", ["em", "kmeans"])
@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_a_mixed_frame_with_gaps_is_learnt(estimator, clustering, convert):
    frame = convert(people())
    learnt = estimator(clustering=clustering, random_state=0).fit(frame)
    validate(learnt.model_.circuit)
    assert np.isfinite(learnt.score_samples(frame)).all()
    assert learnt.score_samples(frame).shape == (len(frame),)
    assert list(learnt.feature_names_in_) == list(frame.columns)
    assert learnt.n_features_in_ == 4
    assert learnt.schema_ == infer_schema(frame)


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_samples_are_the_same_kind_of_frame(convert):
    frame = convert(people())
    drawn = SoftLearn(random_state=0).fit(frame).sample(50, random_state=1)
    assert type(drawn) is type(frame)
    assert list(drawn.dtypes) == list(frame.dtypes)
    assert drawn.shape == (50, 4)


def test_conditional_samples_keep_what_is_known():
    learnt = SoftLearn(random_state=0).fit(people())
    drawn = learnt.sample(50, given={"sport": "row"}, random_state=1)
    assert set(drawn["sport"]) == {"row"}


def test_an_array_has_no_names_and_forgets_those_of_an_earlier_fit():
    learnt = SoftLearn(random_state=0).fit(people())
    learnt.fit(np.random.default_rng(0).normal(size=(50, 3)))
    assert learnt.n_features_in_ == 3
    assert not hasattr(learnt, "feature_names_in_")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_clusters_tell_more_than_columns_alone(estimator):
    train, test = people(), people(seed=1)
    alone = SoftLearn(max_depth=0, random_state=0).fit(train)
    assert SUM not in alone.model_.circuit.kind
    assert estimator(random_state=0).fit(train).score(test) > alone.score(test) + 0.5


def root_weights(learnt) -> np.ndarray:
    circuit = learnt.model_.circuit
    assert circuit.kind[-1] == SUM
    return circuit.weight[circuit.edge_start[-2] :]


def test_learnspn_shares_no_row_between_clusters_and_softlearn_does():
    frame = people(400)
    shares = {one: root_weights(one(random_state=0).fit(frame)) * 400 for one in ESTIMATORS}
    assert shares[LearnSPN] == pytest.approx(np.rint(shares[LearnSPN]), abs=1e-9)
    assert np.abs(shares[SoftLearn] - np.rint(shares[SoftLearn])).max() > 1e-6


def test_score_is_the_mean_of_the_rows_as_a_float():
    frame = people()
    learnt = SoftLearn(random_state=0).fit(frame)
    assert type(learnt.score(frame)) is float
    assert learnt.score(frame) == pytest.approx(learnt.score_samples(frame).mean())


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_number_of_jobs_changes_no_byte(estimator, tmp_path):
    files = []
    for n_jobs in (1, 2):
        learnt = estimator(random_state=7, n_jobs=n_jobs).fit(blobs())
        files.append(tmp_path / f"{n_jobs}.safetensors")
        learnt.model_.save(files[-1])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_generator_moves_on_and_can_be_replayed():
    table = blobs(2000, 6)
    rng = np.random.default_rng(3)
    first, second = (SoftLearn(random_state=rng).fit(table).score(table) for _ in range(2))
    replayed = SoftLearn(random_state=np.random.default_rng(3)).fit(table).score(table)
    assert first == replayed != second


def bytes_of(learnt, folder) -> bytes:
    learnt.model_.save(folder / "model.safetensors")
    return (folder / "model.safetensors").read_bytes()


def test_weight_two_is_the_row_twice(tmp_path):
    frame = people(200)
    schema = infer_schema(frame)
    weights = np.where(np.arange(200) % 3 == 0, 2.0, 1.0)
    twice = frame.loc[np.repeat(np.arange(200), weights.astype(int))]
    weighted = SoftLearn(random_state=0, schema=schema).fit(frame, sample_weight=weights)
    repeated = SoftLearn(random_state=0, schema=schema).fit(twice)
    assert bytes_of(weighted, tmp_path) == bytes_of(repeated, tmp_path)


def test_weight_zero_is_absence(tmp_path):
    frame = people(200)
    schema = infer_schema(frame)
    weights = np.where(np.arange(200) % 3 == 0, 0.0, 1.0)
    weighted = SoftLearn(random_state=0, schema=schema).fit(frame, sample_weight=weights)
    without = SoftLearn(random_state=0, schema=schema).fit(frame[weights > 0])
    assert bytes_of(weighted, tmp_path) == bytes_of(without, tmp_path)


def test_weights_of_one_are_no_weights(tmp_path):
    frame = people(200)
    plain = SoftLearn(random_state=0).fit(frame)
    ones = SoftLearn(random_state=0).fit(frame, sample_weight=pd.Series(np.ones(200)))
    assert bytes_of(plain, tmp_path) == bytes_of(ones, tmp_path)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"sample_weight must hold one number for each of the 50 rows, not .* \(3,\)"),
        (2.0, r"sample_weight must hold one number for each of the 50 rows"),
        (np.r_[-1.0, np.ones(49)], "sample_weight must be finite and not negative; row 0 has -1"),
        (np.r_[np.ones(49), np.nan], "sample_weight must be finite .* row 49 has nan"),
        (["many"] * 50, "sample_weight must be numbers"),
        (np.r_[1.0, np.zeros(49)], "sample_weight leaves fewer than two rows"),
    ],
)
def test_impossible_weights_are_refused(weights, message):
    with pytest.raises(SoftlearnError, match=message):
        SoftLearn().fit(people(50), sample_weight=weights)


def test_leaves_are_chosen_by_column():
    choices = {"height": {"scale": "plain"}}
    frame = people().assign(height=people()["speed"] + 5.0)
    learnt = SoftLearn(leaf={"speed": "histogram"}, schema=choices, random_state=0).fit(frame)
    shown = str(learnt.model_.describe())
    assert all(family in shown for family in ("histogram", "gaussian", "scaled"))
    assert [column.scale is None for column in learnt.schema_] == [True, False, True, True, True]


def test_histograms_take_the_scales_of_a_given_schema_away():
    schema = infer_schema(people())
    learnt = SoftLearn(leaf="histogram", schema=schema, random_state=0).fit(people())
    assert all(column.scale is None for column in learnt.schema_)


def test_kinds_are_overridden_by_name():
    learnt = SoftLearn(schema={"age": "numeric"}, random_state=0).fit(people())
    assert learnt.schema_["age"].kind == "numeric"
    assert learnt.schema_["member"].kind == "boolean"


def test_a_whole_schema_is_taken_as_it_is():
    schema = infer_schema(people(), overrides={"age": "numeric"})
    learnt = SoftLearn(schema=schema, random_state=0).fit(people(100))
    assert isinstance(learnt.schema_, Schema)
    assert learnt.schema_ == learnt.model_.schema == schema


def test_one_row_is_too_few():
    with pytest.raises(SoftlearnError, match="at least two rows"):
        SoftLearn().fit(np.zeros((1, 3)))


def test_a_learnt_model_is_saved_and_loaded(tmp_path):
    frame = people()
    learnt = SoftLearn(random_state=0).fit(frame)
    learnt.model_.save(tmp_path / "people.safetensors")
    again = load(tmp_path / "people.safetensors")
    assert (again.score_samples(frame) == learnt.score_samples(frame)).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_tiny_time_budget_still_gives_a_model(estimator):
    table = blobs()
    learnt = estimator(time_budget=1e-6, random_state=0).fit(table)
    validate(learnt.model_.circuit)
    assert np.isfinite(learnt.score(table))


def test_nodes_are_limited():
    table = blobs(3000, 8)
    free = SoftLearn(random_state=0).fit(table).model_.circuit.n_nodes
    assert SoftLearn(max_nodes=60, random_state=0).fit(table).model_.circuit.n_nodes <= 60 < free


def interrupting(monkeypatch) -> list[int]:
    """Let the first look at the progress be Ctrl-C; return the list of looks."""
    looks = []

    @contextmanager
    def line(_verbose):
        def watch(progress):
            looks.append(progress.n_nodes)
            if len(looks) == 1:
                raise KeyboardInterrupt

        yield watch

    monkeypatch.setattr(circuit_estimator, "progress_line", line)
    return looks


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_can_keep_what_there_is(monkeypatch, n_jobs):
    table = blobs()
    whole = SoftLearn(random_state=0, n_jobs=n_jobs).fit(table)
    looks = interrupting(monkeypatch)
    learnt = SoftLearn(random_state=0, n_jobs=n_jobs, on_interrupt="keep").fit(table)
    validate(learnt.model_.circuit)
    assert len(looks) > 1
    assert learnt.model_.circuit.n_nodes < whole.model_.circuit.n_nodes
    assert np.isfinite(learnt.score(table))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_ends_learning_and_leaves_no_threads(monkeypatch, n_jobs):
    interrupting(monkeypatch)
    before = active_count()
    learner = SoftLearn(random_state=0, n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(blobs())
    assert active_count() <= before
    assert not hasattr(learner, "model_")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_learning_has_come(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    SoftLearn(verbose=1, random_state=0).fit(people())
    assert re.search(r"100%, \d+ nodes, \d\.\d s", sys.stderr.getvalue())


def test_a_terminal_shows_nothing_unless_asked(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    SoftLearn(random_state=0).fit(people())
    assert sys.stderr.getvalue() == ""


def test_without_a_terminal_nothing_is_shown(monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")
    SoftLearn(verbose=1, random_state=0).fit(people())
    assert capfd.readouterr() == ("", "")


def test_estimators_are_public():
    assert {"SoftLearn", "LearnSPN"} <= set(dir(softlearn)) & set(softlearn.__all__)
    with pytest.raises(AttributeError, match="no attribute 'HardLearn'"):
        softlearn.HardLearn  # noqa: B018
