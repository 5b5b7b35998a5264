"""Grid search by the log-density of held-out rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from softlearn.errors import SoftlearnError
from softlearn.estimators.built_on import (
    fit_learner,
    learner_like,
    schema_for,
    unknown_of,
    with_schema,
)
from softlearn.estimators.circuit_estimator import CircuitEstimator
from softlearn.estimators.parameters import (
    ESTIMATOR,
    N_JOBS,
    RANDOM_STATE,
    VERBOSE,
    read_seed,
    read_training_weights,
)
from softlearn.estimators.progress import progress_bar
from softlearn.estimators.table_estimator import as_table
from softlearn.estimators.trials import Outcome, Search, Trial, splits
from softlearn.learn import LEARNERS
from softlearn.learn.parameters import read_parameters
from softlearn.model import Model
from softlearn.model.given import Frame
from softlearn.model.randomness import RandomState
from softlearn.table import encode
from softlearn.table.frames import open_frame

Grid: TypeAlias = Mapping[str, Sequence[object]] | Sequence[Mapping[str, Sequence[object]]]

_RULES: Final = {
    "estimator": ESTIMATOR,
    "random_state": RANDOM_STATE,
    "n_jobs": N_JOBS,
    "verbose": VERBOSE,
}
_FORMATS: Final = {"score": ".4f", "n_nodes": ".0f", "seconds": ".2f"}


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """The result of a search; printing it shows the table of results, best first.

    Attributes
    ----------
    best_params
        The combination with the best score.
    best_score
        Its mean log-density of rows that were not learnt from, in nats.
    estimator
        An estimator with these parameters, fitted on the whole table.
    table
        One dict for each combination, best first: its parameters, ``score``, ``n_nodes`` of the
        circuit and ``seconds`` to learn it, each the mean over the splits.
    """

    best_params: dict[str, object]
    best_score: float
    estimator: Any
    table: tuple[dict[str, Any], ...]

    @property
    def model(self) -> Model:
        """The estimator's model."""
        model: Model = self.estimator.model_
        return model

    def __repr__(self) -> str:
        names = list(dict.fromkeys(name for row in self.table for name in row))
        lines = [
            names,
            *([_shown(name, row.get(name, "")) for name in names] for row in self.table),
        ]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        )


def tune(
    X: Frame,  # noqa: N803
    estimator: Any = None,  # noqa: ANN401 - any estimator
    grid: Grid | Literal["paper", "wide"] | None = None,
    *,
    valid: Frame | float | int | None = None,
    sample_weight: object = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Tuned:
    """Try every combination of a grid, and learn with the best.

    Parameters
    ----------
    X : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The table to learn from.
    estimator : estimator that learns a circuit, or the name of a learner, optional
        ``SoftLearn()`` by default; parameters outside the grid keep its values.
    grid : mapping of parameter to values, a list of such mappings, "paper" or "wide", optional
        By default the learner's own grid, which its documentation lists. That of ``SoftLearn`` and
        ``LearnSPN``, also called ``"paper"``, is the paper's: ``significance``, ``smoothing`` and,
        where it has an effect, ``beta``. ``"wide"`` has many more combinations, also of the number
        of clusters; ``AutoCircuit`` searches it in less time.
    valid : frame, float or int, optional
        A validation table, the share of the rows that is held out (a fifth by default), or the
        number of folds of a cross-validation.
    sample_weight : array of shape (rows,), optional
        The weight of each row, in learning and in scoring.
    random_state : int or numpy.random.Generator, optional
        The source of randomness of the splits, and of the estimator if it has none of its own.
    n_jobs : int, optional
        The number of combinations that are tried in parallel, in threads; -1 is one per core. By
        default one after the other, each with the estimator's own threads.
    verbose : {0, 1}
        Whether a terminal shows how far the search has come.
    """
    common = {"estimator": estimator, "random_state": random_state}
    read_parameters({**common, "n_jobs": n_jobs, "verbose": verbose}, _RULES)
    table = as_table(X)
    weights = read_training_weights(sample_weight, open_frame(table).n_rows)
    seed = read_seed(random_state)
    learner = learner_like(estimator, int(seed.generate_state(1)[0]))
    # Inferred once, so that levels of held-out rows are known in every trial.
    learner = with_schema(learner, schema_for(learner, table, weights))
    combinations = _combinations(learner, grid)
    judge = _judging_table(valid, learner)
    rng = np.random.default_rng(seed)
    held_out = splits(valid, weights.size, rng) if judge is None else [None]
    search = Search(_one_thread(learner, n_jobs), table, weights, judge)
    trials = [Trial(params, rows) for params in combinations for rows in held_out]
    outcomes = _outcomes(search, trials, n_jobs, verbose)
    results = _results(combinations, outcomes)
    best = learner.set_params(**combinations[results[0][0]])
    fit_learner(best, table, weights)
    rows = tuple(row for _, row in results)
    return Tuned(combinations[results[0][0]], rows[0]["score"], best, rows)


def usual_grid(
    learner: Any,  # noqa: ANN401 - any estimator
    *,
    wide: bool = False,
) -> dict[str, tuple[object, ...]]:
    """Return the default grid of a learner; other estimators have none."""
    if not isinstance(learner, CircuitEstimator):
        return {}
    return LEARNERS[learner.learner].grid(learner.get_params(deep=False), wide=wide)


def _combinations(
    learner: Any,  # noqa: ANN401 - any estimator
    grid: Grid | str | None,
) -> list[dict[str, object]]:
    """Return every combination of parameters, or refuse names that the learner lacks."""
    known = learner.get_params()
    if isinstance(grid, str) and grid not in ("paper", "wide"):
        raise SoftlearnError(f"grid must be 'paper', 'wide' or a mapping, not {grid!r}")
    if grid is None or isinstance(grid, str):
        grid = usual_grid(learner, wide=grid == "wide")
    try:
        from sklearn.model_selection import ParameterGrid  # noqa: PLC0415 - loads much

        found = list(ParameterGrid(grid))
    except (TypeError, ValueError) as error:
        raise SoftlearnError(f"grid must map parameters to lists of values: {error}") from error
    strange = sorted({name for params in found for name in params} - set(known))
    if strange:
        raise SoftlearnError(
            f"grid: {type(learner).__name__} has no parameter {strange[0]!r}; it has "
            f"{', '.join(sorted(known))}"
        )
    return found


def _judging_table(valid: object, learner: Any) -> Frame | None:  # noqa: ANN401
    """Return the validation table, if there is one, checked before any fit."""
    if isinstance(valid, int | float | np.number | None):
        return None
    judge = as_table(valid)
    encode(judge, learner.schema, unknown=unknown_of(learner))
    return judge


def _one_thread(learner: Any, n_jobs: int | None) -> Any:  # noqa: ANN401
    """Return a copy for trials; if these run in parallel, each has one thread."""
    copy = clone(learner)
    if n_jobs is not None and "n_jobs" in copy.get_params(deep=False):
        copy.set_params(n_jobs=1)
    return copy


def _outcomes(
    search: Search, trials: list[Trial], n_jobs: int | None, verbose: int
) -> list[Outcome]:
    run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    outcomes = []
    with progress_bar("tuning", len(trials), verbose) as advance:
        for outcome in run(delayed(search.run)(trial) for trial in trials):
            outcomes.append(outcome)
            advance()
    return outcomes


def _results(
    combinations: list[dict[str, object]], outcomes: list[Outcome]
) -> list[tuple[int, dict[str, Any]]]:
    """Return position and row of each combination, best first; ties keep their order."""
    n_splits = len(outcomes) // len(combinations)
    results = []
    for place, params in enumerate(combinations):
        mine = outcomes[place * n_splits : (place + 1) * n_splits]
        means = [float(np.mean(values)) for values in zip(*mine, strict=True)]
        results.append((place, {**params, **dict(zip(Outcome._fields, means, strict=True))}))
    return sorted(results, key=lambda found: -found[1]["score"])


def _shown(name: str, value: object) -> str:
    """Return a score rounded for printing, or a parameter as text."""
    return format(value, _FORMATS[name]) if name in _FORMATS else str(value)
