"""The options of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from softlearn.datasets.published import must_be_known
from softlearn.errors import SoftlearnError
from softlearn.experiments.cell import CLUSTERINGS, Clustering
from softlearn.learn import LEARNERS

Name = TypeVar("Name", bound=str)

QUICK_ROWS: Final = 1000  # rows that a quick run learns from: seconds a cell, on any data set


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Which part of an experiment is run.

    Attributes
    ----------
    only
        Data sets; empty means all that the experiment has.
    seeds
        How many seeds; None is what the paper, or the experiment, has.
    quick
        One seed and few rows, to check that all works; its results are stored separately.
    time_budget
        Seconds of each search, in the experiment that searches; None is its default.
    systems
        Systems, in experiments that compare several; empty means all.
    betas, clusterings
        Of those experiments that cross them.
    """

    only: tuple[str, ...] = ()
    seeds: int | None = None
    quick: bool = False
    time_budget: float | None = None
    betas: tuple[float, ...] = (LEARNERS["softlearn"].parameters["beta"].default,)
    systems: tuple[str, ...] = ()
    clusterings: tuple[Clustering, ...] = CLUSTERINGS

    def __post_init__(self) -> None:
        for clustering in self.clusterings:
            must_be_known(clustering, CLUSTERINGS, "clustering")
        if self.seeds is not None and self.seeds < 1:
            raise SoftlearnError(f"seeds must be 1 or more, not {self.seeds}")
        if self.time_budget is not None and not self.time_budget > 0.0:
            raise SoftlearnError(f"a time budget is a number above 0, not {self.time_budget}")
        if not self.betas or min(self.betas) <= 0:
            raise SoftlearnError(f"betas must be numbers above 0, not {self.betas}")

    def datasets(self, known: Sequence[str]) -> list[str]:
        """Return the chosen data sets in the experiment's own order."""
        for name in self.only:
            must_be_known(name, known, "data set of this experiment")
        return [name for name in known if not self.only or name in self.only]

    def systems_of(self, known: Sequence[Name]) -> list[Name]:
        """Return the chosen systems in the experiment's own order."""
        for name in self.systems:
            must_be_known(name, known, "system")
        return [name for name in known if not self.systems or name in self.systems]

    def seeds_or(self, default: int) -> range:
        """Return the seeds to run."""
        return range(self.seeds or (1 if self.quick else default))

    @property
    def max_rows(self) -> int | None:
        """The most rows to learn from."""
        return QUICK_ROWS if self.quick else None
