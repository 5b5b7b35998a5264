"""Several grown PSDDs as one mixture: EM over its parameters, the structures stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.arrays import Floats
from softlearn.learn.psdd.growing import Growing
from softlearn.numeric_policy import EM_TOLERANCE


def fit_mixture(members: Sequence[Growing], weights: Floats, max_iter: int) -> Floats:
    """Fit the parameters of all members by all rows; return how much each member counts.

    EM goes on while the held-out rows gain, or the rows learnt from if none are held out; the last
    step learns from all rows.

    Parameters
    ----------
    members
        Grown circuits over the same rows.
    weights
        (2, rows) of rows learnt from and of rows held out.
    max_iter
        The most steps of EM.
    """
    n_members = len(members)
    every = weights.sum(axis=0)
    share, best, best_parts = np.full(n_members, 1.0 / n_members), -np.inf, None
    judge = weights[1] if weights[1].any() else weights[0]
    parts: Floats = np.ones((n_members, every.size)) / n_members
    for _ in range(max_iter if n_members > 1 else 0):
        parts, score = _parts(members, share, judge)
        if score <= best + EM_TOLERANCE * abs(score):
            break
        best, best_parts = score, parts
        share = _refit(members, parts, weights[0])
    return _refit(members, parts if best_parts is None else best_parts, every)


def _parts(members: Sequence[Growing], share: Floats, judge: Floats) -> tuple[Floats, float]:
    """Return how much of each row each member has, and the mean log-likelihood of the judges."""
    with np.errstate(divide="ignore"):
        scores = np.stack([member.row_scores() for member in members]) + np.log(share)[:, None]
    largest = scores.max(axis=0)
    likelihood = np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
    total = likelihood.sum(axis=0)
    with np.errstate(divide="ignore"):
        logs = largest + np.log(total)
    counted = judge > 0.0
    parts = likelihood / np.where(total > 0.0, total, 1.0)
    return parts, float(np.average(logs[counted], weights=judge[counted]))


def _refit(members: Sequence[Growing], parts: Floats, weights: Floats) -> Floats:
    """Set the parameters of all members by their parts of the rows; return their own shares."""
    mass = []
    for member, own in zip(members, parts, strict=True):
        mine = weights * own
        member.reweigh(np.stack([mine, np.zeros(mine.size)]))
        mass.append(float(mine.sum()))
    return np.array(mass) / sum(mass)
