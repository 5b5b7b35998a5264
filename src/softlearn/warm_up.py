"""Compile all kernels ahead of time, by running them on small tables."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats

_N_ROWS = 400


def warm_up() -> None:
    """Learn from tables of all kinds, and ask whatever has code of its own."""
    from softlearn.estimators.learners import LearnSPN, SoftLearn  # noqa: PLC0415

    for rows in (_two_level_rows(), _mixed_rows()):
        LearnSPN(random_state=0).fit(rows)
        model = SoftLearn(random_state=0).fit(rows).model_
        model.score(rows)
        model.sample(2, random_state=0)
        known = {model.schema.names[-1]: rows[0, -1]}
        model.distributions(known)
        model.most_probable(known)
        model.sample(2, given=known, random_state=0)
        model.covariance()
        model.mutual_information()
        model.fine_tune(rows, max_iter=1, random_state=0)


def _two_level_rows() -> Floats:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, (_N_ROWS, 1))
    return (rng.random((_N_ROWS, 8)) < 0.2 + 0.6 * group).astype(float)


def _mixed_rows() -> Floats:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, _N_ROWS)
    number = rng.normal(size=_N_ROWS) + 3 * group
    with_gaps = np.where(rng.random(_N_ROWS) < 0.1, np.nan, number)
    other = number + rng.normal(size=_N_ROWS)
    three = rng.integers(0, 2, _N_ROWS) + group
    return np.column_stack([with_gaps, other, _two_level_rows()[:, :2], three])
