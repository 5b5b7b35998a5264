"""A system's figures in one task, and how long it took to get them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from softlearn import CircuitMixture, SoftLearn

SINGLE = "SoftLearn"
MIXTURE = "CircuitMixture(10)"
MEMBERS = 10


@dataclass
class Measured:
    """Figures by name; seconds of fit and of all answers together."""

    figures: dict[str, float] = field(default_factory=dict)
    fit_seconds: float = 0.0
    answer_seconds: float = 0.0

    @contextmanager
    def fitting(self) -> Iterator[None]:
        """Count the seconds as those of the fit; a rival that stops early may do so quietly."""
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            yield
        self.fit_seconds += time.perf_counter() - start

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Count the seconds as those of the answers."""
        start = time.perf_counter()
        yield
        self.answer_seconds += time.perf_counter() - start


class NotRunError(Exception):
    """A system has no figures here; the message says why."""


def circuits(seed: int, schema: Any = None, **choices: Any) -> dict[str, Any]:
    """Return our learners by name: one circuit, and ten of them as one."""
    single = SoftLearn(random_state=seed, schema=schema, **choices)
    several = CircuitMixture(
        SoftLearn(**choices), n_estimators=MEMBERS, n_jobs=-1, random_state=seed, schema=schema
    )
    return {SINGLE: single, MIXTURE: several}
