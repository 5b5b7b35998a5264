"""Weights of a mixture by EM: what makes the rows most likely."""

from __future__ import annotations

import numpy as np
import pytest

from softlearn.learn.search.weights import mixed, mixture_weights


def test_weights_make_the_rows_most_likely():
    rng = np.random.default_rng(0)
    is_first = rng.random(20_000) < 0.3
    x = np.where(is_first, rng.normal(-2.0, size=20_000), rng.normal(2.0, size=20_000))
    logs = np.array([-0.5 * (x + 2.0) ** 2, -0.5 * (x - 2.0) ** 2])
    found = mixture_weights(logs, np.ones(x.size))
    assert found == pytest.approx([0.3, 0.7], abs=0.02)
    reached = mixed(logs, found).mean()
    for other in ([0.2, 0.8], [0.4, 0.6], [0.5, 0.5]):
        assert mixed(logs, np.array(other)).mean() < reached


def test_weight_two_is_the_row_twice():
    logs = np.log(np.random.default_rng(0).random((3, 40)))
    weights = np.where(np.arange(40) % 2 == 0, 2.0, 1.0)
    repeated = np.repeat(logs, weights.astype(int), axis=1)
    assert mixture_weights(logs, weights) == pytest.approx(
        mixture_weights(repeated, np.ones(repeated.shape[1]))
    )


def test_impossible_rows_have_no_say():
    logs = np.log(np.random.default_rng(0).random((2, 30)))
    with_impossible = np.column_stack([logs, np.full(2, -np.inf)])
    assert np.array_equal(
        mixture_weights(logs, np.ones(30)), mixture_weights(with_impossible, np.ones(31))
    )
    assert mixed(with_impossible, np.array([0.5, 0.5]))[-1] == -np.inf
