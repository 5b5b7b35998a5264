"""EM: laws that hold for any circuit, answers known in closed form, stopping and interrupts."""

import numpy as np
import pytest

from random_circuits import random_circuit
from softlearn.circuit import Categorical, Gaussian, Product, Sum, flatten
from softlearn.learn import Block, Engine
from softlearn.learn.em import Rows, Schedule, score_of, train
from softlearn.learn.held_out import different_rows, hold_out
from softlearn.learn.m_step import PseudoRows
from softlearn.query import Evidence, flows, log_likelihood, sample
from softlearn.table.schema import Column, Schema

SEED = np.random.SeedSequence(0)


def run(circuit, block, *, valid=None, pseudo=None, engine=None, **schedule):
    pseudo = PseudoRows.none(circuit.schema) if pseudo is None else pseudo
    schedule = Schedule(**{"tolerance": 0.0, **schedule})
    return train(
        circuit, Rows(block, valid), pseudo, schedule, seed=SEED, engine=engine or Engine()
    )


def case(seed, *, share=0.5, n_rows=300, n_discrete=3, n_numeric=3):
    """A circuit of all families, and rows of another one with gaps and weights."""
    rng = np.random.default_rng(seed)
    truth = random_circuit(rng, n_discrete, n_numeric, depth=3, share=share, zeros=0.0)
    drawn = sample(truth, n_rows, rng)
    drawn[rng.random(drawn.shape) < 0.2] = np.nan
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], n_rows)
    return truth, Block(drawn, weights)


def mixture(k=3, seed=0):
    """A mixture of products over a number and two columns with levels, and rows from another."""
    rng = np.random.default_rng(seed)

    def made():
        parts = [
            Product(
                (
                    Gaussian("x", rng.normal(0, 3), rng.uniform(0.5, 2)),
                    Categorical("a", dict(enumerate(rng.dirichlet(np.ones(3))))),
                    Categorical("b", dict(enumerate(rng.dirichlet(np.ones(4))))),
                )
            )
            for _ in range(k)
        ]
        return flatten(Sum(tuple(rng.dirichlet(np.ones(k))), tuple(parts)))

    truth, start = made(), made()
    return (
        start,
        Block(sample(truth, 500, rng), np.ones(500)),
        Block(sample(truth, 500, rng), np.ones(500)),
    )


@pytest.mark.parametrize("share", [0.0, 0.6])
@pytest.mark.parametrize("seed", range(6))
def test_training_rows_become_more_likely_with_every_pass(seed, share):
    circuit, block = case(seed, share=share)
    found = run(circuit, block, max_iter=12)
    scores = np.array(found.train)
    assert (np.diff(scores[:, 1]) > -1e-9).all()
    assert scores[-1, 1] > scores[0, 1]
    assert score_of(found.circuit, block) == pytest.approx(found.train[-1])


def test_the_families_of_these_circuits_are_all_there_are():
    names = {name for seed in range(6) for name in np.unique(case(seed)[0].leaf_family).tolist()}
    assert names == {0, 1, 2, 3}


def test_independent_columns_are_fitted_in_one_pass():
    rng = np.random.default_rng(0)
    circuit = flatten(Product((Gaussian("x", 5, 9), Categorical("a", {0: 0.9, 1: 0.1}))))
    values = np.stack([rng.normal(2, 3, 200), rng.integers(0, 2, 200)]).astype(float)
    values = values if circuit.schema.names[0] == "x" else values[::-1].copy()
    values[0, :50] = np.nan
    weights = rng.random(200)
    found = run(circuit, Block(values, weights), max_iter=1).circuit
    x, w = values[0, 50:], weights[50:]
    mean = np.average(x, weights=w)
    deviation = np.sqrt(np.average((x - mean) ** 2, weights=w))
    share = weights[values[1] == 0].sum() / weights.sum()
    np.testing.assert_allclose(found.params, [share, 1 - share, mean, deviation], rtol=1e-12)


def test_one_pass_of_a_mixture_is_the_textbooks():
    circuit, block, _ = mixture()
    after = run(circuit, block, max_iter=1).circuit
    parts = [flows(circuit, Evidence(block.values[:, [i]])).edge for i in range(500)]
    top = slice(circuit.edge_start[circuit.root], None)
    share = np.array(parts)[:, top]  # (rows, components)
    np.testing.assert_allclose(after.weight[top], share.mean(axis=0), rtol=1e-9)
    codes = block.values[circuit.schema.names.index("a")]
    own = circuit.child[circuit.edge_start[circuit.child[top][0]] :][:3]
    leaf = next(i for i in own if circuit.schema.columns[circuit.leaf_column[i]].name == "a")
    expected = np.bincount(codes.astype(int), share[:, 0]) / share[:, 0].sum()
    found = after.params[after.param_start[leaf] : after.param_start[leaf + 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_weight_counts_like_so_many_rows():
    circuit, block, _ = mixture()
    counts = np.random.default_rng(1).integers(0, 4, 500)
    one = run(circuit, Block(block.values, counts.astype(float)), max_iter=5).circuit
    other = run(
        circuit, Block(np.repeat(block.values, counts, axis=1), np.ones(counts.sum())), max_iter=5
    ).circuit
    np.testing.assert_allclose(one.weight, other.weight, rtol=1e-9)
    np.testing.assert_allclose(one.params, other.params, rtol=1e-9)


def test_what_no_row_reaches_stays_as_it_is():
    circuit, block, _ = mixture()
    values = block.values.copy()
    values[circuit.schema.names.index("b")] = np.nan
    found = run(circuit, Block(values, block.weights), max_iter=3).circuit
    of_b = np.repeat(
        circuit.leaf_column == circuit.schema.names.index("b"), np.diff(circuit.param_start)
    )
    np.testing.assert_array_equal(found.params[of_b], circuit.params[of_b])
    assert (found.params[~of_b] != circuit.params[~of_b]).all()


def test_impossible_rows_are_left_out_until_they_are_possible():
    circuit = flatten(Categorical("a", {0: 1.0, 1: 0.0}))
    block = Block(np.array([[0.0, 0.0, 1.0]]), np.ones(3))
    plain = run(circuit, block, max_iter=2)
    assert plain.train[-1] == (-1.0, 0.0)
    pseudo = PseudoRows.like(block, circuit.schema, [np.array([0.5, 0.5])], of_sum=0.0, of_leaf=1.0)
    assert run(circuit, block, pseudo=pseudo, max_iter=2).train[-1].impossible == 0.0


def test_pseudo_rows_are_counted_in_sums_and_leaves():
    schema = Schema((Column("x", "numeric"), Column("a", "categorical", ("u", "v"))))
    parts = [
        Product((Gaussian("x", mean, 1), Categorical("a", {"u": 0.5, "v": 0.5})))
        for mean in (-50, 50)
    ]
    circuit = flatten(Sum((0.5, 0.5), tuple(parts)), schema)
    block = Block(np.array([[-51.0, -49.0, 50.0], [0.0, 0.0, 1.0]]), np.ones(3))
    levels = [np.zeros(0), np.array([2.0, 1.0])]
    pseudo = PseudoRows.like(block, schema, levels, of_sum=4.0, of_leaf=2.0)
    found = run(circuit, block, pseudo=pseudo, max_iter=1).circuit
    np.testing.assert_allclose(found.weight[-2:], [4 / 7, 3 / 7])
    x = block.values[0]
    leaf = found.params[4:6]  # the first Gaussian: two rows of its own, two like the column
    np.testing.assert_allclose(leaf[0], (-100 + 2 * x.mean()) / 4)
    second = (51**2 + 49**2 + 2 * (x.var() + x.mean() ** 2)) / 4
    np.testing.assert_allclose(leaf[1], np.sqrt(second - leaf[0] ** 2))
    np.testing.assert_allclose(found.params[:4], [4 / 5, 1 / 5, 2 / 4, 2 / 4])


@pytest.mark.parametrize("batch_rows", [None, 50])
def test_held_out_rows_are_never_less_likely_than_before(batch_rows):
    for seed in range(5):
        circuit, block = case(seed, n_rows=60)
        _, valid = case(seed, n_rows=200)
        found = run(circuit, block, valid=valid, max_iter=15, batch_rows=batch_rows)
        before, after = score_of(circuit, valid), score_of(found.circuit, valid)
        assert after >= before
        assert after == max(found.valid)


def test_a_circuit_that_cannot_become_better_is_kept():
    rng = np.random.default_rng(0)
    circuit, _, _ = mixture()
    valid = Block(sample(circuit, 2000, rng), np.ones(2000))
    block = Block(valid.values[:, :5], np.ones(5))
    found = run(circuit, block, valid=valid, max_iter=10, patience=3)
    assert found.circuit is circuit
    assert len(found.valid) == 4  # the start, and three without a gain


def test_batches_learn_as_much_and_the_same_each_time():
    circuit, block, _ = mixture()
    whole = run(circuit, block, max_iter=30).circuit
    found = [run(circuit, block, max_iter=15, batch_rows=100).circuit for _ in range(2)]
    np.testing.assert_array_equal(found[0].params, found[1].params)
    start, full, part = (score_of(one, block).mean for one in (circuit, whole, found[0]))
    assert part > start + 0.8 * (full - start)


def test_batches_replace_a_share_of_the_statistics_by_their_step():
    """One leaf: all rows flow through it, whatever its parameters are."""
    circuit = flatten(Gaussian("x", 100.0, 1.0))
    x = np.concatenate([np.full(50, 1.0), np.full(50, 3.0)]) + np.tile([-0.5, 0.5], 50)
    block = Block(x[None, :], np.ones(100))
    found = run(circuit, block, max_iter=1, batch_rows=50).circuit
    batches = [Block(x[None, part], np.ones(50)) for part in (slice(0, 50), slice(50, 100))]
    assert len(batches) == 2
    # After the first batch, a share of what is remembered of all rows is replaced by the batch.
    order = np.random.default_rng(SEED).permutation(100)
    step, batch = 2.0**-0.6, x[order[:50]]
    mean = (1 - step) * x.mean() + step * batch.mean()
    second = (1 - step) * (x**2).mean() + step * (batch**2).mean()
    np.testing.assert_allclose(found.params, [mean, np.sqrt(second - mean**2)], rtol=1e-9)


def test_heavy_rows_have_a_part_in_every_batch():
    """Without, the batch of the heaviest row forgets all others."""
    circuit = flatten(Categorical("a", {0: 0.5, 1: 0.5}))
    values = np.array([[0.0] + [1.0] * 99])
    block = Block(values, np.array([900.0] + [1.0] * 99))
    found = run(circuit, block, max_iter=3, batch_rows=20).circuit
    np.testing.assert_allclose(found.params[0], 900 / 999, atol=0.01)


def interrupted(after):
    calls = []

    def watch(progress):
        calls.append(progress.share)
        if len(calls) == after:
            raise KeyboardInterrupt

    return watch


def test_an_interrupt_keeps_the_best_circuit_or_ends_it_all():
    circuit, block, valid = mixture()
    engine = Engine(watch=interrupted(3), keep_partial=True)
    found = run(circuit, block, valid=valid, max_iter=20, engine=engine)
    assert len(found.valid) == 3
    assert score_of(found.circuit, valid) == max(found.valid)
    with pytest.raises(KeyboardInterrupt):
        run(circuit, block, max_iter=20, engine=Engine(watch=interrupted(3)))


def test_it_reports_how_far_it_is():
    circuit, block, _ = mixture()
    seen = []
    run(circuit, block, max_iter=4, engine=Engine(watch=lambda p: seen.append(p.share)))
    assert seen == [0.2, 0.4, 0.6, 0.8, 1.0, 1.0]


def test_threads_do_not_change_the_result():
    circuit, block, _ = mixture()
    one, two = (run(circuit, block, max_iter=5, engine=Engine(n_jobs=n)).circuit for n in (1, 2))
    np.testing.assert_array_equal(one.params, two.params)


def test_rows_are_held_out_by_their_weight():
    rng = np.random.default_rng(0)
    block = Block(np.arange(400.0)[None, :], rng.integers(1, 50, 400) + 0.5)
    kept, held = hold_out(block, 0.2, rng)
    np.testing.assert_allclose(kept.weights + held.weights, block.weights)
    assert held.weights.sum() / block.weights.sum() == pytest.approx(0.2, abs=0.02)
    assert hold_out(Block(block.values[:, :5], np.ones(5)), 0.5, rng)[1] is None


def test_different_rows_come_once_in_any_order():
    rng = np.random.default_rng(0)
    values, weights = rng.integers(0, 2, (3, 100)).astype(float), rng.integers(0, 3, 100) * 1.0
    order = rng.permutation(100)
    one = different_rows(Block(values, weights))
    other = different_rows(Block(values[:, order], weights[order]))
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert one.values.shape == (3, 8)
    start = flatten(Product(tuple(Categorical(f"c{i}", {0: 0.5, 1: 0.5}) for i in range(3))))
    logs = log_likelihood(start, Evidence(one.values))
    np.testing.assert_allclose(logs, 3 * np.log(0.5))
