"""Rows are scored the same in every library, column order and batch size."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from model_examples import LIBRARIES, NUMBERS, fork, in_library, patients
from softlearn import SoftlearnError
from softlearn.errors import TableError, UnknownLevelError
from softlearn.model import given as batching

MODEL = patients()
ROWS = MODEL.sample(40, random_state=0)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_scores(library):
    expected = NUMBERS.score_samples(in_library("pandas"))
    assert NUMBERS.score_samples(in_library(library)).tolist() == expected.tolist()


def test_a_score_is_the_density_of_the_row():
    frame = pd.DataFrame({"colour": ["red", "blue", None], "size": [1.5, None, 1.5]})
    blue_at = np.exp(-0.5 * ((1.5 - 5.0) / 0.5) ** 2) / (0.5 * np.sqrt(2 * np.pi))
    expected = np.log([0.3 * 0.8, 0.7, 0.3 * 0.8 + 0.7 * blue_at])
    assert fork().score_samples(frame) == pytest.approx(expected)


def test_a_row_of_missing_cells_is_certain():
    assert NUMBERS.score_samples(in_library("pandas"))[3] == 0.0


def test_an_impossible_row_has_minus_infinity():
    frame = pd.DataFrame({"colour": ["red"], "size": [3.0]})
    assert fork().score_samples(frame).tolist() == [-np.inf]


def test_columns_are_found_by_name():
    shuffled = ROWS[ROWS.columns[::-1]]
    assert MODEL.score_samples(shuffled).tolist() == MODEL.score_samples(ROWS).tolist()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("size", [1, 2, 5, 7])
def test_batches_do_not_matter(monkeypatch, library, size):
    whole = NUMBERS.score_samples(in_library(library))
    monkeypatch.setattr(batching, "BATCH_ROWS", size)
    assert NUMBERS.score_samples(in_library(library)).tolist() == whole.tolist()


def test_rows_are_batched_by_position_not_by_index(monkeypatch):
    monkeypatch.setattr(batching, "BATCH_ROWS", 7)
    relabelled = ROWS.set_index(pd.Index(range(100, 60, -1)))
    expected = MODEL.score_samples(ROWS).tolist()
    assert MODEL.score_samples(relabelled).tolist() == expected


def test_the_score_is_the_mean():
    assert MODEL.score(ROWS) == pytest.approx(MODEL.score_samples(ROWS).mean())
    assert isinstance(MODEL.score(ROWS), float)


def test_no_rows_have_no_scores_and_no_mean():
    assert MODEL.score_samples(ROWS.head(0)).shape == (0,)
    with pytest.raises(SoftlearnError, match="no rows"):
        MODEL.score(ROWS.head(0))


def test_an_unknown_level_is_refused_or_summed_out():
    strange = pd.DataFrame({"colour": ["green"], "size": [1.5]})
    with pytest.raises(UnknownLevelError, match="'colour' holds 'green'"):
        fork().score_samples(strange)
    missing = pl.DataFrame({"colour": [None], "size": [1.5]})
    expected = fork().score_samples(missing)
    assert fork().score_samples(strange, unknown="missing").tolist() == expected.tolist()
    assert fork().score(strange, unknown="missing") == expected[0]


def test_an_extra_column_is_refused_or_left_out():
    wide = ROWS.assign(note="x")
    with pytest.raises(TableError, match="'note'"):
        MODEL.score_samples(wide)
    expected = MODEL.score_samples(ROWS).tolist()
    assert MODEL.score_samples(wide, extra="ignore").tolist() == expected


def test_a_lost_column_is_named():
    with pytest.raises(TableError, match="no column 'age'"):
        MODEL.score_samples(ROWS.drop(columns="age"))


@pytest.mark.parametrize("frame", [None, [[1.0, 2.0]], {"colour": "red"}, "rows.csv"])
def test_what_is_no_table_is_refused(frame):
    with pytest.raises(TableError, match="a table is a pandas or polars"):
        fork().score_samples(frame)
