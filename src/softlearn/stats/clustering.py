"""Cluster weighted rows over levels and standardised numbers.

In k-means a mismatch of two levels counts 1, numbers count by their squared difference, and a
missing cell says nothing; so a centroid holds the share of each level and the mean of each number.
EM fits a mixture whose components take all columns as independent, beginning with k-means.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, States
from softlearn.kernels.cluster.rows import ClusterOptions, RowData, RowsToCluster


def memberships(
    rows: RowData, picks: States, options: ClusterOptions, core: RowData | None = None
) -> Floats | None:
    """Return the membership of each row in each cluster, (clusters, rows).

    Parameters
    ----------
    rows
        The weighted rows.
    picks
        (clusters,) seeds that choose the rows to start from.
    options
        How to cluster.
    core
        The rows from which clusters are estimated; None is all.

    Returns
    -------
    Memberships that add to 1 over the clusters; fewer clusters when fewer rows differ, None when
    all are alike.
    """
    # Loads Numba.
    from softlearn.kernels.cluster.by_address import CLUSTERING, cluster_rows  # noqa: PLC0415

    found, stop = np.empty((picks.size, rows.weights.size)), np.zeros(1, np.uint8)
    both = RowsToCluster(rows if core is None else core, rows)
    n_clusters = cluster_rows(CLUSTERING.address, both, picks, options, stop, found)
    return found[:n_clusters] if n_clusters > 1 else None
