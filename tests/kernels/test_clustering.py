"""One pass over the rows, against plain NumPy; indicators dense or listed give the same."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.kernel_sources import kernel_sources
from kernels.weighted_rows import both_forms
from softlearn.kernels.cluster import clustering
from softlearn.kernels.cluster.blocks import BLOCK
from softlearn.kernels.cluster.planes import soften
from softlearn.kernels.cluster.rows import Planes, RowData, Sums
from softlearn.kernels.compile import kernel

PICK, LLOYD, EM, DISTANCE = 0, 1, 2, 3


def wrappers(sources):
    """The inner functions with a doorway to Python; `sources` keeps their cache honest."""

    @kernel
    def one_pass(data, planes, n_clusters, totals, sums, membership, phase):
        assert sources
        return clustering._pass(data, planes, n_clusters, totals, sums, membership, phase)

    @kernel
    def by_distance(membership, n_clusters, beta):
        assert sources
        clustering._by_distance(membership, n_clusters, beta)

    @kernel
    def softened(sums, totals, sharpness, n_clusters):
        assert sources
        soften(sums, totals, sharpness, n_clusters)

    return one_pass, by_distance, softened


one_pass, by_distance, softened = wrappers(kernel_sources())


def some_planes(rows, k, seed):
    rng = np.random.default_rng(seed)
    shape = (k, rows.groups[-1])
    numbers = rng.normal(size=(k, rows.numbers.shape[0], 3))
    numbers[..., 2] = -np.abs(numbers[..., 2])
    return Planes(rng.normal(size=k), rng.normal(size=shape), numbers)


def no_sums(rows, k):
    n_numbers = rows.numbers.shape[0]
    return Sums(np.zeros(k), np.zeros((k, rows.groups[-1])), np.zeros((k, n_numbers, 3)))


def scored(rows, planes, phase):
    """Run a pass, after the one that adds up all rows; return its mean, memberships and sums."""
    k = planes.base.size
    totals, sums, membership = no_sums(rows, 1), no_sums(rows, k), np.empty((k, rows.weights.size))
    one_pass(rows, planes, 0, totals, sums, membership, PICK)
    mean = one_pass(rows, planes, k, totals, sums, membership, phase)
    return mean, membership, sums, totals


def plain_scores(dense, numbers, planes):
    z = numbers[None]
    c0, c1, c2 = np.moveaxis(planes.numbers, 2, 0)[..., None]
    parabola = np.nansum(c0 + c1 * z + c2 * z**2, axis=1)
    return planes.base[:, None] + planes.slope @ dense.astype(float) + parabola


def plain_sums(dense, numbers, part):
    """What rows with these weights, (clusters, rows), add up to."""
    seen = ~np.isnan(numbers)
    z = np.where(seen, numbers, 0.0)
    moments = np.stack([part @ seen.T, part @ z.T, part @ (z**2).T], axis=2)
    return part.sum(axis=1), part @ dense.T, moments


@pytest.mark.parametrize("phase", [LLOYD, EM, DISTANCE])
@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("shape", [(7, 2), (0, 3), (9, 0), (130, 1)])
@pytest.mark.parametrize("n_rows", [300, BLOCK - 1, 2 * BLOCK])
def test_a_pass_equals_the_plain_one(phase, k, shape, n_rows):
    n_features, n_numbers = shape
    forms = both_forms(k, n_rows=n_rows, n_features=n_features, n_numbers=n_numbers)
    dense = forms[0].dense
    for rows in forms:
        planes = some_planes(rows, k, 5)
        mean, membership, sums, _ = scored(rows, planes, phase)
        score = plain_scores(dense, rows.numbers, planes)
        if phase == DISTANCE:
            assert membership == pytest.approx(np.maximum(-score, 0.0), abs=2e-4)
            continue
        soft = np.exp(score - np.logaddexp.reduce(score, axis=0))
        expected = soft if phase == EM else np.eye(k)[score.argmax(axis=0)].T
        assert membership == pytest.approx(expected, abs=2e-4)
        added = plain_sums(dense, rows.numbers, expected * rows.weights)
        for found, plain in zip(sums, added, strict=True):
            assert found == pytest.approx(plain, rel=1e-4, abs=1e-3)
        best = np.logaddexp.reduce(score, axis=0) if phase == EM else score.max(axis=0)
        total = mean * rows.weights.sum()
        assert total == pytest.approx(rows.weights @ best, rel=1e-5, abs=1e-2)


@pytest.mark.parametrize("n_rows", [1, 300, 2 * BLOCK])
def test_the_first_pass_adds_up_all_rows(n_rows):
    forms = both_forms(3, n_rows=n_rows)
    for rows in forms:
        _, _, _, totals = scored(rows, some_planes(rows, 2, 0), EM)
        expected = plain_sums(forms[0].dense, rows.numbers, rows.weights[None])
        for found, plain in zip(totals, expected, strict=True):
            assert found == pytest.approx(plain, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_dense_and_listed_indicators_give_the_same(seed):
    answers = []
    for rows in both_forms(seed):
        _, membership, sums, _ = scored(rows, some_planes(rows, 3, seed), EM)
        answers.append((membership, *sums))
    for one, other in zip(*answers, strict=True):
        assert one == pytest.approx(other, rel=1e-5, abs=1e-5)


def test_many_rows_keep_their_weight():
    """Single precision stops counting at 2**24; rows of weight one must not."""
    n = 2**24 + 1000
    ones = np.ones((1, n), np.float32)
    rows = RowData(
        dense=ones,
        start=np.zeros(1, np.int64),
        feature=np.zeros(0, np.int32),
        numbers=np.zeros((0, n)),
        weights=np.ones(n),
        groups=np.array([0, 1]),
        single=np.array([True]),
    )
    _, _, sums, totals = scored(rows, some_planes(rows, 1, 0), LLOYD)
    for found in (sums, totals):
        assert found.indicators[0, 0] == n
        assert found.mass[0] == n


def test_old_sums_are_forgotten():
    rows, _ = both_forms(0)
    planes = some_planes(rows, 2, 0)
    _, membership, sums, totals = scored(rows, planes, EM)
    first = [part.copy() for part in sums]
    one_pass(rows, planes, 2, totals, sums, membership, EM)
    for before, after in zip(first, sums, strict=True):
        assert np.array_equal(before, after)


def test_scores_of_any_size_are_shared():
    """Rows that are hopeless in all clusters but one, by far, and rows that are so in none."""
    rows, _ = both_forms(0)
    for scale in (1e3, 1e30, 1e45, 1e150):
        planes = some_planes(rows, 3, 1)
        planes.numbers[...] *= scale
        for phase in (LLOYD, EM):
            _, membership, _, _ = scored(rows, planes, phase)
            assert membership.sum(axis=0) == pytest.approx(1.0, abs=1e-12)
            assert (membership >= 0.0).all()


def test_equals_go_to_the_first():
    rows, _ = both_forms(2)
    planes = some_planes(rows, 3, 1)
    for part in planes:
        part[1:] = part[0]
    _, membership, _, _ = scored(rows, planes, LLOYD)
    assert (membership == np.array([[1.0], [0.0], [0.0]])).all()


@pytest.mark.parametrize("seed", range(6))
def test_a_cluster_without_rows_gets_nothing(seed):
    """Cluster 0 gets what the others leave: not a trace of rounding, if they take all."""
    for rows in both_forms(seed):
        planes = some_planes(rows, 4, seed)
        planes.base[0] = -1e4
        _, membership, sums, _ = scored(rows, planes, LLOYD)
        assert not membership[0].any()
        assert sums.mass[0] == 0.0
        assert not sums.indicators[0].any()
        assert not sums.numbers[0, :, 0].any()


def test_softening_moves_a_tenth_of_each_row():
    rows, _ = both_forms(1)
    _, membership, sums, totals = scored(rows, some_planes(rows, 3, 1), LLOYD)
    soft = 0.9 * membership + 0.1 / 3
    softened(sums, totals, 0.9, 3)
    expected = plain_sums(rows.dense, rows.numbers, soft * rows.weights)
    for found, plain in zip(sums, expected, strict=True):
        assert found == pytest.approx(plain, rel=1e-5, abs=1e-4)


# --- From distances to memberships.


def shared(distance, beta):
    """Memberships, (clusters, rows), of distances in this shape."""
    found = np.array(distance, float) ** 2
    by_distance(found, found.shape[0], beta)
    return found


def test_memberships_are_the_softmax_of_the_paper():
    d, beta = (1.0, 2.0, 5.0), 3.0
    parts = [math.exp(beta * (1.0 - one / sum(d))) for one in d]
    expected = [part / sum(parts) for part in parts]
    assert shared(np.array([d]).T, beta)[:, 0] == pytest.approx(expected, rel=1e-12)


@given(
    st.lists(st.lists(st.floats(0.0, 1e6), min_size=3, max_size=3), min_size=1),
    st.sampled_from([0.0, 1.0, 40.0, 1e9]),
)
@settings(deadline=None)
def test_memberships_add_to_one_and_follow_the_distances(d, beta):
    d = np.array(d).T
    found = shared(d, beta)
    assert found.sum(axis=0) == pytest.approx(1.0, abs=1e-12)
    nearest = np.take_along_axis(found, d.argmin(axis=0)[None], axis=0)
    assert (nearest >= found).all()


def test_without_beta_all_clusters_share_alike():
    assert shared([[0.0], [3.0]], 0.0).tolist() == [[0.5], [0.5]]


def test_a_row_on_all_centroids_at_once_is_shared_alike():
    assert shared(np.zeros((4, 1)), 40.0).tolist() == [[0.25]] * 4


def test_memberships_do_not_depend_on_the_unit_of_distance():
    d = np.array([[1.0, 3.0], [2.0, 0.5]])
    assert shared(1000 * d, 7.0) == pytest.approx(shared(d, 7.0))
