"""Learners compared on one table: judged by the same rows, and none ends the others."""

import numpy as np
import pandas as pd
import pytest

from softlearn import HCLT, LearnPSDD, compare
from softlearn.errors import SoftlearnError
from softlearn.estimators import estimator_named


def people(n=400):
    rng = np.random.default_rng(0)
    old = rng.random(n) < 0.4
    return pd.DataFrame(
        {
            "old": old,
            "car": np.where(rng.random(n) < 0.2 + 0.6 * old, "yes", "no"),
            "income": np.round(rng.normal(20 + 15 * old, 4.0), 1),
        }
    )


def test_scores_are_those_of_rows_that_were_not_learnt_from():
    table = people()
    train, rest = table[:300], table[300:]
    found = compare(train, ["chowliutree", "learnspn"], valid=rest, random_state=3)
    for one in found.results:
        scores = one.model.score_samples(rest)
        assert one.held_out == pytest.approx(scores.mean())
        assert one.error == pytest.approx(scores.std(ddof=1) / 10.0)
        assert one.train == pytest.approx(one.model.score(train))
        assert one.fit_seconds > 0.0
        assert one.query_seconds > 0.0
        assert (one.nodes, one.edges) == (one.model.circuit.n_nodes, one.model.circuit.n_edges)


def test_a_share_is_held_out_and_the_same_rows_judge_all():
    table = people()
    table["car"] = "no"
    table.loc[:19, "car"] = "yes"
    found = compare(table, ["chowliutree", "chowliutree"], valid=0.25, random_state=1)
    assert found.held_out_rows == 100
    first, second = found.results
    assert first.held_out == second.held_out
    whole = estimator_named("chowliutree")(random_state=0).fit(table).model_
    assert first.model.circuit.params.tolist() != whole.circuit.params.tolist()


def test_weights_count_in_learning_and_in_judging():
    table = people(200)
    weights = np.repeat([1.0, 0.0], 100)
    found = compare(table, ["chowliutree"], sample_weight=weights, random_state=0)
    alone = compare(table, ["chowliutree"], valid=table[:100], sample_weight=weights)
    assert found.held_out_rows < 40
    assert alone.best.train == pytest.approx(alone.best.model.score(table[:100]))


def test_a_learner_that_cannot_take_the_table_says_why_and_is_last():
    found = compare(people(), ["learnpsdd", "chowliutree"])
    best, other = found.results
    assert (best.learner, other.learner) == ("ChowLiuTree", "LearnPSDD")
    assert "column 'income' is numeric" in other.note
    assert other.model is None
    assert np.isnan(other.held_out)
    assert "column 'income' is numeric" in repr(found)


def test_if_none_can_take_it_there_is_no_best():
    found = compare(people(), ["learnpsdd"])
    with pytest.raises(SoftlearnError, match="no learner accepts this table"):
        _ = found.best


def test_estimators_with_parameters_can_be_compared():
    table = people()[["old", "car"]]
    found = compare(table, [HCLT(n_states=2, max_iter=3), LearnPSDD(min_gain=5.0)])
    assert {one.learner for one in found.results} == {"HCLT", "LearnPSDD"}
    assert found.results[0].held_out >= found.results[1].held_out


def test_results_are_a_frame_and_a_table_of_numbers():
    found = compare(people(), ["chowliutree", "learnspn"])
    frame = found.frame()
    assert list(frame["learner"]) == [one.learner for one in found.results]
    assert "model" not in frame.columns
    assert len(repr(found).splitlines()) == 3
    assert "held out" in found._repr_html_()


def test_every_learner_is_compared_by_default_and_told():
    seen = []
    found = compare(people(60), watch=lambda *told: seen.append(told))
    assert len(found.results) == len(seen)
    assert [number for _, number, _ in seen] == list(range(1, len(seen) + 1))


def test_no_learner_at_all_is_refused():
    with pytest.raises(SoftlearnError, match="at least one learner"):
        compare(people(), [])
