"""One fit of a search: learner, settings and result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit

OUT_OF_TIME: Final = "out of time"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A learner and settings of it.

    Attributes
    ----------
    learner
        Its name in the registry.
    settings
        Parameters that differ from their defaults or were drawn.
    kind
        Candidates of the same kind compete; the best of each kind can join the mixture.
    """

    learner: str
    settings: Mapping[str, Any]
    kind: str

    def __str__(self) -> str:
        chosen = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.learner}({chosen})"


@dataclass(slots=True, kw_only=True)
class Trial:
    """The log entry of a fit.

    Attributes
    ----------
    stage
        "search", "member" or "refit".
    n_rows
        Number of training rows.
    bootstrap
        Whether rows were drawn with replacement.
    score
        Its mean log-density of the held-out rows in nats; NaN if it failed.
    best
        That of the best model so far, this one included.
    seconds
        Fit time.
    at
        When it was finished, in seconds since the start.
    weight
        Its share of the final mixture.
    outcome
        "done", "out of time", or why the learner refused the table.
    """

    stage: str
    candidate: Candidate
    n_rows: int
    bootstrap: bool = False
    score: float = np.nan
    best: float = np.nan
    n_nodes: int = 0
    seconds: float = 0.0
    at: float = 0.0
    weight: float = 0.0
    outcome: str = "done"


@dataclass(slots=True, eq=False)
class Fitted:
    """A circuit, with everything that is needed to learn it again."""

    trial: Trial
    circuit: Circuit
    logs: Floats  # (held-out rows,) log-density
    seed: np.random.SeedSequence = field(repr=False)

    @property
    def candidate(self) -> Candidate:
        """Its learner and settings."""
        return self.trial.candidate
