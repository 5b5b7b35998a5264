"""Mutual information of pairs of columns, and Chow–Liu trees."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.kernels.compile import allocating_kernel, inner


@allocating_kernel
def information_of_pairs(
    sums: Floats, start: Offsets, smoothing: float, rounding: float, out: Floats
) -> None:
    """Write the mutual information of all pairs of columns, and each column's entropy between.

    Values below the rounding error become 0.
    """
    n = start.size - 1
    across, down = np.empty(sums.shape[0]), np.empty(sums.shape[0])
    for i in range(n):
        entropy = _entropy(sums, start[i], start[i + 1])
        out[i, i] = entropy if entropy > rounding else 0.0
        for j in range(i):
            found = _information(sums, start, i, j, smoothing, across, down)
            out[i, j] = out[j, i] = found if found > rounding else 0.0


@inner
def _entropy(sums: Floats, first: int, last: int) -> float:
    mass, total = 0.0, 0.0
    for a in range(first, last):
        mass += sums[a, a]
    for a in range(first, last):
        if sums[a, a] > 0.0:
            total -= sums[a, a] * math.log(sums[a, a] / mass)
    return total / mass if mass > 0.0 else 0.0


@inner
def _information(
    sums: Floats, start: Offsets, i: int, j: int, smoothing: float, across: Floats, down: Floats
) -> float:
    """Return the mutual information of a table with independent pseudo-rows."""
    mass = 0.0
    for b in range(start[j], start[j + 1]):
        down[b] = 0.0
    for a in range(start[i], start[i + 1]):
        across[a] = 0.0
        for b in range(start[j], start[j + 1]):
            across[a] += sums[a, b]
            down[b] += sums[a, b]
        mass += across[a]
    if mass <= 0.0:
        return 0.0
    total = 0.0
    for a in range(start[i], start[i + 1]):
        for b in range(start[j], start[j + 1]):
            independent = across[a] * down[b] / mass
            if independent > 0.0:
                cell = (sums[a, b] + smoothing * independent / mass) / (1.0 + smoothing / mass)
                if cell > 0.0:
                    total += cell * math.log(cell / independent)
    return total / mass


@allocating_kernel
def largest_tree(gain: Floats, as_root: Floats) -> Offsets:
    """Return the parent of each column in the tree of largest total gain, -1 for roots."""
    n = gain.shape[0]
    parent, best = np.full(n, -1, np.int64), np.zeros(n)
    is_open = np.ones(n, np.bool_)
    for _ in range(n):
        node = -1
        for i in range(n):
            if is_open[i] and best[i] > 0.0 and (node < 0 or best[i] > best[node]):
                node = i
        if node < 0:  # the next tree begins
            for i in range(n):
                if is_open[i] and (node < 0 or as_root[i] > as_root[node]):
                    node = i
        is_open[node] = False
        for i in range(n):
            if is_open[i] and gain[node, i] > best[i]:
                parent[i], best[i] = node, gain[node, i]
    return parent
