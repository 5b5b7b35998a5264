"""The rows of the binary sets as one score for each data set, system and clustering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from softlearn.experiments.cell import CLUSTERINGS, Clustering, Row, System
from softlearn.experiments.summaries import Score, best_on_valid, groups

Scores: TypeAlias = dict[tuple[str, System, Clustering], Score]
Split: TypeAlias = Literal["valid", "test"]


def scores_of(rows: Sequence[Row]) -> Scores:
    """Return the scores; of several betas that of the best on valid."""
    by_system = groups(rows, "dataset", "system", "clustering")
    return {
        (dataset, system, clustering): best_on_valid(own, "p", "alpha", "beta")
        for (dataset, system, clustering), own in by_system.items()
    }


def better(scores: Scores, dataset: str, system: System) -> Score | None:
    """Return the clustering of a system that is better on the validation split."""
    own = [scores[key] for one in CLUSTERINGS if (key := (dataset, system, one)) in scores]
    return max(own, key=lambda score: score.valid.mean, default=None)


def better_means(scores: Scores, system: System, split: Split) -> dict[str, float]:
    """Return the mean of the better clustering on one split, by data set."""
    found = {dataset: better(scores, dataset, system) for dataset, _, _ in scores}
    return {
        dataset: (score.valid if split == "valid" else score.test).mean
        for dataset, score in found.items()
        if score is not None
    }
