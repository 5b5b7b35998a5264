"""Missing cells are filled by the model; everything else stays exactly as it was."""

import numpy as np
import pandas as pd
import pytest

from model_examples import LIBRARIES, NUMBERS, as_pandas, fork, in_library, patients
from softlearn import Gaussian, Histogram, Model, SoftlearnError
from softlearn.errors import ImpossibleEvidenceError, TableError, UnknownLevelError

MODEL = patients()
METHODS = ("most_probable", "mean", "draw")
WHOLE = MODEL.sample(60, random_state=0)
BLANK = np.random.default_rng(1).random(WHOLE.shape) < 0.4
GAPS = WHOLE.mask(BLANK).set_index(pd.Index([f"row {i}" for i in range(60)]))
IMPOSSIBLE = pd.DataFrame({"colour": ["red", "blue"], "size": [5.0, None]})


@pytest.mark.parametrize("method", METHODS)
def test_only_missing_cells_change(method):
    before = GAPS.copy()
    filled = MODEL.impute(GAPS, method=method, random_state=0)
    assert GAPS.equals(before)
    assert filled.notna().all(axis=None)
    assert filled.where(~BLANK).equals(GAPS)
    assert filled.dtypes.equals(GAPS.dtypes)
    assert filled.index.equals(GAPS.index)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_comes_back_filled(library, method):
    frame = in_library(library)
    filled = NUMBERS.impute(frame, method=method, random_state=0)
    assert type(filled) is type(frame)
    before, after = as_pandas(frame), as_pandas(filled)
    assert after.notna().all(axis=None)
    assert after.where(before.notna()).equals(before)
    expected = as_pandas(NUMBERS.impute(in_library("pandas"), method=method, random_state=0))
    assert after.equals(expected)


def test_the_mean_fills_by_expectation_and_by_most_probable_level():
    filled = MODEL.impute(GAPS, method="mean")
    for row in range(20):
        known = {name: GAPS.iloc[row][name] for name in GAPS.columns}
        for name, found in MODEL.distributions(known).items():
            cell = filled.iloc[row][name]
            if MODEL.schema[name].is_discrete:
                assert cell == found.mode
            elif MODEL.schema[name].kind == "integer":
                assert cell == round(found.mean)
            elif name == "weight":
                assert cell == pytest.approx(found.mean, rel=1e-9)


def test_drawing_depends_on_the_seed_alone():
    first = MODEL.impute(GAPS, method="draw", random_state=3)
    assert first.equals(MODEL.impute(GAPS, method="draw", random_state=3))
    assert not first.equals(MODEL.impute(GAPS, method="draw", random_state=4))


def test_extra_columns_and_unknown_cells_stay_as_they_are():
    frame = pd.DataFrame({"colour": ["green", None], "size": [None, 5.0], "note": ["a", "b"]})
    with pytest.raises(TableError, match="'note'"):
        fork().impute(frame)
    with pytest.raises(UnknownLevelError, match="'green'"):
        fork().impute(frame, extra="ignore")
    filled = fork().impute(frame, "most_probable", extra="ignore", unknown="missing")
    assert filled["note"].tolist() == ["a", "b"]
    assert filled["colour"].tolist() == ["green", "blue"]
    assert filled["size"].tolist() == [5.0, 5.0]


@pytest.mark.parametrize("method", METHODS)
def test_an_impossible_row_is_named_or_left_alone(method):
    with pytest.raises(ImpossibleEvidenceError, match=r"row 0 \('colour': 'red', 'size': 5.0\)"):
        fork().impute(IMPOSSIBLE.assign(colour=["red", None]), method=method, random_state=0)
    filled = fork().impute(IMPOSSIBLE, method=method, random_state=0, impossible="nan")
    assert filled["size"].iloc[0] == 5.0
    assert filled["size"].notna().all()


def test_if_nothing_is_said_each_cell_is_filled_by_its_mean_or_most_probable_level():
    assert MODEL.impute(GAPS).equals(MODEL.impute(GAPS, "mean"))
    assert not MODEL.impute(GAPS).equals(MODEL.impute(GAPS, "most_probable"))


def test_a_method_must_be_known():
    with pytest.raises(SoftlearnError, match="mean, most_probable or draw"):
        MODEL.impute(GAPS, method="median")


def test_a_completion_is_scored_exactly():
    found = MODEL.most_probable(GAPS)
    assert MODEL.score_samples(found.rows) == pytest.approx(found.log_likelihood, rel=1e-9)
    assert found.rows.equals(MODEL.impute(GAPS, "most_probable"))
    assert found.exact.shape == (60,)
    assert found.exact[~BLANK.any(axis=1)].all()


def test_a_deterministic_circuit_is_completed_exactly():
    found = fork().most_probable({"size": (0, None)})
    assert found.rows.iloc[0].to_dict() == {"colour": "blue", "size": 5.0}
    assert found.exact.tolist() == [True]
    assert found.log_likelihood == pytest.approx(np.log(0.7 / (0.5 * np.sqrt(2 * np.pi))))


@pytest.mark.parametrize(("known", "age"), [((40, 44), 44), ((None, 44), 44), ((71, 90), 71)])
def test_a_completed_whole_number_stays_inside_its_interval(known, age):
    leaf = Gaussian("age", 50 if age == 44 else 60, 3)
    assert Model(leaf, {"age": "integer"}).most_probable({"age": known}).rows["age"][0] == age


def test_a_bin_around_a_whole_number_is_completed_by_it():
    bins = Histogram("people", [0.5, 1.5, 2.5, 3.5], [0.2, 0.2, 0.6])
    found = Model(bins, {"people": "integer"}).most_probable()
    assert found.rows["people"].tolist() == [3]
    assert found.exact.tolist() == [True]


def test_rounding_gives_up_what_was_proven():
    found = Model(Gaussian("n", 2.4, 1), {"n": "integer"}).most_probable()
    assert found.rows["n"].tolist() == [2]
    assert found.exact.tolist() == [False]


def test_an_impossible_completion_is_named_or_left_alone():
    with pytest.raises(ImpossibleEvidenceError, match="row 0"):
        fork().most_probable(IMPOSSIBLE)
    found = fork().most_probable(IMPOSSIBLE, impossible="nan")
    assert found.rows["size"].tolist() == [5.0, 5.0]
    assert found.log_likelihood[0] == -np.inf
    assert found.exact.tolist() == [False, True]
