"""Cluster weighted rows over levels and standardised numbers.

In k-means a mismatch of two levels counts 1, numbers count by their squared difference, and a
missing cell says nothing; so a centroid holds the share of each level and the mean of each number.
EM fits a mixture whose components take all columns as independent, beginning with k-means.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.cluster.rows import ClusterOptions
from softlearn.stats.rows import WeightedRows


def memberships(rows: WeightedRows, uniforms: Floats, options: ClusterOptions) -> Floats | None:
    """Return the membership of each row in each cluster, (clusters, rows).

    Parameters
    ----------
    rows
        The weighted rows.
    uniforms
        (clusters,) numbers in [0, 1) that pick the rows to start from.
    options
        How to cluster.

    Returns
    -------
    Memberships that add to 1 over the clusters; fewer clusters when fewer rows differ, None when
    all are alike.
    """
    # Loads Numba.
    from softlearn.kernels.cluster.by_address import cluster_rows, clustering_address  # noqa: PLC0415

    found = np.empty((uniforms.size, rows.n_rows))
    n_clusters = cluster_rows(clustering_address(), rows.data, uniforms, options, found)
    return found[:n_clusters] if n_clusters > 1 else None
