"""Settings that are one step from those that paid."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from softlearn.learn.blocks import Block
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.bench import WORST
from softlearn.learn.search.bounds import Bounds, Clock
from softlearn.learn.search.ensemble import Ensemble
from softlearn.learn.search.recipes import Recipe, add_members
from softlearn.learn.search.trial import Candidate, Fitted, Trial
from softlearn.learn.search.variants import variants


def candidate(learner: str, **settings: object) -> Candidate:
    return Candidate(learner, settings, learner)


def test_each_differs_by_one_step_of_one_parameter():
    own = candidate("hclt", n_states=16, smoothing=0.3)
    found = [dict(one.settings) for one in variants(own, [own])]
    assert found == [
        {"n_states": 32, "smoothing": 0.3},
        {"n_states": 8, "smoothing": 0.3},
        {"n_states": 16, "smoothing": 1.0},
        {"n_states": 16, "smoothing": 0.1},
    ]


def test_defaults_count_as_settings():
    found = [dict(one.settings) for one in variants(candidate("hclt"), [])]
    assert {"n_states": 32} in found
    assert {"n_states": 16} not in found


def test_known_ones_are_not_repeated():
    known = [candidate("hclt", n_states=32), candidate("ratspn", n_states=8)]
    found = [dict(one.settings) for one in variants(candidate("hclt"), known)]
    assert {"n_states": 32} not in found
    assert {"n_states": 8} in found


def test_at_the_end_of_a_grid_there_is_only_one_way():
    found = variants(candidate("hclt", n_states=64), [])
    assert {"n_states": 32} in [dict(one.settings) for one in found]
    assert max(one.settings["n_states"] for one in found) == 64


def test_parameters_without_effect_stay():
    found = variants(candidate("softlearn", clustering="em", beta=40.0), [])
    assert found
    assert {one.settings["beta"] for one in found} == {40.0}


@pytest.mark.parametrize("name", LEARNERS)
def test_every_variant_can_be_learnt_with(name: str):
    for one in variants(candidate(name), []):
        assert LEARNERS[name].config(**one.settings) != LEARNERS[name].config()
        assert one.kind == name


class StubBench:
    """Fits nothing: circuits with more states explain the rows better."""

    def __init__(self, score_of: Callable[[int], float]) -> None:
        self.score_of = score_of
        self.clock = Clock(Bounds(max_fits=12))
        self.valid = Block(np.zeros((1, 4)), np.ones(4))
        self.reached = WORST
        self.ahead = None
        self.tried: list[int] = []

    def fit(self, stage, candidate, block, seed, ends, *, bootstrap):
        n_states = candidate.settings.get("n_states", 16)
        self.tried.append(n_states)
        trial = Trial(stage=stage, candidate=candidate, n_rows=4)
        logs = np.full(4, self.score_of(n_states))
        return Fitted(trial, None, logs, np.random.SeedSequence(0))

    def note(self, trial, reached):
        self.reached = reached


def learn_members(score_of: Callable[[int], float]) -> list[int]:
    bench = StubBench(score_of)
    recipes = [Recipe(candidate("hclt"), bootstrap=False, seconds=1.0)]
    add_members(Ensemble(bench), recipes, bench.valid, np.random.SeedSequence(0), 1.0)
    return bench.tried


def test_members_that_pay_lead_on_to_similar_settings():
    assert {16, 32, 64} <= set(learn_members(lambda n_states: -100.0 / n_states))


def test_members_that_do_not_pay_lead_nowhere():
    assert 64 not in learn_members(lambda n_states: -float(n_states))
