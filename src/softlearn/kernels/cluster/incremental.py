"""Hard incremental EM: each row joins its most likely mixture component, or starts a new one."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Ids, Kinds, Offsets
from softlearn.kernels.compile import allocating_kernel, inner

_MISSING = 255


@allocating_kernel
def incremental_em(
    codes: Kinds,
    start: Offsets,
    weights: Floats,
    order: Offsets,
    smoothing: float,
    price: float,
    most: int,
    n_passes: int,
) -> Ids:
    """Return the component of each row, of at most so many.

    `codes` are the states of (rows, columns), `start` where each column's states begin; `price` is
    the penalty of a new component in nats. Components are naive Bayes models with pseudo-counts.
    """
    component = np.full(order.size, -1, np.int32)
    counts, mass = np.zeros((most, start[-1])), np.zeros(most)
    logs, score = np.zeros((most, start[-1])), np.empty(most)
    total = 0.0
    for i in range(weights.size):
        total += weights[i]
    for _ in range(n_passes):
        n_moved = 0
        for row in order:
            own = codes[row]
            before = component[row]
            if before >= 0:
                _move(own, start, -weights[row], smoothing, mass, counts, logs, before)
            best = _best(own, start, weights[row], total, smoothing, price, mass, logs, score)
            _move(own, start, weights[row], smoothing, mass, counts, logs, best)
            component[row] = best
            n_moved += best != before
        if n_moved == 0:
            break
    return component


@inner
def _best(
    own: Kinds,
    start: Offsets,
    weight: float,
    total: float,
    smoothing: float,
    price: float,
    mass: Floats,
    logs: Floats,
    score: Floats,
) -> int:
    """Return the component of largest likelihood.

    The first empty one stands for a new component of this row alone, with its penalty.
    """
    best, found_empty = -1, False
    for k in range(mass.size):
        is_empty = mass[k] <= 0.0
        if is_empty and found_empty:
            continue
        score[k] = math.log(weight / total) if is_empty else math.log(mass[k] / total)
        # The rows that a merged row stands for share the price.
        score[k] -= price / max(weight, 1.0) if is_empty else 0.0
        found_empty |= is_empty
        for c in range(own.size):
            if own[c] != _MISSING:
                alone = (1.0 + smoothing) / (1.0 + smoothing * (start[c + 1] - start[c]))
                score[k] += math.log(alone) if is_empty else logs[k, start[c] + own[c]]
        if best < 0 or score[k] > score[best]:
            best = k
    return best


@inner
def _move(
    own: Kinds,
    start: Offsets,
    weight: float,
    smoothing: float,
    mass: Floats,
    counts: Floats,
    logs: Floats,
    k: int,
) -> None:
    """Add a row to a component, or take it out by a negative weight."""
    mass[k] = max(mass[k] + weight, 0.0)
    if mass[k] < abs(weight) * 2.0**-30:
        mass[k] = 0.0
    for c in range(own.size):
        if own[c] == _MISSING:
            continue
        counts[k, start[c] + own[c]] = max(counts[k, start[c] + own[c]] + weight, 0.0)
        seen = 0.0
        for a in range(start[c], start[c + 1]):
            seen += counts[k, a]
        seen += smoothing * (start[c + 1] - start[c])
        for a in range(start[c], start[c + 1]):
            logs[k, a] = math.log((counts[k, a] + smoothing) / seen)
