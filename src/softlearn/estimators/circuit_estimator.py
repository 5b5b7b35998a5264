"""What the estimators that grow a circuit share: their choices, and fit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Literal, Self

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.estimators.density_estimator import DensityEstimator
from softlearn.estimators.parameters import (
    check_leaves,
    plain_for_histograms,
    read_seed,
    read_training_weights,
)
from softlearn.estimators.progress import progress_line
from softlearn.learn import LEARNERS, Block, Engine, GrowConfig, usual_choices
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState
from softlearn.table import Schema, encode, infer_schema
from softlearn.table.choice import Choice
from softlearn.table.column import Missing
from softlearn.table.frames import open_frame

_DEFAULT = GrowConfig()
_CHOICES = frozenset(field.name for field in fields(GrowConfig))


# A dataclass writes the constructor that scikit-learn wants: explicit keywords, stored untouched.
@dataclass(eq=False, repr=False, kw_only=True)
class CircuitEstimator(DensityEstimator):
    """A learner behind scikit-learn's interface; ``SoftLearn`` explains the parameters."""

    learner: ClassVar[str]  # a name in LEARNERS

    clustering: Literal["em", "kmeans"] = _DEFAULT.clustering
    n_clusters: int | None = None
    test: Literal["chi2", "g"] = _DEFAULT.test
    significance: float | None = None
    smoothing: float = _DEFAULT.smoothing
    smoothing_per: Literal["column", "level"] | None = None
    max_iter: int = _DEFAULT.max_iter
    min_weight: float = _DEFAULT.min_weight
    leaf: str | Mapping[str, str] = "gaussian"
    max_depth: int | None = None
    max_nodes: int | None = None
    time_budget: float | None = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0
    on_interrupt: Literal["raise", "keep"] = "raise"
    schema: Schema | Mapping[str, Choice] | None = None
    missing: Missing = "unobserved"
    unknown: Unknown = "error"

    def fit(self, X: Frame, y: object = None, sample_weight: object = None) -> Self:  # noqa: N803
        """Learn a circuit from a table.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            At least two rows; missing cells are welcome.
        y : ignored
            A target is a column like any other: keep it in ``X``.
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 is the row twice, 0 its absence.

        Returns
        -------
        self
        """
        chosen = self._read_parameters()
        table = self._first_table(X)
        weights = read_training_weights(sample_weight, open_frame(table).n_rows)
        schema = self._schema_of(table, weights)
        check_leaves(self.leaf, schema)
        values = encode(table, schema, unknown=self.unknown)
        for name, usual in usual_choices(schema, float(weights.sum())).items():
            chosen[name] = usual if chosen[name] is None else chosen[name]
        config = GrowConfig(**{name: chosen[name] for name in _CHOICES & chosen.keys()})
        self.model_ = Model(self._learn(Block(values, weights), schema, config))
        self.schema_ = schema
        self._remember_columns(table)
        return self

    def _schema_of(self, table: Frame, weights: Floats) -> Schema:
        found = self.schema
        if not isinstance(found, Schema):
            found = infer_schema(table, overrides=found, missing=self.missing, weights=weights)
        return found.override(plain_for_histograms(self.leaf, found))

    def _learn(self, block: Block, schema: Schema, config: GrowConfig) -> Circuit:
        with progress_line(self.verbose) as watch:
            engine = Engine(
                n_jobs=_n_threads(self.n_jobs),
                watch=watch,
                keep_partial=self.on_interrupt == "keep",
            )
            seed = read_seed(self.random_state)
            return LEARNERS[self.learner]([block], schema, config, seed, engine)


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
