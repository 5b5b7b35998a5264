"""Weighted EM for a mixture of factorised distributions."""

from __future__ import annotations

from softlearn.arrays import Floats
from softlearn.kernels.rows import ClusterSums
from softlearn.numeric_policy import (
    EM_TOLERANCE,
    MIXTURE_DEVIATION_FLOOR,
    MIXTURE_PROBABILITY_FLOOR,
)
from softlearn.stats.rows import WeightedRows


def em_memberships(
    rows: WeightedRows, start: ClusterSums, *, smoothing: float, max_iter: int
) -> Floats | None:
    """Return each row's membership in each component, (rows, components).

    Parameters
    ----------
    rows
        The weighted rows.
    start
        What the memberships to begin with add up to.
    smoothing
        Pseudo-count of each level.
    max_iter
        Most iterations; it ends earlier when the likelihood hardly grows.

    Returns
    -------
    Memberships, or None when a component has died out.
    """
    from softlearn.kernels.clustering import em  # noqa: PLC0415 - loads Numba

    clusters, _ = rows.new_clusters(start.mass.size)
    floors = (MIXTURE_PROBABILITY_FLOOR, MIXTURE_DEVIATION_FLOOR)
    alive = em(rows.data, clusters, start, smoothing, floors, max(1, max_iter), EM_TOLERANCE)
    return start.membership if alive else None


def softened(sums: ClusterSums, sharpness: float) -> ClusterSums:
    """Return the sums of hard memberships when each row gives a part to all clusters alike.

    A share ``sharpness`` of each row stays with its cluster, the rest is divided evenly. The
    memberships themselves are left as they are: EM makes its own from the sums.
    """
    even = (1.0 - sharpness) / sums.mass.size
    mixed = [sharpness * part + even * part.sum(axis=0) for part in sums[1:]]
    return ClusterSums(sums.membership, *mixed)
