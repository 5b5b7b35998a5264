"""One pass over the rows, against plain NumPy; indicators dense or listed give the same."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from kernels.kernel_sources import kernel_sources
from kernels.plain_seeds import mixed
from kernels.weighted_rows import both_forms, indicators
from softlearn.kernels.cluster import clustering
from softlearn.kernels.cluster.blocks import BLOCK
from softlearn.kernels.cluster.planes import clear, copy_first, give_the_rest, linear, soften
from softlearn.kernels.cluster.rows import DISTANCE, EM, LLOYD, PICK, Planes, RowData, Sums
from softlearn.kernels.compile import allocating_kernel


def wrappers(sources):
    """The inner functions with a doorway to Python; `sources` keeps their cache honest."""

    @allocating_kernel
    def add_rows(data, planes, n_clusters, sums, membership, phase):
        assert sources
        scratch = clustering.new_scratch(data, planes.base.size)
        return clustering.add_rows(data, planes, n_clusters, sums, membership, phase, scratch)

    @allocating_kernel
    def one_pass(data, planes, n_clusters, totals, sums, membership, phase):
        """Return the mean score, with what follows from a pass in its totals and sums."""
        assert sources
        clear(sums)
        scratch = clustering.new_scratch(data, planes.base.size)
        value = clustering.add_rows(data, planes, n_clusters, sums, membership, phase, scratch)
        if phase == PICK:
            copy_first(sums, totals)
        if phase in (PICK, DISTANCE):
            return 0.0
        give_the_rest(data, totals, sums, n_clusters)
        return (value + linear(planes, totals)) / totals.mass[0]

    @allocating_kernel
    def pick_row(data, pick, distance, n):
        assert sources
        return clustering.pick_row(data, pick, distance, n)

    @allocating_kernel
    def by_distance(membership, n_clusters, beta):
        assert sources
        clustering._by_distance(membership, n_clusters, beta)

    @allocating_kernel
    def softened(sums, totals, sharpness, n_clusters):
        assert sources
        soften(sums, totals, sharpness, n_clusters)

    return add_rows, one_pass, pick_row, by_distance, softened


add_rows, one_pass, pick_row, by_distance, softened = wrappers(kernel_sources())


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
@pytest.mark.parametrize(
    "shape",
    [(7, (3,), 2), (0, (), 3), (9, (), 0), (130, (), 1), (0, (2, 1, 70), 0), (3, (5, 2), 1)],
)
@pytest.mark.parametrize("n_rows", [300, BLOCK - 1, 2 * BLOCK])
def test_a_pass_equals_the_plain_one(phase, k, shape, n_rows):
    n_features, n_levels, n_numbers = shape
    forms = both_forms(
        k, n_rows=n_rows, n_features=n_features, n_levels=n_levels, n_numbers=n_numbers
    )
    dense = indicators(forms[0])
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
    forms = both_forms(3, n_rows=n_rows, n_levels=(4, 3))
    for rows in forms:
        _, _, _, totals = scored(rows, some_planes(rows, 2, 0), EM)
        expected = plain_sums(indicators(forms[0]), rows.numbers, rows.weights[None])
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
        levels=np.zeros((0, n), np.int32),
        numbers=np.zeros((0, n), np.float32),
        weights=np.ones(n),
        keys=np.zeros(n, np.uint64),
        groups=np.array([0, 1]),
        single=np.array([True]),
    )
    _, _, sums, totals = scored(rows, some_planes(rows, 1, 0), LLOYD)
    for found in (sums, totals):
        assert found.indicators[0, 0] == n
        assert found.mass[0] == n


def some_of(rows, start, end):
    """Some neighbouring rows."""
    first = rows.start[start : end + 1] if rows.start.size > 1 else rows.start
    return rows._replace(
        dense=np.ascontiguousarray(rows.dense[:, start:end]),
        start=first - first[0],
        feature=rows.feature[first[0] : first[-1]],
        levels=np.ascontiguousarray(rows.levels[:, start:end]),
        numbers=np.ascontiguousarray(rows.numbers[:, start:end]),
        weights=rows.weights[start:end],
        keys=rows.keys[start:end],
    )


@pytest.mark.parametrize("phase", [PICK, LLOYD, EM, DISTANCE])
def test_what_parts_of_the_rows_add_up_to_adds_up(phase):
    for rows in both_forms(0, n_rows=900, n_levels=(3, 4)):
        planes, membership = some_planes(rows, 3, 0), np.empty((3, 900))
        whole, parts = no_sums(rows, 3), no_sums(rows, 3)
        value = add_rows(rows, planes, 3, whole, membership, phase)
        found = 0.0
        for start, end in ((0, 300), (300, 301), (301, 900)):
            own = np.empty((3, end - start))
            found += add_rows(some_of(rows, start, end), planes, 3, parts, own, phase)
            assert np.array_equal(own, membership[:, start:end])
        assert found == pytest.approx(value, rel=1e-12)
        for one, other in zip(parts, whole, strict=True):
            assert one == pytest.approx(other, rel=1e-6, abs=1e-5)


def test_scores_of_any_size_are_shared():
    """Rows that are hopeless in all clusters but one, by far, and rows that are so in none."""
    rows, _ = both_forms(0)
    for scale in (1e3, 1e10, 1e30, 1e37):
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


# --- The rows to start from.


def test_the_row_that_is_picked_is_the_first_by_its_cells_and_the_pick():
    rows, distance = both_forms(0, n_rows=50)[0], np.ones((2, 50))
    distance[0, :20] = 0.0
    weights = np.where(np.arange(50) % 2 == 0, 0.0, rows.weights)
    is_open = (np.arange(50) >= 20) & (weights > 0.0)
    keys = np.array(rows.keys.tolist(), object)
    for pick in np.random.default_rng(1).integers(0, 2**64, 30, np.uint64):
        places = [mixed(key + int(pick)) for key in keys[is_open]]
        found, place = pick_row(rows._replace(weights=weights), pick, distance, 2)
        assert place == min(places)
        assert found == np.flatnonzero(is_open)[np.argmin(np.array(places, np.uint64))]


def test_wherever_rows_are_kept_the_same_one_is_picked():
    rows, distance = both_forms(0, n_rows=90)[0], np.ones((1, 90))
    order = np.random.default_rng(0).permutation(90)
    turned = rows._replace(keys=rows.keys[order], weights=rows.weights[order])
    for pick in np.arange(20, dtype=np.uint64):
        row, place = pick_row(rows, pick, distance, 1)
        assert order[pick_row(turned, pick, distance, 1)[0]] == row
        parts = [some_of(rows, start, start + 30) for start in (0, 30, 60)]
        assert place == min(pick_row(part, pick, distance[:, :30], 1)[1] for part in parts)


def test_all_rows_have_the_same_chance_whatever_they_weigh():
    """Chi-square at a false-alarm rate of 1e-6."""
    rows = both_forms(0, n_rows=8)[0]
    rows = rows._replace(weights=np.logspace(-9.0, 9.0, 8))
    picks = np.random.default_rng(0).integers(0, 2**64, 4000, np.uint64)
    found = [pick_row(rows, pick, np.ones((0, 8)), 0)[0] for pick in picks]
    assert chisquare(np.bincount(found, minlength=8)).pvalue > 1e-6


def test_there_may_be_no_row_to_pick():
    rows = both_forms(0, n_rows=8)[0]
    assert pick_row(rows, np.uint64(3), np.zeros((1, 8)), 1)[0] == -1


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
