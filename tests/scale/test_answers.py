"""Queries of Dask tables are lazy, and their results equal those of the same rows in memory."""

from __future__ import annotations

import pickle

import cloudpickle
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from scale.tables import in_partitions, mixed_table
from softlearn import SoftLearn
from softlearn.circuit.file import circuit_to_bytes
from softlearn.errors import ModelFileError, SoftlearnError, TableError, UnknownLevelError
from softlearn.estimators import CircuitClassifier, CircuitOutlierDetector
from softlearn.scale import partitions_of

MIXED = mixed_table()
FEATURES, TARGET = MIXED.drop(columns="yes"), MIXED["yes"]
LEARNT = SoftLearn(random_state=0).fit(MIXED)
MODEL = LEARNT.model_
NUMBERS = MIXED[["x", "count"]].to_numpy(float)
OF_NUMBERS = SoftLearn(random_state=0).fit(NUMBERS)


@pytest.fixture(scope="module")
def classifier():
    return CircuitClassifier(random_state=0).fit(FEATURES, TARGET)


@pytest.fixture(scope="module")
def detector():
    return CircuitOutlierDetector(random_state=0).fit(MIXED)


def computed(lazy):
    """A collection's rows, which have the names and dtypes that it promised."""
    assert dask.is_dask_collection(lazy)
    found = lazy.compute()
    promised = lazy._meta
    assert type(found) is type(promised)
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(
            found.iloc[:0].reset_index(drop=True), promised.iloc[:0].reset_index(drop=True)
        )
    elif isinstance(found, pd.Series):
        assert (found.name, found.dtype) == (promised.name, promised.dtype)
    else:
        assert found.dtype == lazy.dtype
        assert found.shape == lazy.shape
    return found


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("asked", [LEARNT, MODEL], ids=["estimator", "model"])
def test_scores_and_filled_cells(asked, n):
    rows = in_partitions(MIXED, n)
    scores = computed(asked.score_samples(rows))
    np.testing.assert_array_equal(scores, asked.score_samples(MIXED))
    assert scores.name == "log_density"
    assert (scores.index == MIXED.index).all()
    for method in ("most_probable", "mean"):
        filled = computed(asked.impute(rows, method))
        pd.testing.assert_frame_equal(filled, asked.impute(MIXED, method))
    assert asked.score(rows) == asked.score(MIXED)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_classes_and_odd_rows(n, classifier, detector):
    features, rows = in_partitions(FEATURES, n), in_partitions(MIXED, n)
    for ask in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        there, here = (
            computed(getattr(classifier, ask)(features)),
            getattr(classifier, ask)(FEATURES),
        )
        np.testing.assert_array_equal(there, here)
    assert list(classifier.predict_proba(features).columns) == ["False", "True"]
    assert classifier.predict(features).name == "yes"
    for ask in ("score_samples", "decision_function", "predict"):
        there, here = computed(getattr(detector, ask)(rows)), getattr(detector, ask)(MIXED)
        np.testing.assert_array_equal(there, here)
    pd.testing.assert_frame_equal(computed(detector.explain(rows)), detector.explain(MIXED))


def test_arrays_have_arrays_for_answers(classifier):
    rows = da.from_array(NUMBERS, chunks=(70, 1))
    here = OF_NUMBERS.score_samples(NUMBERS)
    np.testing.assert_array_equal(computed(OF_NUMBERS.score_samples(rows)), here)
    # A mean is a matrix product, whose last bit depends on how many rows it is asked for.
    filled = computed(OF_NUMBERS.impute(rows))
    np.testing.assert_allclose(filled, OF_NUMBERS.impute(NUMBERS), rtol=1e-14)
    of_array = CircuitClassifier(random_state=0).fit(NUMBERS, TARGET)
    np.testing.assert_array_equal(
        computed(of_array.predict_proba(rows)), of_array.predict_proba(NUMBERS)
    )
    np.testing.assert_array_equal(computed(of_array.predict(rows)), of_array.predict(NUMBERS))


def test_nothing_is_read_before_an_answer_is_computed():
    def broken(part):
        raise AssertionError("read")

    rows = in_partitions(MIXED, 2).map_partitions(broken, meta=MIXED.iloc[:0])
    scores, filled = MODEL.score_samples(rows), MODEL.impute(rows)
    for lazy in (scores, filled):
        with pytest.raises(AssertionError, match="read"):
            lazy.compute()


def test_a_column_that_a_partition_lacks_wholly_keeps_its_dtype():
    frame = pd.DataFrame({"a": [1, 2] * 20, "b": list("xyyx") * 10})
    model = SoftLearn(random_state=0).fit(frame).model_
    objects = frame["a"].astype(object)
    gaps = frame.assign(a=objects.where(frame.index < 20))  # nothing is left of the second
    with dask.config.set({"dataframe.convert-string": False}):  # objects stay what they are
        lazy = model.impute(in_partitions(gaps, 2))
        filled, second = computed(lazy), lazy.partitions[1].compute()
    assert second["a"].dtype == filled["a"].dtype == object
    assert not filled.isna().any(axis=None)


def test_what_is_drawn_differs_between_partitions_and_not_between_runs():
    gaps = MIXED.assign(x=np.nan)
    rows = in_partitions(pd.concat([gaps.iloc[:50]] * 2, ignore_index=True), 2)
    first = MODEL.impute(rows, "draw", random_state=3).compute()
    assert first.equals(MODEL.impute(rows, "draw", random_state=3).compute())
    assert not (first["x"][:50].to_numpy() == first["x"][50:].to_numpy()).all()


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_drawn_rows_depend_on_the_seed_and_the_size_of_partitions_alone(scheduler):
    lazy = LEARNT.sample(1000, random_state=5, partition_rows=300)
    assert lazy.npartitions == 4
    with dask.config.set(scheduler=scheduler):
        rows = computed(lazy)
    assert list(rows.index) == list(range(1000))
    expected = [
        MODEL.sample(size, random_state=np.random.default_rng(seed))
        for size, seed in zip((300, 300, 300, 100), np.random.SeedSequence(5).spawn(4), strict=True)
    ]
    pd.testing.assert_frame_equal(
        rows.reset_index(drop=True), pd.concat(expected, ignore_index=True)
    )
    given = MODEL.sample(20, {"yes": True}, 0, partition_rows=7).compute()
    assert given["yes"].all()
    assert computed(OF_NUMBERS.sample(20, random_state=0, partition_rows=7)).shape == (20, 2)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"partition_rows": 0}, "1 or more"),
        ({"partition_rows": 5, "given": MIXED}, "with partition_rows, given must be a dict"),
        ({"partition_rows": 5, "given": {"x": "much"}}, "'x'"),
        ({"partition_rows": 5, "random_state": "seed"}, "random_state"),
    ],
)
def test_wrong_draws_are_refused_at_once(how, words):
    with pytest.raises(SoftlearnError, match=words):
        MODEL.sample(10, **how)


def test_a_wrong_cell_is_refused_with_its_partition():
    strange = in_partitions(MIXED.assign(word=MIXED["word"].where(MIXED.index < 290, "blue")), 3)
    with pytest.raises(UnknownLevelError, match=r"^partition 2: .*'blue'"):
        MODEL.score_samples(strange).compute()
    assert np.isfinite(MODEL.score_samples(strange, unknown="missing").compute()).all()


def test_other_columns_are_refused_before_anything_is_read():
    with pytest.raises(TableError, match="now missing: 'word'"):
        LEARNT.score_samples(in_partitions(FEATURES.drop(columns="word"), 2))


def test_a_model_travels_as_its_file_and_once_for_all_partitions():
    content = circuit_to_bytes(MODEL.circuit)
    assert content in pickle.dumps(MODEL)
    assert circuit_to_bytes(pickle.loads(pickle.dumps(MODEL)).circuit) == content
    tasks = dict(MODEL.score_samples(empty_partitions(40)).__dask_graph__()).values()
    assert sum(content in cloudpickle.dumps(task) for task in tasks) == 1


def empty_partitions(n):
    return dd.from_delayed([dask.delayed(MIXED.iloc[:0])] * n, meta=MIXED.iloc[:0])


def test_a_model_that_was_changed_on_the_way_is_refused():
    sent = pickle.dumps(MODEL)
    content = circuit_to_bytes(MODEL.circuit)
    broken = sent.replace(content, content[:-8] + b"\0\0\0\0\0\0\xf0\x7f")
    with pytest.raises(ModelFileError):
        pickle.loads(broken)


def test_questions_that_take_no_partitions_say_so():
    with pytest.raises(TableError, match=r"call \.compute\(\) first"):
        MODEL.most_probable(in_partitions(MIXED, 2))
    rows = partitions_of(in_partitions(MIXED, 2))
    with pytest.raises(SoftlearnError, match="takes Dask DataFrames and Arrays, not Partitions"):
        MODEL.score_samples(rows)


def test_the_level_that_is_unknown_is_still_known_to_who_catches_it():
    strange = in_partitions(MIXED.assign(word="blue"), 1)
    with pytest.raises(UnknownLevelError) as caught:
        MODEL.score_samples(strange).compute()
    assert (caught.value.column, caught.value.value) == ("word", "blue")
    assert caught.value.what.startswith("partition 0: ")
    assert str(caught.value).count("unknown=") == 1
