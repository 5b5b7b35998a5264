"""Trials of a parameter search: how the rows are split, and how a combination scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from softlearn.arrays import Bools, Floats
from softlearn.errors import SoftlearnError
from softlearn.estimators.built_on import fit_learner, unknown_of
from softlearn.model.given import Frame

HELD_OUT = 0.2  # default share of the validation rows


class Trial(NamedTuple):
    """One combination of parameters and one split to try it on."""

    params: Mapping[str, object]
    held_out: Bools | None  # (rows,), or None if there is a validation table


class Outcome(NamedTuple):
    """The result of a trial."""

    score: float  # mean log-density of the validation rows
    n_nodes: int
    seconds: float  # to learn


@dataclass(frozen=True, eq=False)
class Search:
    """The shared inputs of all trials."""

    learner: Any
    table: Frame
    weights: Floats  # (rows,)
    judge: Frame | None

    def run(self, trial: Trial) -> Outcome:
        """Learn from the rows that are not held out, and score those that are.

        Rows are held out by weight 0, so that frames need not be divided.
        """
        learner = clone(self.learner).set_params(**trial.params)
        started = perf_counter()
        if trial.held_out is None:
            model = fit_learner(learner, self.table, self.weights)
            seconds = perf_counter() - started
            score = model.score(self.judge, unknown=unknown_of(learner))
            return Outcome(score, model.circuit.n_nodes, seconds)
        model = fit_learner(learner, self.table, np.where(trial.held_out, 0.0, self.weights))
        seconds = perf_counter() - started
        judges = trial.held_out & (self.weights > 0.0)
        scores = model.score_samples(self.table, unknown=unknown_of(learner))[judges]
        score = float(np.average(scores, weights=self.weights[judges]))
        return Outcome(score, model.circuit.n_nodes, seconds)


def splits(valid: float | int | None, n_rows: int, rng: np.random.Generator) -> list[Bools]:
    """Return the rows that are held out in each split: one share of them, or each fold in turn."""
    split = HELD_OUT if valid is None else valid
    shuffled = rng.permutation(n_rows)
    if isinstance(split, float | np.floating) and 0.0 < split < 1.0:
        n_out = min(max(1, round(float(split) * n_rows)), n_rows - 2)
        return [shuffled < n_out]
    is_whole = isinstance(split, int | np.integer) and not isinstance(split, bool)
    if is_whole and 2 <= split <= n_rows // 2:
        return [shuffled % int(split) == fold for fold in range(int(split))]
    raise SoftlearnError(
        "valid must be a table, a share between 0 and 1, or a whole number of folds, 2 or more "
        f"and at most half of the {n_rows} rows, not {valid!r}"
    )
