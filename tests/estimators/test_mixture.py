"""A mixture of circuits is one circuit, and its density the mean of theirs."""

from __future__ import annotations

import numpy as np
import pytest

from estimators.people import people
from softlearn import CircuitMixture, LearnSPN, SoftLearn, SoftlearnError, infer_schema
from softlearn.circuit import SUM, validate

FRAME = people()


def blobs(n_rows=300, seed=0):
    """Enough clusters for different seeds to find different ones."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(9).normal(scale=3.0, size=(6, 5))
    return centres[rng.integers(6, size=n_rows)] + rng.normal(size=(n_rows, 5))


@pytest.mark.parametrize("bootstrap", [False, True])
def test_the_density_is_the_mean_of_the_members(bootstrap):
    learnt = CircuitMixture(n_estimators=4, bootstrap=bootstrap, random_state=0).fit(FRAME)
    each = np.exp([member.score_samples(FRAME) for member in learnt.estimators_])
    assert np.exp(learnt.score_samples(FRAME)) == pytest.approx(each.mean(axis=0), rel=1e-12)
    validate(learnt.model_.circuit)
    assert learnt.model_.circuit.kind[-1] == SUM


def test_members_have_seeds_of_their_own():
    learnt = CircuitMixture(n_estimators=3, random_state=0).fit(blobs())
    assert len({member.random_state for member in learnt.estimators_}) == 3
    assert len({member.score(blobs()) for member in learnt.estimators_}) == 3


def test_a_mixture_is_better_than_its_members_on_average():
    learnt = CircuitMixture(n_estimators=5, random_state=0).fit(blobs())
    other = blobs(seed=1)
    assert learnt.score(other) > np.mean([member.score(other) for member in learnt.estimators_])


def test_the_number_of_jobs_changes_no_byte(tmp_path):
    files = []
    for n_jobs in (None, 1, 2):
        learnt = CircuitMixture(n_estimators=3, random_state=1, n_jobs=n_jobs).fit(blobs())
        learnt.save(tmp_path / str(n_jobs))
        files.append((tmp_path / str(n_jobs)).read_bytes())
    assert files[0] == files[1] == files[2]


def test_bootstrap_draws_other_rows_for_each_member():
    inner = SoftLearn(n_clusters=1)
    plain = CircuitMixture(inner, n_estimators=3, random_state=0).fit(FRAME)
    drawn = CircuitMixture(inner, n_estimators=3, bootstrap=True, random_state=0).fit(FRAME)
    assert len({member.score(FRAME) for member in plain.estimators_}) == 1
    assert len({member.score(FRAME) for member in drawn.estimators_}) == 3


def test_bootstrap_leaves_rows_of_weight_zero_out():
    weights = np.where(FRAME["age"] > 37, 0.0, 1.0)
    learnt = CircuitMixture(n_estimators=2, bootstrap=True, random_state=0)
    learnt.fit(FRAME, sample_weight=weights)
    assert learnt.expectation("age") < 37


def test_it_is_built_on_any_learner_and_leaves_it_alone():
    inner = LearnSPN(random_state=5)
    learnt = CircuitMixture(inner, n_estimators=2, random_state=0).fit(FRAME)
    assert all(isinstance(member, LearnSPN) for member in learnt.estimators_)
    assert inner.get_params() == LearnSPN(random_state=5).get_params()


def test_one_member_is_that_member():
    learnt = CircuitMixture(n_estimators=1, random_state=0).fit(FRAME)
    (member,) = learnt.estimators_
    assert learnt.model_.circuit.n_nodes == member.model_.circuit.n_nodes


def test_mixtures_mix():
    inner = CircuitMixture(n_estimators=2)
    learnt = CircuitMixture(inner, n_estimators=2, random_state=0).fit(FRAME)
    each = np.exp([member.score_samples(FRAME) for member in learnt.estimators_])
    assert np.exp(learnt.score_samples(FRAME)) == pytest.approx(each.mean(axis=0))


@pytest.mark.parametrize("where", ["mixture", "learner"])
def test_kinds_are_told_to_the_mixture_or_to_its_learner(where):
    told = {"age": "numeric"}
    inner = SoftLearn(schema=told if where == "learner" else None)
    learnt = CircuitMixture(
        inner, n_estimators=2, schema=told if where == "mixture" else None, random_state=0
    ).fit(FRAME)
    assert learnt.schema_ == infer_schema(FRAME, overrides=told) == learnt.model_.schema


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be a whole number, 1 or more, not 0"),
        ({"bootstrap": "yes"}, "bootstrap must be True or False, not 'yes'"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_wrong_choices_are_refused(choices, message):
    with pytest.raises(SoftlearnError, match=message):
        CircuitMixture(**choices).fit(FRAME)
