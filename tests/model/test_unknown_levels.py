"""Levels that a model does not know: every question of frames takes the same word for them."""

from __future__ import annotations

import inspect
import json
import pickle
from urllib.request import urlopen

import numpy as np
import pandas as pd
import pytest

from softlearn import Categorical, Gaussian, Model
from softlearn.errors import UnknownLevelError

MODEL = Model(
    0.4 * Categorical("colour", {"red": 0.7, "blue": 0.3}) * Gaussian("size", 1, 1)
    + 0.6 * Categorical("colour", {"red": 0.1, "blue": 0.9}) * Gaussian("size", 5, 2)
)
STRANGE = pd.DataFrame({"colour": ["green", "red"], "size": [2.0, np.nan]})
BLANK = STRANGE.assign(colour=[None, "red"])


def explored(rows, **how):
    """Return the log-densities that the explorer shows."""
    explorer = MODEL.explore(rows, port=0, **how)
    with urlopen(explorer.url + "api/rows?order=table") as reply:
        found = [row["log_density"] for row in json.load(reply)["rows"]]
    explorer.stop()
    return found


ASKED = {
    "explore": explored,
    "score_samples": MODEL.score_samples,
    "score": MODEL.score,
    "sample": lambda rows, **how: MODEL.sample(2, rows, 0, **how)["size"],
    "impute": lambda rows, **how: MODEL.impute(rows, "mean", **how)["size"],
    "most_probable": lambda rows, **how: MODEL.most_probable(rows, **how).log_likelihood,
    "compress": lambda rows, **how: MODEL.compress(rows, max_loss=0.1, **how).loss,
    "fine_tune": lambda rows, **how: MODEL.fine_tune(rows, random_state=0, **how).circuit.params,
    "probability": lambda rows, **how: MODEL.probability({"size": (0, 2)}, rows[["colour"]], **how),
    "expectation": lambda rows, **how: MODEL.expectation("size", rows[["colour"]], **how),
    "variance": lambda rows, **how: MODEL.variance("size", rows[["colour"]], **how),
}


@pytest.mark.parametrize("question", ASKED)
def test_they_are_refused_or_missing(question):
    with pytest.raises(UnknownLevelError, match="'colour' holds 'green'"):
        ASKED[question](STRANGE)
    found = ASKED[question](STRANGE, unknown="missing")
    assert np.array_equal(np.asarray(found), np.asarray(ASKED[question](BLANK)))


def test_every_question_that_takes_a_frame_is_asked_here():
    methods = [
        name
        for name, method in inspect.getmembers(Model, inspect.isfunction)
        if not name.startswith("_")
        and any("Frame" in str(p.annotation) for p in inspect.signature(method).parameters.values())
    ]
    assert sorted(methods) == sorted(ASKED)


def test_a_completed_row_keeps_the_level_that_was_not_believed():
    rows = MODEL.most_probable(STRANGE, unknown="missing").rows
    assert rows["colour"].tolist() == ["green", "red"]


def test_what_a_dict_says_is_always_meant():
    with pytest.raises(UnknownLevelError, match=r"'colour' holds 'green'.* None for a single"):
        MODEL.probability({"size": (0, 2)}, {"colour": "green"}, unknown="missing")


def test_the_error_has_its_column_and_value():
    with pytest.raises(UnknownLevelError) as caught:
        MODEL.score(STRANGE)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.column, error.value) == ("colour", "green")
        assert error.what == "column 'colour' holds 'green', which is none of its levels " + (
            "('red', 'blue')"
        )
        assert str(error).startswith(f"{error.what}; fit again with it, or treat it as missing: ")
        assert ". " not in str(error)
