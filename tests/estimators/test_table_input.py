"""Tables come in as scikit-learn's users bring them, and are refused in words they know."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from softlearn import SoftLearn, SoftlearnError, load
from softlearn.errors import TableError

TABLE = np.random.default_rng(0).normal(size=(40, 3))
FRAME = pd.DataFrame(TABLE, columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def of_array():
    return SoftLearn(random_state=0).fit(TABLE)


@pytest.fixture(scope="module")
def of_frame():
    return SoftLearn(random_state=0).fit(FRAME)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((5, 0)), r"0 feature\(s\) \(shape=\(5, 0\)\) while a minimum of 1 is required"),
        (np.zeros((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 2 is required"),
        (np.zeros((1, 3)), r"at least two rows: the table has 1 sample\(s\)"),
        (np.zeros(3), "2 dimensions .* Reshape your data"),
        (np.zeros((3, 2, 2)), "2 dimensions .*, not 3"),
        (np.zeros((5, 2), dtype=complex), "Complex data not supported"),
        ([[1.0, 2.0], [3.0]], "not all of the same length"),
        (FRAME["a"], "2 dimensions"),
        (np.ma.masked_invalid(TABLE), "masked arrays are not read"),
        (pl.LazyFrame({"x": [1.0, 2.0]}), r"call .collect\(\) first"),
    ],
)
def test_what_is_no_table_is_refused(table, message):
    with pytest.raises(TableError, match=message):
        SoftLearn().fit(table)


@pytest.mark.parametrize("table", [csr_array(TABLE), "table", None, 3])
def test_what_is_far_from_a_table_is_a_type_error_too(table):
    with pytest.raises(TypeError, match="a table is a pandas or polars DataFrame") as caught:
        SoftLearn().fit(table)
    assert isinstance(caught.value, SoftlearnError)


def test_lists_are_arrays(of_array):
    of_list = SoftLearn(random_state=0).fit(TABLE.tolist())
    assert np.array_equal(of_list.score_samples(TABLE.tolist()), of_array.score_samples(TABLE))


def test_lists_may_mix_text_and_numbers():
    rows = [[1.5, "a", True], [2.5, "b", False]] * 10
    for table in (rows, [*rows, [None, "a", True]]):
        kinds = [column.kind for column in SoftLearn().fit(table).schema_]
        assert kinds == ["numeric", "categorical", "boolean"]


def test_another_number_of_columns_is_refused(of_array):
    expected = "X has 2 features, but SoftLearn is expecting 3 features as input"
    with pytest.raises(TableError, match=expected):
        of_array.score_samples(TABLE[:, :2])


def test_other_names_are_refused_and_listed(of_frame):
    other = FRAME.rename(columns={"b": "z"})
    expected = "should match those that were passed during fit; unseen at fit time: 'z'; now miss"
    with pytest.raises(TableError, match=expected):
        of_frame.score_samples(other)


def test_names_may_be_in_any_order(of_frame):
    assert np.array_equal(of_frame.score_samples(FRAME[["c", "a", "b"]]), scores(of_frame))


def scores(learnt):
    return learnt.score_samples(FRAME)


def test_an_array_for_a_frame_is_taken_by_position_with_a_warning(of_frame):
    with pytest.warns(UserWarning, match="X does not have valid feature names, but SoftLearn was"):
        found = of_frame.score_samples(TABLE)
    assert np.array_equal(found, scores(of_frame))


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_a_frame_for_an_array_is_taken_by_position_with_a_warning(of_array, convert):
    with pytest.warns(UserWarning, match="X has feature names, but SoftLearn was fitted without"):
        found = of_array.score_samples(convert(FRAME))
    assert np.array_equal(found, of_array.score_samples(TABLE))


def test_numbered_columns_go_without_names_and_come_back_as_numbers(of_array):
    numbered = pd.DataFrame(TABLE)
    learnt = SoftLearn(random_state=0).fit(numbered)
    assert not hasattr(learnt, "feature_names_in_")
    assert learnt.sample(3, random_state=0).columns.tolist() == [0, 1, 2]
    assert np.array_equal(learnt.score_samples(TABLE), of_array.score_samples(numbered))
    assert learnt.probability({"0": (0, None)}) == of_array.probability({"0": (0, None)})


def test_numbered_columns_survive_the_model_file(tmp_path):
    learnt = SoftLearn(random_state=0).fit(pd.DataFrame(TABLE))
    learnt.save(tmp_path / "numbered")
    assert load(tmp_path / "numbered").sample(2, random_state=0).columns.tolist() == [0, 1, 2]
