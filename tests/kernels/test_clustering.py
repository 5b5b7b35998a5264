"""One pass over the rows, against plain NumPy; indicators dense or listed give the same."""

import numpy as np
import pytest

from softlearn.kernels.clustering import one_pass, pair_sums, select
from softlearn.kernels.rows import HARD, SCORE, SOFT
from softlearn.stats.rows import Listing, WeightedRows


def both_forms(seed, *, n_rows=300, n_features=7, n_numbers=2, density=0.3):
    """The same rows with their indicators as a matrix and as a listing."""
    rng = np.random.default_rng(seed)
    dense = (rng.random((n_rows, n_features)) < density).astype(np.float32)
    numbers = rng.normal(size=(n_rows, n_numbers))
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    start = np.concatenate([[0], np.cumsum(dense.sum(axis=1))]).astype(np.int64)
    listing = Listing(start, np.nonzero(dense)[1].astype(np.int32))
    groups, single = np.arange(n_features + 1), np.ones(n_features, bool)
    rest = (groups, single, numbers)
    weights = rng.gamma(1.0, 1.0, n_rows)
    return WeightedRows(weights, dense, *rest), WeightedRows(weights, listing, *rest)


def some_clusters(rows, k, seed):
    rng = np.random.default_rng(seed)
    clusters, _ = rows.new_clusters(k)
    for part in clusters:
        part[...] = rng.normal(size=part.shape)
    clusters.sharpness[...] = np.abs(clusters.sharpness)
    return clusters


def plain_pass(dense, numbers, weights, clusters, mode):
    """Scores, memberships, and what they add up to."""
    score = clusters.base + dense.astype(float) @ clusters.slope.T.astype(float)
    gap = numbers[:, None, :] - clusters.mean
    parabola = clusters.height - clusters.sharpness * gap**2
    score = score + np.nansum(parabola, axis=2)
    if mode == SCORE:
        return score, None
    soft = np.exp(score - np.logaddexp.reduce(score, axis=1, keepdims=True))
    membership = soft if mode == SOFT else np.eye(score.shape[1])[score.argmax(axis=1)]
    part = membership * weights[:, None]
    seen = ~np.isnan(numbers)
    z = np.where(seen, numbers, 0.0)
    moments = np.stack([part.T @ seen, part.T @ z, part.T @ z**2], axis=2)
    return membership, (part.sum(axis=0), part.T @ dense, moments)


@pytest.mark.parametrize("mode", [HARD, SOFT, SCORE])
@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("shape", [(7, 2), (0, 3), (9, 0), (130, 1)])
def test_a_pass_equals_the_plain_one(mode, k, shape):
    n_features, n_numbers = shape
    for rows in both_forms(k, n_features=n_features, n_numbers=n_numbers):
        clusters = some_clusters(rows, k, 5)
        _, sums = rows.new_clusters(k)
        total = one_pass(rows.data, clusters, sums, mode)
        dense = both_forms(k, n_features=n_features, n_numbers=n_numbers)[0].indicators
        expected, added = plain_pass(dense, rows.numbers, rows.weights, clusters, mode)
        assert sums.membership == pytest.approx(expected, abs=2e-4)
        if mode == SCORE:
            continue
        assert sums.mass == pytest.approx(added[0], rel=1e-4, abs=1e-3)
        assert sums.indicators == pytest.approx(added[1], rel=1e-4, abs=1e-3)
        assert sums.numbers == pytest.approx(added[2], rel=1e-4, abs=1e-3)
        score, _ = plain_pass(dense, rows.numbers, rows.weights, clusters, SCORE)
        best = np.logaddexp.reduce(score, axis=1) if mode == SOFT else score.max(axis=1)
        assert total == pytest.approx(rows.weights @ best, rel=1e-5, abs=1e-2)


@pytest.mark.parametrize("seed", range(5))
def test_dense_and_listed_indicators_give_the_same(seed):
    answers = []
    for rows in both_forms(seed):
        clusters, (_, sums) = some_clusters(rows, 3, seed), rows.new_clusters(3)
        one_pass(rows.data, clusters, sums, SOFT)
        answers.append(sums)
    for one, other in zip(*answers, strict=True):
        assert one == pytest.approx(other, rel=1e-5, abs=1e-5)


def test_many_rows_keep_their_weight():
    """Single precision stops counting at 2**24; rows of weight one must not."""
    n = 2**24 + 1000
    ones = np.ones((n, 1), np.float32)
    rows = WeightedRows(np.ones(n), ones, np.array([0, 1]), np.array([True]), np.zeros((n, 0)))
    clusters, sums = rows.new_clusters(1)
    one_pass(rows.data, clusters, sums, HARD)
    assert sums.indicators[0, 0] == n
    assert sums.mass[0] == n


def test_old_sums_are_forgotten():
    rows, _ = both_forms(0)
    clusters, sums = some_clusters(rows, 2, 0), rows.new_clusters(2)[1]
    one_pass(rows.data, clusters, sums, SOFT)
    first = [part.copy() for part in sums]
    one_pass(rows.data, clusters, sums, SOFT)
    for before, after in zip(first, sums, strict=True):
        assert np.array_equal(before, after)


def test_pairs_of_listed_features_are_those_of_the_matrix():
    dense, listed = both_forms(3)
    found = np.zeros((7, 7))
    pair_sums(listed.indicators.start, listed.indicators.feature, listed.weights, found)
    x = dense.indicators.astype(float)
    assert found == pytest.approx((x * dense.weights[:, None]).T @ x)


def test_a_part_of_a_listing_is_the_part_of_the_matrix():
    dense, listed = both_forms(4)
    rows, features = np.array([5, 2, 2, 90], np.int32), np.array([6, 0, 3])
    new = np.full(7, -1, np.int32)
    new[features] = np.arange(3)
    start, feature = select(listed.indicators.start, listed.indicators.feature, rows, new)
    found = np.zeros((4, 3))
    for i in range(4):
        found[i, feature[start[i] : start[i + 1]]] = 1.0
    assert np.array_equal(found, dense.indicators[rows][:, features])
