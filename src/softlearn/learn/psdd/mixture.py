"""Fit the parameters of a mixture of grown PSDDs by EM, with fixed structures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.arrays import Floats
from softlearn.learn.psdd.growing import Growing
from softlearn.numeric_policy import EM_TOLERANCE


def fit_mixture(members: Sequence[Growing], weights: Floats, max_iter: int) -> Floats:
    """Fit the parameters of all members to all rows; return the weights of the mixture.

    EM goes on while the score of the held-out rows improves, or of the training rows if none are
    held out; the last step learns from all rows.

    Parameters
    ----------
    members
        Grown circuits over the same rows.
    weights
        (2, rows) weights of training rows and of held-out rows.
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
    """Return the posterior of the members for each row, and the mean validation score."""
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
    """Fit all members to their shares of the rows; return the mixture weights."""
    mass = []
    for member, own in zip(members, parts, strict=True):
        mine = weights * own
        member.reweigh(np.stack([mine, np.zeros(mine.size)]))
        mass.append(float(mine.sum()))
    return np.array(mass) / sum(mass)
