"""Fits on Dask tables give the same models as fits on the same rows in memory."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from architecture.source_tree import run_fresh
from scale.tables import in_partitions, mixed_table, weights_of
from softlearn import AutoCircuit, LearnSPN, SoftLearn
from softlearn.circuit.file import circuit_to_bytes
from softlearn.errors import SoftlearnError, TableError, UnknownLevelError
from softlearn.estimators import (
    CircuitClassifier,
    CircuitImputer,
    CircuitOutlierDetector,
    estimator_named,
    outliers,
)
from softlearn.learn import LEARNERS
from softlearn.scale import partitions_of, schema_over
from softlearn.table import infer_schema
from softlearn.table.joining import MOST_VALUES

MIXED = mixed_table()


def is_same(one, other):
    return circuit_to_bytes(one.model_.circuit) == circuit_to_bytes(other.model_.circuit)


@pytest.mark.parametrize("n_partitions", [1, 2, 7])
@pytest.mark.parametrize("learner", [SoftLearn, LearnSPN])
def test_the_circuit_is_the_local_one(learner, n_partitions):
    here = learner(random_state=0).fit(MIXED)
    there = learner(random_state=0).fit(in_partitions(MIXED, n_partitions))
    assert is_same(here, there)
    assert there.schema_.to_dict() == here.schema_.to_dict()
    assert list(there.feature_names_in_) == list(MIXED.columns)
    assert there.n_features_in_ == here.n_features_in_


@pytest.mark.parametrize("n_partitions", [1, 2, 7])
@pytest.mark.parametrize("factor", [1.0, 1e-6, 1e20])
def test_weights_count_as_they_do_here(n_partitions, factor):
    weights = weights_of(MIXED) * factor
    here = SoftLearn(random_state=0).fit(MIXED, sample_weight=weights)
    rows = in_partitions(MIXED, n_partitions)
    there = SoftLearn(random_state=0).fit(rows, sample_weight=in_partitions(weights, n_partitions))
    assert there.schema_.to_dict() == here.schema_.to_dict()
    assert there.model_.score(MIXED) == pytest.approx(here.model_.score(MIXED), rel=1e-9)
    named = in_partitions(MIXED.assign(weight=weights), n_partitions)
    assert is_same(SoftLearn(random_state=0).fit(named, sample_weight="weight"), there)


@pytest.mark.parametrize("name", [entry.name for entry in LEARNERS.values()])
def test_every_learner_takes_a_dask_table(name):
    rng = np.random.default_rng(0)
    bits = (rng.random((120, 4)) < 0.5).astype(float)
    bits[:, 1] = bits[:, 0]
    frame = pd.DataFrame(bits, columns=list("abcd"))
    here, there = (
        estimator_named(name)(random_state=0).fit(table)
        for table in (frame, in_partitions(frame, 3))
    )
    assert is_same(here, there)


def test_arrays_are_cut_in_rows_whatever_their_chunks():
    table = MIXED[["x", "count"]].to_numpy(float)
    here = SoftLearn(random_state=0).fit(table)
    there = SoftLearn(random_state=0).fit(da.from_array(table, chunks=(70, 1)))
    assert is_same(here, there)
    assert not hasattr(there, "feature_names_in_")
    weights = np.arange(len(table)) % 3
    here = SoftLearn(random_state=0).fit(table, sample_weight=weights)
    there = SoftLearn(random_state=0).fit(
        da.from_array(table, chunks=(70, 2)), sample_weight=da.from_array(weights, chunks=70)
    )
    assert is_same(here, there)


def test_choices_are_those_of_frames():
    said = {"count": {"lower": 0, "upper": 40}, "x": {"scale": "plain"}, "yes": "categorical"}
    how = {"schema": said, "missing": "modelled", "random_state": 0}
    assert is_same(SoftLearn(**how).fit(MIXED), SoftLearn(**how).fit(in_partitions(MIXED, 3)))
    known = infer_schema(MIXED.iloc[:200])
    strange = MIXED.assign(word=MIXED["word"].where(MIXED.index < 290, "blue"))
    how = {"schema": known, "random_state": 0, "unknown": "missing"}
    assert is_same(SoftLearn(**how).fit(strange), SoftLearn(**how).fit(in_partitions(strange, 3)))
    how["unknown"] = "error"
    with pytest.raises(UnknownLevelError, match=r"^partition 2: .*'blue'"):
        SoftLearn(**how).fit(in_partitions(strange, 3))


def test_empty_partitions_are_fine_unless_all_are():
    rows = in_partitions(MIXED, 7)
    some = rows.map_partitions(lambda part: part[part.index < 100])  # most have no rows
    assert is_same(
        SoftLearn(random_state=0).fit(MIXED[MIXED.index < 100]), SoftLearn(random_state=0).fit(some)
    )
    with pytest.raises(TableError, match=r"at least two rows: the 7 partition\(s\) have 0"):
        SoftLearn().fit(rows.map_partitions(lambda part: part[:0]))


def parts(*frames):
    import dask

    made = [dask.delayed(frame) for frame in frames]
    return dd.from_delayed(made, meta=frames[0].iloc[:0], verify_meta=False)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (pd.DataFrame({"a": [1, 2], "c": [1.0, 2.0]}), "partition 1 has no column 'b'"),
        (pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), "partition 0 and partition 1 .*'a'"),
        (pd.DataFrame({"a": [1, 2], "b": [1.0, np.inf]}), "partition 1: column 'b' holds inf"),
    ],
)
def test_a_partition_that_does_not_fit_is_named(second, words):
    first = pd.DataFrame({"a": [1, 2], "b": [1.0, 2.5]})
    with pytest.raises(TableError, match=words):
        SoftLearn().fit(parts(first, second))


def test_a_column_that_is_missing_everywhere_is_named():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [np.nan] * 4})
    with pytest.raises(TableError, match="every cell of column 'b' is missing"):
        SoftLearn().fit(in_partitions(frame, 2))
    frame.loc[3, "b"] = 1.5  # in the last partition alone
    assert SoftLearn(random_state=0).fit(in_partitions(frame, 2)).schema_["b"].kind == "numeric"


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(300), "a Dask Series or Array with the same partitions, or the name"),
        ("weigth", "no column 'weigth'"),
        (in_partitions(weights_of(MIXED), 2), "2 partitions and the table 3"),
        (in_partitions(weights_of(MIXED)[:299], 3), r"sample_weight has \d+ values for \d+ rows"),
        (in_partitions(-weights_of(MIXED), 3), r"partition \d: .* not negative; row 0"),
        (in_partitions(0 * weights_of(MIXED), 3), "fewer than two rows"),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights, words):
    with pytest.raises(SoftlearnError, match=words):
        SoftLearn().fit(in_partitions(MIXED, 3), sample_weight=weights)


def test_what_is_no_table_is_refused():
    with pytest.raises(TableError, match="DataFrame or a 2-D Array, not a Series"):
        SoftLearn().fit(in_partitions(MIXED["x"], 2))
    with pytest.raises(TableError, match="2 dimensions"):
        SoftLearn().fit(da.ones(5))


FEATURES, TARGET = MIXED.drop(columns="yes"), MIXED["yes"]
WEIGHTS = pd.Series(np.arange(len(MIXED)) % 3, index=MIXED.index)


@pytest.mark.parametrize("structure", ["joint", "per_class"])
@pytest.mark.parametrize("target", [TARGET, MIXED["count"] // 8, MIXED["word"].fillna("none")])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_classifier_learns_from_partitions(structure, target, weights):
    how = CircuitClassifier(structure=structure, random_state=0)
    features = MIXED.drop(columns=target.name)
    here = clone(how).fit(features, target, weights)
    parted = None if weights is None else in_partitions(weights, 3)
    there = clone(how).fit(in_partitions(features, 3), in_partitions(target, 3), parted)
    assert is_same(here, there)
    assert there.classes_.tolist() == here.classes_.tolist()
    assert there.target_name_ == here.target_name_ == target.name
    assert list(there.feature_names_in_) == list(here.feature_names_in_)
    found = there.predict_proba(in_partitions(features, 3)).compute()
    np.testing.assert_array_equal(found, here.predict_proba(features))
    named = features.assign(**{target.name: target})
    again = clone(how).fit(
        in_partitions(named, 2), target.name, None if weights is None else in_partitions(weights, 2)
    )
    assert is_same(here, again)


def test_a_classifier_learns_from_arrays():
    table, target = FEATURES[["x", "count"]].to_numpy(float), TARGET.to_numpy()
    here = CircuitClassifier(random_state=0).fit(table, target)
    there = CircuitClassifier(random_state=0).fit(
        da.from_array(table, chunks=(70, 1)), da.from_array(target, chunks=70)
    )
    assert is_same(here, there)
    assert there.target_name_ == "target"
    assert not hasattr(there, "feature_names_in_")


def test_columns_beside_the_table_have_its_partitions_also_if_dask_would_read_several_at_once(
    tmp_path,
):
    table = MIXED.assign(weight=WEIGHTS)
    for i in range(4):
        table.iloc[75 * i : 75 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    files = dd.read_parquet(tmp_path)
    read = files.compute()
    weights = read.pop("weight")
    here = SoftLearn(random_state=0).fit(read, sample_weight=weights)
    assert is_same(here, SoftLearn(random_state=0).fit(files, sample_weight="weight"))
    target = read.pop("yes")
    here = CircuitClassifier(random_state=0).fit(read, target, weights)
    assert is_same(here, CircuitClassifier(random_state=0).fit(files, "yes", "weight"))


def test_classes_without_weight_are_none_and_those_of_few_rows_count():
    target = pd.Series(["a", "b"] * (len(MIXED) // 2), index=MIXED.index)
    target.iloc[[3, 7]] = ["none", "rare"]
    weights = pd.Series(np.where(target == "none", 0.0, 1.0), index=MIXED.index)
    how = CircuitClassifier(structure="per_class", random_state=0)
    here = clone(how).fit(FEATURES, target, weights)
    parts = [in_partitions(one, 7) for one in (FEATURES, target, weights)]
    there = clone(how).fit(*parts)
    assert is_same(here, there)
    assert there.classes_.tolist() == ["a", "b", "rare"]
    joint = [
        CircuitClassifier(random_state=0).fit(*own) for own in ((FEATURES, target, weights), parts)
    ]
    assert is_same(*joint)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, "requires y"),
        ("yess", "y: the table has no column 'yess'"),
        (TARGET, "y of a Dask table must be a Dask Series"),
        (in_partitions(TARGET, 2), "y has 2 partitions and the table 3"),
        (in_partitions(MIXED["x"].fillna(0.5), 3), r"partition \d: y must hold one class per row"),
    ],
)
def test_targets_that_do_not_fit_are_refused(target, words):
    with pytest.raises(SoftlearnError, match=words):
        CircuitClassifier().fit(in_partitions(FEATURES, 3), target)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_detector_learns_from_partitions(weights, monkeypatch):
    monkeypatch.setattr(outliers, "USUAL_ROWS", 40)
    here = CircuitOutlierDetector(random_state=0).fit(MIXED, sample_weight=weights)
    for n in (1, 3, 7):
        parted = None if weights is None else in_partitions(weights, n)
        there = CircuitOutlierDetector(random_state=0)
        there.fit(in_partitions(MIXED, n), sample_weight=parted)
        assert is_same(here, there)
        assert there.offset_ == here.offset_
        np.testing.assert_array_equal(there.usual_surprise_, here.usual_surprise_)
        assert list(there.feature_names_in_) == list(here.feature_names_in_)


def test_searches_need_the_rows_and_say_so():
    with pytest.raises(TableError, match="AutoCircuit does not learn from Dask tables"):
        AutoCircuit().fit(in_partitions(MIXED, 2))


def test_an_imputer_learns_from_partitions():
    here = CircuitImputer(random_state=0).fit(MIXED)
    there = CircuitImputer(random_state=0).fit(in_partitions(MIXED, 3))
    assert is_same(here, there)
    filled = there.transform(in_partitions(MIXED, 3)).compute()
    pd.testing.assert_frame_equal(filled, here.transform(MIXED))


def test_the_schema_does_not_depend_on_the_cut():
    expected = infer_schema(MIXED, weights=weights_of(MIXED).to_numpy()).to_dict()
    for n in (1, 2, 7, 60):
        rows = partitions_of(in_partitions(MIXED, n), in_partitions(weights_of(MIXED), n))
        assert schema_over(rows).to_dict() == expected


@pytest.mark.slow
def test_the_schema_of_very_many_numbers_does_not_depend_on_the_cut():
    rng = np.random.default_rng(0)
    n = 100_000
    frame = pd.DataFrame({"x": rng.normal(size=n), "price": rng.lognormal(5.0, 1.0, n).round(4)})
    frame.loc[rng.random(n) < 0.1, "price"] = 99.99
    assert frame.nunique().min() > MOST_VALUES
    expected = infer_schema(in_partitions(frame, 1).compute()).to_dict()
    for cut in (1, 2, 7):
        found = schema_over(partitions_of(in_partitions(frame, cut)))
        assert found.to_dict() == expected
    shuffled = frame.sample(frac=1.0, random_state=0)
    assert schema_over(partitions_of(in_partitions(shuffled, 3))).to_dict() == expected


def test_tables_in_memory_need_no_dask():
    code = (
        "import sys, numpy as np; from softlearn import SoftLearn; "
        "learnt = SoftLearn(random_state=0).fit(np.arange(40.0).reshape(20, 2)); "
        "learnt.score_samples(np.ones((2, 2))); learnt.impute(np.ones((2, 2))); "
        "print('dask' in sys.modules)"
    )
    assert run_fresh(code) == "False"
