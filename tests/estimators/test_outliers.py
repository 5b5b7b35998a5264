"""Outliers are the rows of lowest density, a stated share of them, and it is said why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from estimators.people import LIBRARIES, people
from softlearn import CircuitOutlierDetector, LearnSPN, SoftLearn, SoftlearnError
from softlearn.estimators.outliers import CAUTIOUS
from softlearn.query import Evidence, log_likelihood
from softlearn.query.coding import log_base
from softlearn.table import encode

FRAME = people()


@pytest.fixture(scope="module")
def learnt():
    return CircuitOutlierDetector(random_state=0).fit(FRAME)


@pytest.mark.parametrize("contamination", [0.02, 0.1, 0.3, 0.5])
def test_the_share_of_outliers_is_the_contamination(contamination):
    table = np.random.default_rng(0).normal(size=(200, 3))
    found = CircuitOutlierDetector(contamination=contamination, random_state=0).fit_predict(table)
    assert (found == -1).mean() == contamination
    assert set(found) == {-1, 1}


def test_the_share_is_by_weight():
    table = np.random.default_rng(0).normal(size=(100, 2))
    weights = np.where(np.abs(table).sum(axis=1) < 1.5, 3.0, 1.0)  # usual rows weigh more
    inner = SoftLearn(random_state=0)
    learnt = CircuitOutlierDetector(inner).fit(table, sample_weight=weights)
    repeated = CircuitOutlierDetector(inner).fit(np.repeat(table, weights.astype(int), axis=0))
    assert learnt.offset_ == repeated.offset_
    assert weights[learnt.predict(table) == -1].sum() == np.floor(0.1 * weights.sum())
    assert learnt.usual_surprise_ == pytest.approx(repeated.usual_surprise_)


def test_scores_decisions_and_predictions_agree(learnt):
    scores = learnt.score_samples(FRAME)
    evidence = Evidence(encode(FRAME, learnt.model_.schema))
    written = log_base(learnt.model_.schema, evidence)
    assert np.ptp(written) > 0.0
    assert np.array_equal(scores, learnt.model_.score_samples(FRAME) - written)
    assert np.array_equal(learnt.decision_function(FRAME), scores - learnt.offset_)
    assert np.array_equal(learnt.predict(FRAME) == -1, scores < learnt.offset_)


def test_how_finely_a_number_is_written_does_not_make_it_odd():
    """Densities of numbers in thousandths are larger; how odd a row is stays as it is."""
    frame = FRAME[["speed", "member"]].dropna()
    other = frame.assign(speed=frame["speed"] / 1024.0)
    learnt, again = (CircuitOutlierDetector(random_state=0).fit(one) for one in (frame, other))
    densities = learnt.model_.score_samples(frame) - again.model_.score_samples(other)
    assert np.abs(densities).min() > 1.0
    assert again.score_samples(other) == pytest.approx(learnt.score_samples(frame))


def test_the_oddest_rows_are_found(learnt):
    odd = FRAME.head(5).assign(age=[200, 25, 25, 25, 25], speed=[1.0, 90.0, -90.0, 2.0, 2.0])
    assert learnt.predict(odd).tolist()[:3] == [-1, -1, -1]


def test_a_level_never_seen_is_an_outlier(learnt):
    rows = FRAME.head(2).assign(sport=["swim", "row"])
    assert np.isneginf(learnt.score_samples(rows)).tolist() == [True, False]
    assert learnt.predict(rows)[0] == -1
    assert learnt.explain(rows)["sport"].tolist()[0] == np.inf


def test_a_contribution_is_the_surprise_given_the_other_cells(learnt):
    """Each from a question of its own: log P(row without the cell) − log P(row)."""
    rows = FRAME.dropna().head(5)
    values = encode(rows, learnt.model_.schema)
    circuit = learnt.model_.circuit
    found = learnt.explain(rows)
    for row in range(5):
        whole = log_likelihood(circuit, Evidence(values[:, [row]]))[0]
        for position, name in enumerate(FRAME):
            rest = values[:, [row]].copy()
            rest[position] = np.nan
            surprise = log_likelihood(circuit, Evidence(rest))[0] - whole
            expected = surprise - learnt.usual_surprise_[position]
            assert found[name].iloc[row] == pytest.approx(expected)


def test_the_training_rows_are_as_surprising_as_usual(learnt):
    told = learnt.explain(FRAME).where(FRAME.notna())
    assert told.mean().to_numpy() == pytest.approx(np.zeros(4), abs=1e-9)


def test_missing_cells_are_not_to_blame(learnt):
    told = learnt.explain(FRAME)
    assert (told.to_numpy()[FRAME.isna().to_numpy()] == 0.0).all()
    assert told.notna().all(axis=None)


def test_the_odd_cell_is_named(learnt):
    rows = FRAME.dropna().head(4).reset_index(drop=True).astype({"age": float})
    rows.loc[0, "age"], rows.loc[1, "speed"] = 120.0, 40.0
    told = learnt.explain(rows)
    assert told.iloc[0].idxmax() == "age"
    assert told.iloc[1].idxmax() == "speed"


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_make_no_difference(learnt, scale):
    other = FRAME.assign(speed=FRAME["speed"] * scale)
    told = CircuitOutlierDetector(random_state=0).fit(other).explain(other)
    assert told.to_numpy() == pytest.approx(learnt.explain(FRAME).to_numpy(), abs=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
def test_explanations_are_the_kind_of_frame_that_was_given(learnt, library):
    frame = LIBRARIES[library](FRAME)
    told = learnt.explain(frame)
    assert type(told) is type(frame)
    assert told.shape == frame.shape


def test_explanations_keep_order_and_index(learnt):
    turned = FRAME[["member", "age", "sport", "speed"]].set_axis(np.arange(150) * 2, axis=0)
    told = learnt.explain(turned)
    assert list(told.columns) == list(turned.columns)
    assert told.index.equals(turned.index)
    assert np.array_equal(told["age"], learnt.explain(FRAME)["age"])


def test_columns_that_are_numbers_stay_numbers():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=[4, 2])
    told = CircuitOutlierDetector(random_state=0).fit(frame).explain(frame)
    assert told.columns.tolist() == [4, 2]


def test_a_row_that_nothing_can_save_is_told_as_unknown():
    table = np.array([["a", "a", "a"], ["b", "b", "b"]] * 30)
    inner = SoftLearn(smoothing=0.0, random_state=0)
    learnt = CircuitOutlierDetector(inner).fit(table)
    told = learnt.explain(np.array([["a", "a", "b"], ["a", "b", "c"]]))
    assert told[0].tolist()[2] == np.inf
    assert np.isnan(told[0][:2]).all()
    assert told[1][2] == np.inf


def test_it_is_built_on_any_learner():
    found = CircuitOutlierDetector(LearnSPN(random_state=0), contamination=0.2).fit_predict(FRAME)
    assert (found == -1).mean() == pytest.approx(0.2)


@pytest.mark.parametrize("contamination", [0.0, 0.51, -0.1, "auto", np.nan])
def test_a_wrong_contamination_is_refused(contamination):
    with pytest.raises(SoftlearnError, match=r"contamination must be a number above 0, at most"):
        CircuitOutlierDetector(contamination=contamination).fit(FRAME)


def test_the_usual_learner_splits_less_and_a_chosen_one_is_left_as_it_is(learnt):
    assert learnt.estimator_.get_params() == SoftLearn(random_state=0, **CAUTIOUS).get_params()
    same = SoftLearn(random_state=0, **CAUTIOUS).fit(FRAME)
    assert np.array_equal(learnt.model_.score_samples(FRAME), same.score_samples(FRAME))
    chosen = CircuitOutlierDetector(SoftLearn(), random_state=0).fit(FRAME)
    assert chosen.estimator_.get_params() == SoftLearn(random_state=0).get_params()
    assert chosen.model_.circuit.n_nodes > learnt.model_.circuit.n_nodes
