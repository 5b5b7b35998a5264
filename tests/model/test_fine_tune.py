"""Fine-tuning: a new model that is never worse on the rows held out."""

import numpy as np
import pytest

from softlearn import LearnSPN, Model, SoftLearn
from softlearn.circuit import Categorical, Gaussian
from softlearn.errors import SoftlearnError
from softlearn.learn import Block, Engine
from softlearn.learn.em import Rows, Schedule, train
from softlearn.learn.m_step import PseudoRows
from softlearn.table import encode


def table(n_rows, seed=0):
    """Three groups over columns that are numbers, counts and levels."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n_rows)
    numbers = rng.normal(np.array([-4.0, 0.0, 5.0])[group], 1.0)
    skewed = np.exp(rng.normal(np.array([0.0, 1.0, 2.0])[group], 0.5))
    flags = rng.random((2, n_rows)) < np.array([0.1, 0.5, 0.9])[group]
    return np.stack([numbers, skewed, *flags], axis=1)


@pytest.mark.parametrize("learner", [SoftLearn, LearnSPN])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_rows_held_out_are_never_less_likely(learner, missing):
    rows, held = table(600), table(600, seed=1)
    rows[np.random.default_rng(2).random(rows.shape) < missing] = np.nan
    model = learner(random_state=0, max_depth=2).fit(rows).model_
    before = model.score(held)
    tuned = model.fine_tune(rows, held, max_iter=10)
    assert tuned.score(held) >= before
    assert model.score(held) == before
    assert tuned.circuit.structure is model.circuit.structure


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_rows_of_a_grown_circuit_become_likelier_with_every_pass(missing):
    """Without pseudo-rows: these count beside the rows, and need not agree with them."""
    rows = table(600)
    rows[np.random.default_rng(2).random(rows.shape) < missing] = np.nan
    model = SoftLearn(random_state=0, max_depth=2).fit(rows).model_
    scores = [model.fine_tune(rows, rows, max_iter=n, smoothing=0.0).score(rows) for n in range(6)]
    assert scores[0] == pytest.approx(model.score(rows))
    assert (np.diff(scores) > -1e-9).all()
    assert scores[-1] > scores[0]
    block = Block(encode(rows, model.schema), np.ones(600))
    pseudo = PseudoRows.none(model.schema)
    passes = train(
        model.circuit,
        Rows(block),
        pseudo,
        Schedule(max_iter=6),
        seed=np.random.SeedSequence(0),
        engine=Engine(),
    ).train
    assert (np.diff([one.mean for one in passes]) > -1e-9).all()


def test_a_model_by_hand_learns_its_numbers():
    hand = 0.5 * Gaussian("0", -1, 3) * Categorical("2", {0: 0.5, 1: 0.5})
    hand = hand + 0.5 * Gaussian("0", 1, 3) * Categorical("2", {0: 0.4, 1: 0.6})
    model = Model(hand)
    rows = table(2000)[:, [0, 2]]
    tuned = model.fine_tune(rows, max_iter=100, random_state=0)
    assert tuned.score(rows) > model.score(rows) + 0.3
    assert tuned.probability({"2": 1}, given={"0": 5.0}) > 0.8


def test_weights_count_and_the_same_seed_gives_the_same_model():
    rows = table(400)
    model = SoftLearn(random_state=0, max_depth=1).fit(rows).model_
    weights = np.random.default_rng(0).integers(0, 3, 400)
    one = model.fine_tune(rows, rows, sample_weight=weights)
    other = model.fine_tune(np.repeat(rows, weights, axis=0), rows)
    np.testing.assert_allclose(one.circuit.params, other.circuit.params)
    seeds = [model.fine_tune(rows, random_state=3).circuit.params for _ in range(2)]
    np.testing.assert_array_equal(*seeds)


def test_wrong_arguments_are_refused():
    rows = table(50)
    model = SoftLearn(random_state=0).fit(rows).model_
    for wrong in ({"max_iter": -1}, {"batch_rows": 0}, {"smoothing": -0.5}):
        with pytest.raises(SoftlearnError, match=next(iter(wrong))):
            model.fine_tune(rows, **wrong)
    with pytest.raises(SoftlearnError, match="rows need as many weights"):
        model.fine_tune(rows, sample_weight=np.ones(3))
    with pytest.raises(SoftlearnError, match="valid has no rows"):
        model.fine_tune(rows, rows[:0])
    with pytest.raises(SoftlearnError, match="two rows"):
        model.fine_tune(rows[:1])


@pytest.mark.parametrize("learner", [SoftLearn, LearnSPN])
def test_growers_can_fine_tune_what_they_grow(learner):
    rows, held = table(1500), table(1500, seed=1)
    plain = learner(random_state=0, max_depth=1, clustering="kmeans").fit(rows)
    tuned = learner(random_state=0, max_depth=1, clustering="kmeans", fine_tune=30).fit(rows)
    assert tuned.score(held) > plain.score(held)
    few = learner(random_state=0, fine_tune=30).fit(rows[:100])
    assert np.isfinite(few.score(held))
