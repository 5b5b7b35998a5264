"""Convert the sums of clusters to planes that score rows: centroids and mixtures."""

from __future__ import annotations

import math

from softlearn.arrays import Floats
from softlearn.kernels.cluster.rows import ClusterOptions, Planes, RowData, Sums
from softlearn.kernels.compile import inner

# Less than this share of all rows is rounding of sums in double precision, and in single.
_NO_ROWS, _NO_ROWS_SINGLE = 2.0**-40, 2.0**-20


@inner
def linear(planes: Planes, totals: Sums) -> float:
    """Return the weighted sum of the scores of all rows in cluster 0."""
    value: float = planes.base[0] * totals.mass[0]
    for j in range(planes.slope.shape[1]):
        value += planes.slope[0, j] * totals.indicators[0, j]
    for j in range(planes.numbers.shape[1]):
        for k in range(3):
            value += planes.numbers[0, j, k] * totals.numbers[0, j, k]
    return value


@inner
def clear(sums: Sums) -> None:
    """Set all sums to zero, in loops: assignments to whole arrays take seconds to compile."""
    for c in range(sums.mass.size):
        sums.mass[c] = 0.0
        for j in range(sums.indicators.shape[1]):
            sums.indicators[c, j] = 0.0
        for j in range(sums.numbers.shape[1]):
            for k in range(3):
                sums.numbers[c, j, k] = 0.0


@inner
def copy_first(sums: Sums, totals: Sums) -> None:
    """Copy the sums of the first cluster."""
    totals.mass[0] = sums.mass[0]
    for j in range(sums.indicators.shape[1]):
        totals.indicators[0, j] = sums.indicators[0, j]
    for j in range(sums.numbers.shape[1]):
        for k in range(3):
            totals.numbers[0, j, k] = sums.numbers[0, j, k]


@inner
def give_the_rest(data: RowData, totals: Sums, sums: Sums, n_clusters: int) -> None:
    """Set cluster 0 to the totals minus the other clusters, unless that is rounding error."""
    moments = sums.numbers
    least_level = _NO_ROWS_SINGLE if data.dense.shape[0] > 0 else _NO_ROWS
    rest = totals.mass[0]
    for c in range(1, n_clusters):
        rest -= sums.mass[c]
    sums.mass[0] = rest if rest > _NO_ROWS * totals.mass[0] else 0.0
    for j in range(sums.indicators.shape[1]):
        rest = totals.indicators[0, j]
        for c in range(1, n_clusters):
            rest -= sums.indicators[c, j]
        sums.indicators[0, j] = rest if rest > least_level * totals.indicators[0, j] else 0.0
    for j in range(moments.shape[1]):
        for k in range(3):
            rest = totals.numbers[0, j, k]
            for c in range(1, n_clusters):
                rest -= moments[c, j, k]
            moments[0, j, k] = rest if k == 1 else max(rest, 0.0)
        if moments[0, j, 0] <= _NO_ROWS * totals.numbers[0, j, 0]:
            moments[0, j, 0] = 0.0


@inner
def soften(sums: Sums, totals: Sums, sharpness: float, n_clusters: int) -> None:
    """Soften memberships: a share `sharpness` stays, the rest is divided equally."""
    even = (1.0 - sharpness) / n_clusters
    for c in range(n_clusters):
        sums.mass[c] = sharpness * sums.mass[c] + even * totals.mass[0]
        for j in range(sums.indicators.shape[1]):
            own = sharpness * sums.indicators[c, j]
            sums.indicators[c, j] = own + even * totals.indicators[0, j]
        for j in range(sums.numbers.shape[1]):
            for k in range(3):
                own = sharpness * sums.numbers[c, j, k]
                sums.numbers[c, j, k] = own + even * totals.numbers[0, j, k]


@inner
def move(data: RowData, sums: Sums, levels: Floats, means: Floats, n_clusters: int) -> None:
    """Move each centroid to the mean of its rows; a cluster without rows stays where it is."""
    for c in range(n_clusters):
        for g in range(data.single.size):
            first, last = data.groups[g], data.groups[g + 1]
            total = sums.mass[c]
            if not data.single[g]:
                total = 0.0
                for j in range(first, last):
                    total += sums.indicators[c, j]
            for j in range(first, last):
                if total > 0.0:
                    levels[c, j] = sums.indicators[c, j] / total
        for j in range(means.shape[1]):
            if sums.numbers[c, j, 0] > 0.0:
                means[c, j] = sums.numbers[c, j, 1] / sums.numbers[c, j, 0]


@inner
def as_centroids(
    data: RowData, levels: Floats, means: Floats, planes: Planes, n_clusters: int
) -> None:
    """Write planes whose scores are minus the squared distances to the centroids.

    (x − c)² = c² + x (1 − 2c) for a single indicator; half the squared distance of two one-hot
    vectors otherwise, where a row without a level adds nothing.
    """
    for c in range(n_clusters):
        planes.base[c] = 0.0
        for g in range(data.single.size):
            first, last = data.groups[g], data.groups[g + 1]
            square = 0.0
            for j in range(first, last):
                square += levels[c, j] * levels[c, j]
            if data.single[g]:
                planes.base[c] -= square
            for j in range(first, last):
                one_hot = levels[c, j] - 0.5 * (1.0 + square)
                planes.slope[c, j] = 2.0 * levels[c, j] - 1.0 if data.single[g] else one_hot
        for j in range(means.shape[1]):
            planes.numbers[c, j, 0] = -means[c, j] * means[c, j]
            planes.numbers[c, j, 1] = 2.0 * means[c, j]
            planes.numbers[c, j, 2] = -1.0


@inner
def maximise(
    data: RowData, sums: Sums, planes: Planes, options: ClusterOptions, n_clusters: int
) -> None:
    """Fit each component to its sums, priors in proportion to mass.

    A component that has lost its rows keeps a negligible prior.
    """
    smoothing, floor = options.smoothing, options.probability_floor
    mass = 0.0
    for c in range(n_clusters):
        mass += sums.mass[c]
    for c in range(n_clusters):
        base = math.log(max(sums.mass[c] / mass, floor * floor))
        for g in range(data.single.size):
            first, last = data.groups[g], data.groups[g + 1]
            total = sums.mass[c] + 2.0 * smoothing
            if not data.single[g]:
                total = (last - first) * smoothing
                for j in range(first, last):
                    total += sums.indicators[c, j]
            for j in range(first, last):
                p = (sums.indicators[c, j] + smoothing) / total if total > 0.0 else 0.5
                p = min(max(p, floor), 1.0 - floor)
                planes.slope[c, j] = math.log(p)
                if data.single[g]:
                    planes.slope[c, j] -= math.log1p(-p)
                    base += math.log1p(-p)
        planes.base[c] = base
        for j in range(data.numbers.shape[0]):
            seen = sums.numbers[c, j, 0]
            if seen <= 0.0:
                continue
            mean = sums.numbers[c, j, 1] / seen
            least = options.deviation_floor * options.deviation_floor
            variance = max(sums.numbers[c, j, 2] / seen - mean * mean, least)
            sharpness = 0.5 / variance
            height = -0.5 * math.log(2.0 * math.pi * variance)
            planes.numbers[c, j, 0] = height - sharpness * mean * mean
            planes.numbers[c, j, 1] = 2.0 * sharpness * mean
            planes.numbers[c, j, 2] = -sharpness
