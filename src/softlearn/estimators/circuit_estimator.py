"""The base of all learners' estimators: ``fit``, and the parameters that they share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.estimators.density_estimator import DensityEstimator
from softlearn.estimators.parameters import (
    N_JOBS,
    RANDOM_STATE,
    SCHEMA,
    UNKNOWN,
    VERBOSE,
    check_leaves,
    plain_for_histograms,
    read_seed,
    read_training_weights,
)
from softlearn.estimators.progress import progress_bar, progress_line
from softlearn.learn import LEARNERS, Block, Engine, Entry
from softlearn.learn.parameters import parameter
from softlearn.learn.rules import is_whole, one_of
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState
from softlearn.table import Schema, decode, encode, infer_schema
from softlearn.table.choice import Choice
from softlearn.table.column import Missing
from softlearn.table.frames import open_frame
from softlearn.table.partitioned import is_partitioned


def learn_here(
    blocks: Sequence[Block],
    schema: Schema,
    entry: Entry[Any],
    config: Any,  # noqa: ANN401 - the entry's own
    *,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Learn a circuit from rows in memory; ``softlearn.scale.learn`` is for all others."""
    return entry.learn(blocks, schema, config, seed, engine)


# A dataclass has the constructor that scikit-learn requires: explicit keywords, stored unchanged.
@dataclass(eq=False, repr=False, kw_only=True)
class CircuitEstimator(DensityEstimator):
    """A learner behind scikit-learn's interface, with the parameters that all learners share."""

    learner: ClassVar[str]  # its name in LEARNERS

    random_state: RandomState = parameter(
        None,
        RANDOM_STATE,
        "The source of randomness; the same number gives the same circuit.",
    )
    n_jobs: int | None = parameter(
        None,
        N_JOBS,
        "The number of threads, by default one per core; it does not change the circuit.",
    )
    verbose: int = parameter(0, VERBOSE, "Whether progress is shown in a terminal or notebook.")
    on_interrupt: Literal["raise", "keep"] = parameter(
        "raise",
        one_of("raise", "keep"),
        "Whether Ctrl-C raises ``KeyboardInterrupt``, or stops learning and keeps the circuit so "
        "far.",
    )
    schema: Schema | Mapping[str, Choice] | None = parameter(
        None,
        SCHEMA,
        "The schema of the table, or overrides of the inferred one: a kind, or settings such as "
        '``{"scale": "plain"}`` or ``{"lower": 0, "missing": "modelled"}``.',
    )
    missing: Missing = parameter(
        "unobserved",
        one_of("unobserved", "modelled"),
        "How a missing cell is treated: as unobserved, so that it is summed out, or as a value of "
        "its own, with a probability in every column with missing cells. Drawn rows then have "
        'missing cells as the data has, and ``model_.probability({"age": {None}})`` is defined. '
        "A ``Schema`` has this choice for each column.",
    )
    unknown: Unknown = parameter(
        "error",
        UNKNOWN,
        "Whether an unknown level in a table, such as one that only rows to be scored have, is an "
        "error or treated as missing; methods can override it. An unknown level in a dict is "
        "always an error.",
    )

    def fit(self, X: Frame, y: object = None, sample_weight: object = None) -> Self:  # noqa: N803
        """Learn a circuit from a table.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
            At least two rows; it may have missing cells, unless the learner does not accept them. A
            Dask DataFrame or Array is read partition by partition.
        y : ignored
            A target is a column like any other: keep it in ``X``.
        sample_weight : array of shape (rows,), optional
            The weight of each row: 2 counts it twice, 0 ignores it. Weights that add to one row or
            less, or to more than 2**53, count in proportion alone, as if their mean were 1. Those
            of a Dask table are a Dask Series or Array, or the name of a column.

        Returns
        -------
        self
        """
        chosen = self._read_parameters()
        if is_partitioned(X):
            return self._fit_partitions(X, sample_weight, chosen)
        table = self._first_table(X)
        weights = read_training_weights(sample_weight, open_frame(table).n_rows)
        found = self.schema
        if not isinstance(found, Schema):
            found = infer_schema(table, overrides=found, missing=self.missing, weights=weights)
        schema = self._settled(found)
        values = encode(table, schema, unknown=self.unknown)
        self.model_ = self._learnt([Block(values, weights)], schema, chosen)
        self.schema_ = schema
        self._remember_columns(table)
        return self

    def _fit_partitions(self, X: Frame, sample_weight: object, chosen: Mapping[str, Any]) -> Self:  # noqa: N803
        """Learn from a table in partitions."""
        from softlearn import scale  # noqa: PLC0415 - loads Dask

        rows = scale.with_training_weights(scale.partitions_of(X, sample_weight))
        found = self.schema
        if not isinstance(found, Schema):
            with progress_bar("reading", len(rows.frames), self.verbose) as step:
                found = scale.schema_over(
                    rows,
                    overrides=found,
                    missing=self.missing,
                    watch=lambda share, n_rows: step(),
                )
        schema = self._settled(found)
        blocks = scale.encoded(rows, schema, unknown=self.unknown)
        self.model_ = self._learnt(blocks, schema, chosen, scale.learn)
        self.schema_ = schema
        self._remember_columns(decode(np.empty((len(schema), 0)), schema))
        return self

    def _settled(self, found: Schema) -> Schema:
        """Return the schema with plain numbers for columns with histogram leaves."""
        schema = found.override(plain_for_histograms(getattr(self, "leaf", None), found))
        check_leaves(getattr(self, "leaf", None), schema)
        return schema

    def _learnt(
        self,
        blocks: Sequence[Any],
        schema: Schema,
        chosen: Mapping[str, Any],
        learn: Callable[..., Circuit] = learn_here,
    ) -> Model:
        entry = LEARNERS[self.learner]
        config = entry.config(**{name: chosen[name] for name in entry.parameters})
        if chosen.get("checkpoint") is not None and not is_whole(self.random_state):
            raise SoftlearnError(
                "checkpoint needs a random_state that is a whole number: a fit is resumed with the "
                "seed that it was begun with"
            )
        with progress_line(self.verbose) as watch:
            engine = Engine(
                n_jobs=n_threads(self.n_jobs),
                watch=watch,
                keep_partial=self.on_interrupt == "keep",
            )
            seed = read_seed(self.random_state)
            return Model(learn(blocks, schema, entry, config, seed=seed, engine=engine))

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        tags = super().__sklearn_tags__()
        takes = LEARNERS[self.learner].takes
        tags.input_tags.allow_nan = takes.missing
        tags.input_tags.categorical = tags.input_tags.string = "categorical" in takes.kinds
        return tags


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads may work."""
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
