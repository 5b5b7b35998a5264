"""Adding a learner is one file and one line: all else reads the registry."""

from __future__ import annotations

import doctest
import inspect
import json
import pickle
from dataclasses import make_dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

import softlearn
from learn.toy_learner import ENTRY
from softlearn import (
    CircuitClassifier,
    CircuitImputer,
    CircuitMixture,
    CircuitOutlierDetector,
    SoftlearnError,
    estimators,
    load,
    tune,
)
from softlearn.cli.main import app
from softlearn.estimators import estimator_named
from softlearn.learn import LEARNERS, Entry

FRAME = pd.DataFrame({"sport": ["climb", "row", "row"] * 20, "fit": [True, False] * 30})


@pytest.fixture(autouse=True)
def _registered():
    with LEARNERS.with_learner(ENTRY):
        yield


def run(*arguments: object):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "people.csv"
    FRAME.to_csv(path, index=False)
    return path


def test_it_is_imported_by_name():
    from softlearn import Toy

    assert Toy is estimators.Toy is softlearn.Toy is estimator_named("toy")


def test_a_name_is_taken_once():
    with pytest.raises(SoftlearnError, match="there is a learner 'toy' already"):
        LEARNERS.add(ENTRY)


def test_an_estimator_is_made_of_the_entry():
    toy = softlearn.Toy(pseudo_rows=2.0, random_state=0).fit(FRAME)
    assert toy.probability({"sport": "row"}) == pytest.approx((40 + 2) / (60 + 4))
    assert toy.get_params()["pseudo_rows"] == 2.0
    assert clone(toy).get_params() == toy.get_params()
    assert pickle.loads(pickle.dumps(toy)).score(FRAME) == toy.score(FRAME)


def test_help_tells_its_parameters_and_its_example_runs():
    told = inspect.getdoc(softlearn.Toy)
    assert told.startswith(ENTRY.summary)
    for words in ("pseudo_rows : float, default=1.0", "first_rows : int, optional", "n_jobs : "):
        assert words in told
    assert "unruly" not in told
    example = doctest.DocTestParser().get_doctest(told, {}, "Toy", None, None)
    assert doctest.DocTestRunner().run(example) == (0, 3)


def test_a_field_without_a_rule_is_no_parameter():
    assert "unruly" not in softlearn.Toy().get_params()
    assert set(ENTRY.parameters) == {"pseudo_rows", "first_rows", "order"}


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"pseudo_rows": 0}, "pseudo_rows must be a number above 0, not 0"),
        ({"first_rows": 1.5}, "first_rows must be a whole number, 1 or more, or None, not 1.5"),
        ({"order": "any"}, "order must be 'first' or 'last', not 'any'"),
    ],
)
def test_wrong_parameters_are_refused(choices, message):
    with pytest.raises(SoftlearnError, match=message):
        softlearn.Toy(**choices).fit(FRAME)


@pytest.mark.parametrize(
    ("frame", "weights", "message"),
    [
        (
            FRAME.assign(age=np.arange(60)),
            None,
            "Toy accepts only categorical and boolean columns, and column 'age' is integer; leave "
            "it out, choose another kind in schema, or use another learner",
        ),
        (
            FRAME.assign(sport=[None, "row", "climb"] * 20),
            None,
            "Toy does not accept missing cells, and column 'sport' has 20; fill them, for instance "
            "with CircuitImputer",
        ),
        (FRAME, np.full(60, 2.0), "Toy accepts only the weights 0 and 1, and a row has 2"),
    ],
)
def test_tables_that_it_does_not_take_are_refused(frame, weights, message):
    with pytest.raises(SoftlearnError, match=message):
        softlearn.Toy().fit(frame, sample_weight=weights)


def test_modelled_missing_cells_are_missing_cells():
    frame = FRAME.assign(sport=[None, "row", "climb"] * 20)
    with pytest.raises(SoftlearnError, match="column 'sport' has 20"):
        softlearn.Toy(missing="modelled").fit(frame)


def test_weight_zero_is_absence_for_who_takes_no_weights():
    weights = np.repeat([1.0, 0.0], 30)
    half = softlearn.Toy(schema=softlearn.infer_schema(FRAME)).fit(FRAME, sample_weight=weights)
    assert half.score(FRAME) == softlearn.Toy().fit(FRAME[:30]).score(FRAME)


def test_tune_tries_its_grid():
    tuned = tune(FRAME, "toy", random_state=0)
    assert [row["pseudo_rows"] for row in tuned.table].count(100.0) == 1
    assert len(tuned.table) == 3
    assert tuned.best_params["pseudo_rows"] != 100.0


def test_what_is_built_on_learners_takes_its_name():
    kind = np.where(FRAME["sport"] == "row", "a", "b")
    assert CircuitMixture("toy", n_estimators=2, random_state=0).fit(FRAME).score(FRAME) < 0.0
    assert CircuitImputer("toy").fit(FRAME).transform(FRAME).equals(FRAME)
    assert CircuitOutlierDetector("toy").fit(FRAME).predict(FRAME).size == 60
    assert CircuitClassifier("toy").fit(FRAME, kind).predict(FRAME).size == 60


def test_the_command_line_fits_it(table, tmp_path):
    output = tmp_path / "toy.safetensors"
    choices = ["--pseudo-rows", 3, "--first-rows", 10, "--order", "last"]
    result = run("fit", table, "-o", output, "--learner", "toy", *choices)
    assert result.exit_code == 0, result.stderr
    expected = softlearn.Toy(pseudo_rows=3.0, first_rows=10, order="last").fit(FRAME)
    assert load(output).probability({"sport": "row"}) == expected.probability({"sport": "row"})


def test_the_command_line_tunes_it(table, tmp_path):
    call = ["tune", table, "-o", tmp_path / "toy.safetensors", "--learner", "toy", "--json"]
    free, fixed = (run(*call, *more) for more in ([], ["--pseudo-rows", 2, "--force"]))
    assert [len(json.loads(one.stdout)["results"]) for one in (free, fixed)] == [3, 1]


def test_the_help_of_commands_shows_its_options():
    shown = " ".join(run("fit", "--help").stdout.replace("│", " ").split())
    assert "Options of toy" in shown
    assert "--pseudo-rows" in shown


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            ["--clustering", "em"],
            "--clustering is not an option of --learner toy, which has --pseudo",
        ),
        (["--pseudo-rows", "-1"], "pseudo_rows must be a number above 0, not -1.0"),
    ],
)
def test_options_that_it_does_not_take_are_refused(choices, message, table, tmp_path):
    result = run("fit", table, "-o", tmp_path / "m.safetensors", "--learner", "toy", *choices)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_table_that_it_does_not_take_is_refused_in_one_line(tmp_path):
    path = tmp_path / "numbers.csv"
    FRAME.assign(age=np.arange(60)).to_csv(path, index=False)
    result = run("fit", path, "-o", tmp_path / "m.safetensors", "--learner", "toy")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: Toy accepts only categorical and boolean columns")


def test_a_config_needs_defaults():
    known = {name: getattr(ENTRY, name) for name in ("label", "summary", "description", "advice")}
    bare = make_dataclass("Bare", [("size", int)])
    with pytest.raises(SoftlearnError, match=r"Bare\.size has no default"):
        Entry(estimator="B", reference="", function=ENTRY.function, config=bare, **known)
