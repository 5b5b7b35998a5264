"""Learn, draw and judge in a process of its own, and print the row as JSON.

`python -m benchmarks.tables.one_case '{"dataset": "adult", …}'`: a process of its own, because the
peak of memory is that of a process. It is read before the judges come, who need more.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.tables.settings import SETTINGS
from benchmarks.tables.splits import Split, split_of

WARM_UP_ROWS = 300  # enough for every kernel to be compiled or loaded


@dataclass(frozen=True)
class Case:
    """One table learnt by one setting from one seed; the label tells versions apart."""

    dataset: str
    settings: str
    seed: int
    label: str


@dataclass(frozen=True)
class Drawn:
    """A fitted learner, rows drawn from it, and what they took."""

    estimator: Any
    rows: Any
    fit_seconds: float
    processor_seconds: float  # of the fit; a busy machine does not stretch them
    sample_seconds: float
    peak_mb: float


def measure(case: Case) -> dict[str, Any]:
    """Return the row of a case: figures, seconds and memory."""
    split = split_of(case.dataset)
    drawn = learn_and_draw(case, split)
    begin = time.perf_counter()
    figures, worst_column = judge(case, split, drawn)
    return {
        **asdict(case),
        "figures": {name: _written(value) for name, value in figures.items()},
        "worst_column": worst_column,
        "fit_seconds": round(drawn.fit_seconds, 3),
        "processor_seconds": round(drawn.processor_seconds, 3),
        "sample_seconds": round(drawn.sample_seconds, 3),
        "judge_seconds": round(time.perf_counter() - begin, 1),
        "peak_mb": round(drawn.peak_mb),
        "n_nodes": drawn.estimator.model_.circuit.n_nodes,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "judges": {name: version(name) for name in ("sdmetrics", "xgboost", "scikit-learn")},
    }


def learn_and_draw(case: Case, split: Split) -> Drawn:
    """Fit, and draw as many rows as were learnt from; compilation is over before the clock runs."""
    make = SETTINGS[case.settings]
    make(case.seed).fit(split.train[:WARM_UP_ROWS]).sample(10, random_state=0)
    begin, begin_processor = time.perf_counter(), time.process_time()
    estimator = make(case.seed).fit(split.train)
    fitted, fitted_processor = time.perf_counter(), time.process_time()
    rows = estimator.sample(len(split.train), random_state=case.seed)
    done = time.perf_counter()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Drawn(
        estimator, rows, fitted - begin, fitted_processor - begin_processor, done - fitted, peak_mb
    )


def judge(case: Case, split: Split, drawn: Drawn) -> tuple[dict[str, float], str]:
    """Return all figures of the drawn rows, and which column gives them away most."""
    # Not before: the judges' libraries take memory that is not the learner's.
    from benchmarks.tables import detection, natural, nearness, quality, scores  # noqa: PLC0415
    from benchmarks.tables.columns import by_column  # noqa: PLC0415
    from benchmarks.tables.usefulness import usefulness  # noqa: PLC0415

    rows, train, test, seed = drawn.rows, split.train, split.test, case.seed
    few = min(len(test), len(rows))
    worst = by_column(train, rows, seed)[0]
    figures = {
        "c2st_xgb": detection.c2st_xgb(train, rows, seed),
        "c2st_lr": detection.c2st_lr(train, rows, seed),
        "c2st_xgb_native": detection.c2st_xgb_native(train, rows, seed),
        # A judge of few rows sees less: only equally few of both kinds can be compared.
        "c2st_xgb_test": detection.c2st_xgb(test[:few], rows[:few], seed),
        "c2st_xgb_train_as_few": detection.c2st_xgb(_some(train, few, seed), rows[:few], seed),
        **quality.quality(train, rows)._asdict(),
        **scores.score_figures(drawn.estimator, test),
        **natural.unnatural_figures(train, rows),
        "nearer_to_train": nearness.nearer_to_train(split, rows, seed),
        "worst_column_auc": worst.auc,
    }
    for source, learnt_from in (("drawn", rows), ("real", train)):
        useful = usefulness(learnt_from, split)
        figures |= {f"{name}_from_{source}": value for name, value in useful.items()}
    return figures, worst.names[0]


def _some(frame: Any, n_rows: int, seed: int) -> Any:
    chosen = np.random.default_rng(seed).choice(len(frame), size=n_rows, replace=False)
    return frame.iloc[chosen].reset_index(drop=True)


def _written(value: float) -> float | str:
    """Return a number as JSON knows it; infinity is a word."""
    return round(value, 6) if math.isfinite(value) else str(value)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(Case(**json.loads(sys.argv[1])))))
