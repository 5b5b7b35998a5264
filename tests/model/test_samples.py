"""Samples follow the model, respect what is given, and look like the table they stand for."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import chi2

from model_examples import LIBRARIES, NUMBERS, as_pandas, fork, in_library, patients
from softlearn import Categorical, Gaussian, Model, SoftlearnError, infer_schema
from softlearn.errors import ImpossibleEvidenceError

MODEL = patients()
FALSE_ALARM = 1e-6  # a right sampler fails a check of this file once in a million seeds


def fits(counts: np.ndarray, probabilities: np.ndarray) -> bool:
    """Pearson's chi-square test of counts against exact probabilities."""
    expected = probabilities * counts.sum()
    assert expected.min() > 5  # the approximation's usual condition
    statistic = ((counts - expected) ** 2 / expected).sum()
    return bool(chi2.sf(statistic, counts.size - 1) > FALSE_ALARM)


@pytest.mark.parametrize("known", [{}, {"age": (35, 55)}, {"weight": 72.5, "sex": "M"}])
def test_samples_follow_the_joint_of_discrete_columns(known):
    rows = MODEL.sample(20_000, given=known, random_state=20_240_601)
    stages, truths = MODEL.schema["stage"].levels, (False, True)
    counts, shares = [], []
    for stage in stages:
        for smoker in truths:
            counts.append(((rows["stage"] == stage) & (rows["smoker"] == smoker)).sum())
            shares.append(MODEL.probability({"stage": stage, "smoker": smoker}, given=known))
    assert fits(np.array(counts), np.array(shares))


@pytest.mark.parametrize("known", [{}, {"stage": {2, 4}}, {"age": (45, 65)}])
def test_samples_of_a_continuous_column_follow_its_distribution(known):
    rows = MODEL.sample(20_000, given=known, random_state=7)
    edges = MODEL.distribution("weight", given=known).quantile(np.linspace(0, 1, 41))
    counts, _ = np.histogram(rows["weight"], edges)
    assert fits(counts, np.full(40, 1 / 40))


def test_whole_numbers_are_drawn_with_their_probabilities():
    known = {"age": (40, 59)}
    rows = MODEL.sample(20_000, given=known, random_state=3)
    counts = rows["age"].value_counts().reindex(range(40, 60), fill_value=0)
    shares = [MODEL.probability({"age": age}, given=known) for age in counts.index]
    assert fits(counts.to_numpy(), np.array(shares))


def test_draws_respect_what_is_given():
    known = {"sex": {"M"}, "age": (41, 44), "weight": (70, 71), "stage": 4}
    rows = MODEL.sample(500, given=known, random_state=0)
    assert set(rows["sex"]) == {"M"}
    assert set(rows["stage"]) == {4}
    assert set(rows["age"]) == {41, 42, 43, 44}
    assert rows["weight"].between(70, 71).all()


def test_a_given_value_stays_as_it_is():
    assert set(MODEL.sample(3, given={"weight": 70.25}, random_state=0)["weight"]) == {70.25}


@pytest.mark.parametrize("library", LIBRARIES)
def test_observed_cells_of_a_frame_stay_in_its_draws(library):
    before = as_pandas(in_library(library))
    drawn = as_pandas(NUMBERS.sample(3, given=in_library(library), random_state=0))
    assert len(drawn) == 15
    assert drawn.notna().all(axis=None)
    repeated = before.loc[before.index.repeat(3)].reset_index(drop=True)
    assert (drawn == repeated).where(repeated.notna(), True).all(axis=None)


FRAMES = [
    pd.DataFrame({"c": ["a", "b"], "n": np.array([1, 50], "int16"), "x": [0.5, 1.5]}),
    pl.DataFrame(
        {"c": ["a", "b"], "n": [1, 50], "x": [0.5, 1.5]},
        schema={"c": pl.Categorical, "n": pl.UInt8, "x": pl.Float32},
    ),
    pa.table({"c": ["a", "b"], "n": pa.array([1, 50], pa.int32()), "x": [0.5, 1.5]}),
]


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "pyarrow"])
def test_samples_have_the_library_and_dtypes_of_the_table(frame):
    leaves = Categorical("c", {"a": 0.5, "b": 0.5}) * Gaussian("n", 20, 5) * Gaussian("x", 1, 2)
    plain = {"n": {"kind": "integer", "scale": "plain"}, "x": {"scale": "plain"}}
    model = Model(leaves, infer_schema(frame, overrides=plain))
    rows = model.sample(5, random_state=0)
    assert type(rows) is type(frame)
    assert len(rows) == 5
    if isinstance(frame, pd.DataFrame):
        assert rows.dtypes.to_dict() == frame.dtypes.to_dict()
    else:
        assert rows.schema == frame.schema


def test_a_hand_written_model_gives_pandas_back():
    dtypes = MODEL.sample(2, random_state=0).dtypes.astype(str).to_dict()
    assert dtypes == {
        "sex": "str",
        "smoker": "bool",
        "stage": "int64",
        "age": "int64",
        "joined": "datetime64[us]",
        "weight": "float64",
    }


def test_without_pandas_a_hand_written_model_gives_numpy_back(monkeypatch):
    monkeypatch.setattr("softlearn.model.making.find_spec", lambda name: None)
    model = Model(Gaussian("x", 0, 1) * Gaussian("y", 5, 1))
    assert isinstance(model.sample(3, random_state=0), np.ndarray)


def test_a_seed_decides_everything():
    seeded = MODEL.sample(20, random_state=5)
    assert seeded.equals(MODEL.sample(20, random_state=np.random.default_rng(5)))
    assert not seeded.equals(MODEL.sample(20, random_state=6))
    assert not MODEL.sample(20).equals(MODEL.sample(20))


def test_no_rows_are_a_table_without_rows():
    assert MODEL.sample(0).shape == (0, 6)


@pytest.mark.parametrize("wrong", [-1, 2.5, True, "3"])
def test_the_number_of_rows_is_a_whole_number(wrong):
    with pytest.raises(SoftlearnError, match="n must be"):
        MODEL.sample(wrong)


def test_a_source_of_randomness_is_a_seed_or_a_generator():
    with pytest.raises(SoftlearnError, match="random_state is"):
        MODEL.sample(1, random_state="today")


def test_nothing_is_drawn_under_an_impossible_condition():
    with pytest.raises(ImpossibleEvidenceError, match="'size': 5"):
        fork().sample(2, given={"colour": "red", "size": 5})
    frame = pd.DataFrame({"colour": ["red", "blue"], "size": [5.0, None]})
    drawn = fork().sample(2, given=frame, random_state=0, impossible="nan")
    assert drawn["size"].isna().tolist() == [True, True, False, False]
