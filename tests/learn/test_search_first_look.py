"""Which kinds of circuits go on from the first look."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from learn.table_examples import schema_of
from softlearn.learn.blocks import Block
from softlearn.learn.em import score_of_logs
from softlearn.learn.search.first_look import Kind, best_kinds
from softlearn.learn.search.trial import Candidate, Fitted, Trial

ROWS = Block(np.zeros((2, 50)), np.ones(50))


def kind(name: str, score: float, seconds: float = 0.01) -> Kind:
    candidate = Candidate(name, {}, name)
    trial = Trial(stage="search", candidate=candidate, n_rows=50, score=score, seconds=seconds)
    fit = Fitted(trial, None, np.full(50, score), np.random.SeedSequence(0))
    return Kind([candidate], [fit], ROWS)


def kept(*kinds: Kind) -> list[str]:
    bench = SimpleNamespace(
        schema=schema_of("bb"),
        valid=ROWS,
        score=lambda fit: score_of_logs(fit.logs, ROWS.weights),
    )
    return [one.candidates[0].learner for one in best_kinds(bench, kinds, quick=1.0)]


def test_a_fast_kind_that_is_a_little_behind_may_be_better_with_more_rows():
    assert kept(kind("good", -3.0), kind("behind", -3.15)) == ["good", "behind"]


def test_a_kind_that_is_far_behind_in_every_column_is_given_up():
    assert kept(kind("good", -3.0), kind("hopeless", -13.0)) == ["good"]


def test_a_slow_kind_without_weight_in_the_mixture_is_given_up():
    assert kept(kind("good", -3.0), kind("slow", -3.19, seconds=10.0)) == ["good", "slow"]
    assert kept(kind("good", -3.0), kind("slow", -9.0, seconds=10.0)) == ["good"]
