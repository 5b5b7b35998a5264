"""The imputer fills gaps, all gaps, and nothing but gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from estimators.people import LIBRARIES, people
from softlearn import CircuitImputer, LearnSPN, SoftLearn, SoftlearnError
from softlearn.table.frames import open_frame

FRAME = people()
METHODS = ("most_probable", "mean", "draw")
every_method = pytest.mark.parametrize("method", METHODS)


def imputer(method="most_probable", **choices):
    return CircuitImputer(method=method, random_state=0, **choices)


@every_method
def test_observed_cells_are_untouched_and_gaps_are_filled(method):
    before = FRAME.copy()
    filled = imputer(method).fit_transform(FRAME)
    pd.testing.assert_frame_equal(FRAME, before)
    assert not filled.isna().any(axis=None)
    pd.testing.assert_frame_equal(filled.where(FRAME.notna()), FRAME.where(FRAME.notna()))
    assert filled.dtypes.tolist() == FRAME.dtypes.tolist()


@every_method
def test_the_model_fills_the_same(method):
    learnt = imputer(method).fit(FRAME)
    expected = learnt.model_.impute(FRAME, method, random_state=0)
    pd.testing.assert_frame_equal(learnt.transform(FRAME), expected)


@every_method
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_kind_of_frame_and_its_dtypes_stay(method, library):
    frame = LIBRARIES[library](FRAME)
    filled = imputer(method).fit_transform(frame)
    assert type(filled) is type(frame)
    assert filled.shape == frame.shape
    names = open_frame(frame).names
    assert [open_frame(filled).cells(n).dtype for n in names] == [
        open_frame(frame).cells(n).dtype for n in names
    ]
    assert not any(np.isnan(open_frame(filled).cells(name).values).any() for name in names)


@every_method
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_of_floats_stay_arrays_of_floats(method, dtype):
    table = FRAME[["age", "speed"]].to_numpy(dtype=dtype)
    filled = imputer(method).fit_transform(table)
    assert filled.dtype == dtype
    assert np.isfinite(filled).all()
    known = np.isfinite(table)
    assert np.array_equal(filled[known], table[known])


def test_rows_keep_their_index():
    frame = FRAME.set_axis(np.arange(150) * 3, axis=0)
    assert imputer().fit_transform(frame).index.equals(frame.index)


def test_means_are_the_models_expectations():
    learnt = imputer("mean").fit(FRAME)
    row = {"sport": "row", "age": 52, "member": False}
    frame = pd.DataFrame([{**row, "speed": np.nan}])
    filled = learnt.transform(frame)["speed"][0]
    assert filled == pytest.approx(learnt.model_.expectation("speed", given=row))


def test_the_same_seed_draws_the_same_and_draws_differ_from_means():
    one, other = (imputer("draw").fit_transform(FRAME) for _ in range(2))
    pd.testing.assert_frame_equal(one, other)
    assert not one.equals(imputer("mean").fit_transform(FRAME))


def test_unknown_levels_stay_and_tell_nothing():
    learnt = imputer("mean").fit(FRAME)
    rows = FRAME.head(20).assign(sport="swim", speed=np.nan)
    silent = rows.assign(sport=pd.Series([None] * 20, dtype=FRAME["sport"].dtype))
    filled = learnt.transform(rows)
    assert set(filled["sport"]) == {"swim"}
    assert filled["speed"].equals(learnt.transform(silent)["speed"])


@every_method
def test_impossible_cells_stay_and_tell_nothing(method):
    inner = SoftLearn(leaf="histogram", smoothing=0.0)
    learnt = imputer(method, estimator=inner).fit(FRAME)
    rows = FRAME.head(20).assign(speed=1e6)
    filled = learnt.transform(rows)
    assert (filled["speed"] == 1e6).all()
    assert not filled.isna().any(axis=None)


def test_a_row_of_gaps_is_filled_too():
    table = FRAME[["age", "speed"]].astype(float)
    table.loc[3] = np.nan
    assert imputer().fit_transform(table).notna().all(axis=None)


def test_names_come_out_as_they_went_in():
    assert imputer().fit(FRAME).get_feature_names_out().tolist() == list(FRAME.columns)
    of_array = imputer().fit(FRAME[["age", "speed"]].to_numpy())
    assert of_array.get_feature_names_out().tolist() == ["x0", "x1"]


@pytest.mark.parametrize(("choice", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_the_output_can_be_set(choice, kind):
    table = FRAME[["age", "speed"]].to_numpy()
    filled = imputer().set_output(transform=choice).fit_transform(table)
    assert isinstance(filled, kind)
    assert list(filled.columns) == ["x0", "x1"]


def test_it_is_built_on_any_learner():
    filled = CircuitImputer(LearnSPN(random_state=0)).fit_transform(FRAME)
    assert filled.notna().all(axis=None)


def test_an_unknown_method_is_refused():
    with pytest.raises(SoftlearnError, match="method must be 'mean' or 'most_probable' or 'draw'"):
        CircuitImputer(method="median").fit(FRAME)
