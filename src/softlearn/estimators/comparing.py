"""Compare learners on one table: held-out score, size and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from softlearn.arrays import Bools, Floats
from softlearn.errors import SoftlearnError
from softlearn.estimators.built_on import (
    fit_learner,
    learner_like,
    schema_for,
    unknown_of,
    with_schema,
)
from softlearn.estimators.parameters import read_seed, read_training_weights
from softlearn.estimators.table_estimator import as_table
from softlearn.estimators.trials import splits
from softlearn.learn import LEARNERS
from softlearn.markup import block, table
from softlearn.model import Model
from softlearn.model.given import Frame
from softlearn.model.randomness import RandomState
from softlearn.table import Schema
from softlearn.table.frames import open_frame
from softlearn.table.from_lists import frame_from_lists

_WARM_UP_ROWS = 50
_HEAD = ("learner", "held out", "error", "learnt from", "edges", "fit s", "query µs", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How one learner did.

    Attributes
    ----------
    learner
        Its name.
    held_out, error
        Mean log-density of the rows that were not learnt from, in nats, and its standard error.
    train
        Mean log-density of the rows that were.
    nodes, edges
        The size of the circuit.
    fit_seconds
        Time to learn.
    query_seconds
        Time to score a row, with many rows at a time.
    note
        Why it does not accept the table; empty if it does.
    model
        What was learnt, or None.
    """

    learner: str
    held_out: float = np.nan
    error: float = np.nan
    train: float = np.nan
    nodes: int = 0
    edges: int = 0
    fit_seconds: float = np.nan
    query_seconds: float = np.nan
    note: str = ""
    model: Model | None = None

    @property
    def as_dict(self) -> dict[str, Any]:
        """All but the model."""
        found = {name: getattr(self, name) for name in self.__slots__}
        del found["model"]
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """How several learners did on one table; printing it gives a table, best first.

    Attributes
    ----------
    results
        One for each learner, best first; those that do not accept the table are last.
    held_out_rows
        The number of held-out rows.
    """

    results: tuple[Compared, ...]
    held_out_rows: int
    library: str = "pandas"

    @property
    def best(self) -> Compared:
        """The learner with the best score of held-out rows."""
        if self.results[0].model is None:
            raise SoftlearnError(f"no learner accepts this table: {self.results[0].note}")
        return self.results[0]

    @property
    def table(self) -> list[dict[str, Any]]:
        """One dict for each learner: all of its result but the model."""
        return [one.as_dict for one in self.results]

    def frame(self) -> Any:  # noqa: ANN401 - as the caller's
        """Return the table as a frame of the library that the caller's table had."""
        names = list(self.table[0])
        return frame_from_lists(
            {name: [row[name] for row in self.table] for name in names}, self.library
        )

    def lines(self) -> list[tuple[str, ...]]:
        """Return the table as it is printed, its head first."""
        return [_HEAD, *map(_shown, self.results)]

    def __repr__(self) -> str:
        lines = self.lines()
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if 0 < place < len(_HEAD) - 1 else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        head, *rows = self.lines()
        return block(
            f"{len(rows)} learners, {self.held_out_rows:,} rows held out", table(head, rows)
        )


def compare(
    X: Frame,  # noqa: N803
    learners: Sequence[Any] | None = None,
    *,
    valid: Frame | float = 0.2,
    schema: Schema | None = None,
    sample_weight: object = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    watch: Callable[[str, int, int], None] | None = None,
) -> Comparison:
    """Fit several learners to a table, and compare them on held-out rows.

    A learner that does not accept the table is listed with the reason.

    Parameters
    ----------
    X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The table.
    learners : list of names of learners, or of estimators that learn a circuit, optional
        By default all learners with their defaults.
    valid : frame or float
        The held-out rows, or their share of the table.
    schema : Schema, optional
        What the columns are; by default found from the table.
    sample_weight : array of shape (rows,), optional
        The weight of each row, in learning and in scoring.
    random_state : int or numpy.random.Generator, optional
        The source of randomness of the split, and of all learners.
    n_jobs : int, optional
        The number of threads of each learner; by default its own.
    watch : callable, optional
        Called before each learner with its name, its number from 1 on, and how many there are.
    """
    rows = as_table(X)
    weights = read_training_weights(sample_weight, open_frame(rows).n_rows)
    seed = read_seed(random_state)
    own_seed = int(seed.generate_state(1)[0])
    given = list(LEARNERS) if learners is None else list(learners)
    if not given:
        raise SoftlearnError("compare needs at least one learner")
    made = [learner_like(one, own_seed) for one in given]
    judge = None if isinstance(valid, float) else as_table(valid)
    held_out = (
        splits(valid, weights.size, np.random.default_rng(seed))[0] if judge is None else None
    )
    known = np.where(held_out, 0.0, weights) if held_out is not None else weights
    if schema is None:
        schema = schema_for(made[0], rows, known)
    judging = _Judging(rows, judge, held_out, weights)
    results = []
    for number, learner in enumerate(made, start=1):
        if watch is not None:
            watch(_name(learner), number, len(made))
        if n_jobs is not None:
            learner = clone(learner).set_params(n_jobs=n_jobs)  # noqa: PLW2901
        results.append(_compared(with_schema(learner, schema), known, judging))
    results.sort(key=lambda one: (one.model is None, -one.held_out))
    library = open_frame(rows).library
    return Comparison(tuple(results), judging.n_rows, "pandas" if library == "numpy" else library)


@dataclass(frozen=True, eq=False)
class _Judging:
    """The validation rows: a separate table, or some rows of the training table."""

    rows: Frame
    judge: Frame | None
    held_out: Bools | None
    weights: Floats

    @property
    def n_rows(self) -> int:
        if self.held_out is not None:
            return int(np.count_nonzero(self.held_out & (self.weights > 0.0)))
        return open_frame(self.judge).n_rows

    def scores(self, model: Model, unknown: Any) -> tuple[Floats, Floats, float, float]:  # noqa: ANN401
        """Return the scores and weights of the validation rows, the training score, and seconds."""
        model.score_samples(self.rows, unknown=unknown)  # the first call compiles
        started = perf_counter()
        every = model.score_samples(self.rows, unknown=unknown)
        seconds = (perf_counter() - started) / every.size
        if self.held_out is None:
            own = model.score_samples(self.judge, unknown=unknown)
            return own, np.ones(own.size), _mean(every, self.weights), seconds
        learnt = np.where(self.held_out, 0.0, self.weights)
        counted = self.held_out & (self.weights > 0.0)
        return every[counted], self.weights[counted], _mean(every, learnt), seconds


def _compared(learner: Any, weights: Floats, judging: _Judging) -> Compared:  # noqa: ANN401
    """Return the result of one learner, or why it does not accept the table."""
    try:
        few = np.where(np.cumsum(weights > 0.0) <= _WARM_UP_ROWS, weights, 0.0)
        fit_learner(clone(learner), judging.rows, few)  # the first fit compiles
        started = perf_counter()
        model = fit_learner(learner, judging.rows, weights)
        fit_seconds = perf_counter() - started
        scores, counted, train, query_seconds = judging.scores(model, unknown_of(learner))
    except SoftlearnError as error:
        return Compared(learner=_name(learner), note=str(error))
    mean = _mean(scores, counted)
    spread = (
        np.sqrt(np.average((scores - mean) ** 2, weights=counted)) if np.isfinite(mean) else np.nan
    )
    return Compared(
        learner=_name(learner),
        held_out=mean,
        error=float(spread / np.sqrt(max(scores.size - 1, 1))),
        train=train,
        nodes=model.circuit.n_nodes,
        edges=model.circuit.n_edges,
        fit_seconds=fit_seconds,
        query_seconds=query_seconds,
        model=model,
    )


def _mean(scores: Floats, weights: Floats) -> float:
    counted = weights > 0.0
    return float(np.average(scores[counted], weights=weights[counted]))


def _name(learner: Any) -> str:  # noqa: ANN401 - an estimator
    return type(learner).__name__


def _shown(one: Compared) -> tuple[str, ...]:
    if one.model is None:
        return (one.learner, *["–"] * 6, one.note)
    return (
        one.learner,
        f"{one.held_out:.4f}",
        f"{one.error:.4f}",
        f"{one.train:.4f}",
        f"{one.edges:,}",
        f"{one.fit_seconds:.2f}",
        f"{1e6 * one.query_seconds:.2f}",
        one.note,
    )
