"""The judges of drawn rows are right, and a whole run on a tiny table ends with a page."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from softlearn.errors import UnknownLevelError

pytest.importorskip("sdmetrics", reason="the benchmark's judges: pip install --group bench")
pytest.importorskip("xgboost", reason="the benchmark's judges: pip install --group bench")

from benchmarks.tables import __main__ as tables
from benchmarks.tables import cells, columns, detection, natural, nearness, one_case, quality
from benchmarks.tables.ledger import Ledger, failed
from benchmarks.tables.one_case import Case, Drawn, measure
from benchmarks.tables.published import quoted
from benchmarks.tables.scores import score_figures
from benchmarks.tables.settings import SETTINGS
from benchmarks.tables.splits import Split
from benchmarks.tables.usefulness import usefulness
from benchmarks.tables.why import lines_of
from sdmetrics.single_table import LogisticDetection
from sdmetrics.single_table.detection.sklearn import ScikitLearnClassifierDetectionMetric


def people(n_rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    young = rng.random(n_rows) < 0.5
    sport = np.where(rng.random(n_rows) < 0.8, young, ~young)
    frame = pd.DataFrame(
        {
            "sport": np.where(sport, "climbing", "rowing"),
            "member": rng.random(n_rows) < 0.3,
            "age": rng.normal(np.where(young, 25, 50), 5).round().astype(np.int64),
            "speed": rng.exponential(np.where(young, 3.0, 1.0)),
            "kind": np.where(young, "young", "old"),
        }
    )
    frame.loc[::11, "sport"] = None
    return frame


def people_split() -> Split:
    return Split(people(300, 0), people(100, 1), "kind", "classification")


class XGBoostDetection(ScikitLearnClassifierDetectionMetric):
    @staticmethod
    def _get_classifier():
        return detection.trees()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [(LogisticDetection, detection.c2st_lr), (XGBoostDetection, detection.c2st_xgb)],
)
def test_c2st_is_that_of_sdmetrics_to_the_last_digit(theirs, ours, monkeypatch):
    real, drawn = people(300, 0), people(300, 1).assign(age=lambda frame: frame["age"] + 2)
    kinds = {name: "numerical" if name in ("age", "speed") else "categorical" for name in real}
    metadata = {"columns": {name: {"sdtype": kind} for name, kind in kinds.items()}}
    with monkeypatch.context() as patched:  # sdmetrics draws its folds from the global generator
        patched.setattr(np.random.mtrand, "_rand", np.random.RandomState(3))
        expected = theirs.compute(*cells.as_plain(real, drawn), metadata)
    assert 0.0 < expected < 1.0
    assert ours(real, drawn, 3) == expected


@pytest.mark.parametrize("judge", [detection.c2st_xgb, detection.c2st_xgb_native])
def test_other_rows_are_told_and_rows_alike_are_not(judge):
    real = people(300, 0)
    assert judge(real, real.assign(age=-1), 0) < 0.01
    assert judge(real, people(300, 1), 0) > 0.7


def test_a_level_that_the_real_rows_lack_is_no_error():
    real, drawn = people(300, 0), people(300, 1)
    drawn.loc[:200, "sport"] = "chess"
    assert detection.c2st_xgb(real, drawn, 0) < 0.6


def test_missing_cells_of_drawn_numbers_are_seen_by_trees():
    real, drawn = people(300, 0), people(300, 1).astype({"age": float})
    drawn.loc[:250, "age"] = np.nan
    assert detection.c2st_xgb_native(real, drawn, 0) < 0.3
    assert all(map(np.isfinite, quality.quality(real, drawn)))


def test_the_same_table_has_the_best_shape_and_trend():
    real = people(300, 0)
    assert quality.quality(real, real) == (1.0, 1.0, 1.0)
    assert max(quality.quality(real, real.assign(age=-1, sport="chess"))) < 0.9


def test_one_extreme_number_spoils_trend_unless_both_tables_are_cut_alike():
    real = people(300, 0)
    drawn = real.astype({"age": float})
    drawn.loc[0, "age"] = 1e6
    found = quality.quality(real, drawn)
    assert found.trend < 0.9
    assert found.trend_same_bins > 0.97


@pytest.mark.parametrize(
    ("known", "decimals"),
    [
        ([1.0, 20.0, -3.0], 0),
        ([0.5, 4.25], 2),
        ([4.2860000000000005, 1.5], 3),
        ([1 / 3, 0.5], None),
    ],
)
def test_the_marks_of_a_column_are_those_of_its_numbers(known, decimals):
    assert natural.decimals_of(np.array(known)) == decimals


def test_negative_numbers_and_numbers_between_marks_are_counted():
    real = pd.DataFrame({"whole": [0, 1, 2, 5], "cents": [-0.25, 1.5, 0.0, 2.0]})
    drawn = pd.DataFrame({"whole": [-1.0, 1.0, 1.5, -0.5], "cents": [-1.0, 0.333, 0.25, np.nan]})
    found = natural.unnatural_figures(real, drawn)
    assert found == pytest.approx(
        {"negative_cells": 2 / 7, "off_mark_cells": 3 / 7, "unnatural_cells": 4 / 7}
    )


def test_copies_are_nearer_to_train_and_fresh_rows_to_neither():
    split = people_split()
    copies, fresh = split.train, people(300, 2)
    assert nearness.nearer_to_train(Split(copies, split.test, "kind", ""), copies[:100], 0) > 0.6
    assert 0.35 < nearness.nearer_to_train(split, fresh, 0) < 0.65
    assert nearness.nearer_to_train(Split(copies, copies, "kind", ""), fresh, 0) != 1.0


def test_another_label_is_as_far_as_one_standard_deviation():
    train = pd.DataFrame({"size": [-1.0, 1.0, -1.0, 1.0], "name": ["a", "b", "a", "b"]})
    spread = train["size"].std()
    others = pd.DataFrame({"size": [0.0, 0.0, spread], "name": ["a", "b", "a"]})
    (points,) = cells.as_points(train, others)
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(1.0)
    assert np.linalg.norm(points[0] - points[2]) == pytest.approx(1.0)


def test_the_column_that_gives_rows_away_comes_first():
    real, drawn = people(300, 0), people(300, 1)
    drawn["speed"] = -drawn["speed"]
    worst, *others = columns.by_column(real, drawn, 0)
    assert worst.names == ("speed",)
    assert worst.auc > 0.99
    assert max(told.auc for told in others) < 0.65
    lines = list(lines_of(real, drawn, 0))
    assert any(line.startswith("\nspeed (AUC") for line in lines)


def test_a_pair_is_told_that_no_column_tells_alone():
    rng = np.random.default_rng(0)
    bits = rng.random((400, 2)) < 0.5
    real = pd.DataFrame({"a": bits[:, 0], "b": bits[:, 0]})
    drawn = pd.DataFrame({"a": bits[:, 0], "b": bits[:, 1]})
    assert columns.by_column(real, drawn, 0)[0].auc < 0.6
    assert columns.by_pair(real, drawn, 0)[0].auc > 0.7


class Refusing:
    """A model that knows no rowers, and holds those above sixty impossible."""

    def score_samples(self, rows):
        if (rows["sport"] == "rowing").any():
            raise UnknownLevelError("rowing")
        return np.where(rows["age"] > 60, -np.inf, -2.0)


def test_rows_that_cannot_be_scored_are_counted_and_left_out():
    rows = pd.DataFrame({"sport": ["climbing"] * 6 + ["rowing"] * 2, "age": [20] * 5 + [70] * 3})
    assert score_figures(Refusing(), rows) == {"score": -2.0, "not_scored": 3 / 8}


def test_a_class_that_was_not_drawn_is_guessed_like_a_coin():
    split = people_split()
    assert usefulness(split.train, split)["auc"] > 0.9
    assert usefulness(split.train[split.train["kind"] == "old"], split)["auc"] == 0.5


def test_a_number_to_predict_has_errors_instead():
    split = people_split()
    found = usefulness(split.train, Split(split.train, split.test, "age", "regression"))
    assert found["r2"] > 0.3
    assert 0.0 < found["rmse"] < 13.0
    assert 0.0 < found["rmse_of_log"] < 0.4


def test_quoted_figures_keep_their_words():
    adult = quoted("adult")
    assert adult["TabPC"]["c2st_xgb"] == ("0.8554", 0.8554)
    assert adult["CTGAN"]["c2st_xgb"] == ("<0.0001", 0.0)
    assert adult["GReaT"]["c2st_xgb"].value is None
    assert quoted("cmc") == {}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_learns_and_draws(name):
    learnt = SETTINGS[name](0).fit(people(100, 0))
    assert len(learnt.sample(5, random_state=0)) == 5


def test_a_run_measures_once_and_ends_with_a_page(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(one_case, "split_of", lambda _: people_split())
    monkeypatch.setattr(tables, "measured_apart", measure)
    results, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    told = ["--only", "adult,cmc", "--label", "a test", "--results", str(results)]
    assert tables.main(["run", *told]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["adult", "cmc"]
    finished = results.read_bytes()
    row = json.loads(finished.splitlines()[0])
    assert (row["dataset"], row["settings"], row["seed"]) == ("adult", "default", 0)
    assert all(isinstance(value, float) for value in row["figures"].values())

    assert tables.main(["run", *told]) == 0
    assert (capsys.readouterr().out, results.read_bytes()) == ("", finished)

    assert tables.main(["page", "--results", str(results), "--write", str(page)]) == 0
    shown = page.read_text(encoding="utf-8")
    assert "| TabPC | quoted, A6000 |" in shown
    assert "| default, a test | ours |" in shown
    assert shown.index("## adult") < shown.index("## cmc") < shown.index("## Ours in detail")


def test_a_case_that_failed_is_tried_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    case = Case("cmc", "default", 0, "a test")
    Ledger(path).add(case, failed(case, "a reason"))
    assert case not in Ledger(path)
    assert Ledger(path).rows() == []
    Ledger(path).add(case, {**vars(case), "figures": {}})
    assert case in Ledger(path)


def test_an_unknown_table_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        tables.main(["run", "--only", "adlut"])
    assert "no 'adlut'" in capsys.readouterr().err


def test_figures_do_not_depend_on_how_text_is_kept():
    split = people_split()
    drawn = people(300, 2)
    as_category = drawn.astype({"sport": "category", "kind": "category"})
    case = Case("cmc", "default", 0, "")
    estimator = SETTINGS["default"](0).fit(split.train)
    found = [
        one_case.judge(case, split, Drawn(estimator, rows, 0.0, 0.0, 0.0, 0.0))
        for rows in (drawn, as_category)
    ]
    assert found[0] == found[1]
