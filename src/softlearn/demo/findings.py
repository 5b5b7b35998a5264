"""The demo's computations, step by step: learnt answers beside true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from softlearn import Column
from softlearn.demo.tables import N_FRESH, N_ROWS, Frame, Lossy, drawn, lossy
from softlearn.estimators import CircuitOutlierDetector, LearnSPN, SoftLearn
from softlearn.model import Model
from softlearn.table.choice import Choice

ALONE: Final = "each column alone"
TRUTH: Final = "the truth"
KNOWN: Final = {"km": (8, 12), "place": {"town", "village"}}
ASKED: Final = "car"
# Every cell by itself is common: many people are 76, and many earn 85, but hardly any both.
PLANTED: Final[dict[str, object]] = {
    "place": "town",
    "owns": True,
    "people": 2,
    "age": 76,
    "income": 85.0,
    "car": "none",
    "km": 2.1,
}
SIZES: Final = (200, N_ROWS)  # few rows and more: the learners differ in how much they need
_N_TABLES = 10
# The true distribution has plain numbers, so models of plain numbers have comparable scores.
_PLAIN: Final[dict[str, Choice]] = {name: {"scale": "plain"} for name in ("age", "income", "km")}
# A small table may lack a household of six, which fresh rows then have.
_KNOWN_COLUMNS: Final[dict[str, Choice]] = {
    **_PLAIN,
    "people": Column("people", "categorical", (1, 2, 3, 4, 5, 6)),
}
_FRESH_SEED = 100  # far from the seeds of the tables to learn from


@dataclass(frozen=True)
class Scores:
    """Mean log-densities of fresh rows after learning from tables of one size."""

    rows: int
    fresh: dict[str, float]
    tables: int
    softlearn_nearer: int  # tables with which SoftLearn beat LearnSPN

    def behind(self, system: str) -> float:
        """Return how far below the truth a system is, in nats."""
        return self.fresh[TRUTH] - self.fresh[system]


@dataclass(frozen=True)
class Answer:
    """The probability of each level: without knowledge, as learnt, and as it is."""

    level: str
    before: float
    learnt: float
    true: float


@dataclass(frozen=True)
class Filled:
    """How well the missing cells of a column are filled: the share of right ones, or the error."""

    column: str
    cells: int
    counts_right: bool
    guess: float
    learnt: float


@dataclass(frozen=True)
class Odd:
    """The planted row: how odd it is among fresh ones, and the surprise of each of its cells."""

    log_density: float
    usual: float
    place: int
    among: int
    why: dict[str, float]


def compare(truth: Model, n_rows: int) -> Scores:
    """Learn from several tables of a size, and score each circuit on the same fresh rows."""
    fresh = drawn(truth, N_FRESH, _FRESH_SEED)
    learners = {
        ALONE: SoftLearn(max_depth=0, random_state=0, schema=_KNOWN_COLUMNS),
        "LearnSPN": LearnSPN(random_state=0, schema=_KNOWN_COLUMNS),
        "SoftLearn": SoftLearn(random_state=0, schema=_KNOWN_COLUMNS),
    }
    tables = [lossy(truth, seed, n_rows).table for seed in range(_N_TABLES)]
    scores = {
        name: np.array([learner.fit(table).score(fresh) for table in tables])
        for name, learner in learners.items()
    }
    means = {name: float(found.mean()) for name, found in scores.items()}
    nearer = int((scores["SoftLearn"] > scores["LearnSPN"]).sum())
    return Scores(n_rows, {**means, TRUTH: truth.score(fresh)}, _N_TABLES, nearer)


def ask(learnt: Model, truth: Model) -> list[Answer]:
    """Query both models for the kind of car, given the distance driven."""
    answers = [
        Answer(
            level,
            before=truth.probability({ASKED: level}),
            learnt=learnt.probability({ASKED: level}, given=KNOWN),
            true=truth.probability({ASKED: level}, given=KNOWN),
        )
        for level in map(str, truth.schema[ASKED].levels or ())
    ]
    return sorted(answers, key=lambda one: one.true, reverse=True)


def fill(learnt: Model, rows: Lossy) -> list[Filled]:
    """Fill the lost cells from the rest of their rows, and from their columns alone."""
    table = rows.table
    filled = learnt.impute(table, "mean")
    found = []
    for position, name in enumerate(table.columns):
        lost, is_discrete = rows.lost[:, position], learnt.schema[name].is_discrete
        guess = table[name].mode()[0] if is_discrete else table[name].mean()
        quality = _share_right if is_discrete else _typical_error
        marks = [quality(one, rows.full[name][lost]) for one in (guess, filled[name][lost])]
        found.append(Filled(name, int(lost.sum()), is_discrete, *marks))
    return found


def _share_right(answer: Any, truth: Any) -> float:  # noqa: ANN401 - cells, or one for all
    return float((answer == truth).mean())


def _typical_error(answer: Any, truth: Any) -> float:  # noqa: ANN401 - cells, or one for all
    """Return the root of the mean square, which the mean makes smallest."""
    return float(((answer - truth) ** 2).mean() ** 0.5)


def spot(truth: Model, table: Frame) -> Odd:
    """Add an unusual row to fresh ones, detect it, and explain it."""
    import pandas as pd  # noqa: PLC0415 - whoever came so far has it

    learner = SoftLearn(random_state=0, schema=_PLAIN)
    detector = CircuitOutlierDetector(learner, contamination=0.01).fit(table)
    fresh, planted = drawn(truth, N_FRESH, _FRESH_SEED), pd.DataFrame([PLANTED])
    others, own = detector.score_samples(fresh), float(detector.score_samples(planted)[0])
    why = detector.explain(planted).iloc[0].sort_values(ascending=False)
    return Odd(
        log_density=own,
        usual=float(np.median(others)),
        place=1 + int((others < own).sum()),
        among=len(fresh) + 1,
        why={str(name): float(nats) for name, nats in why.items()},
    )
