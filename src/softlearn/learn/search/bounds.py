"""The limits of a search in time and work, and its progress reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of a search.

    Attributes
    ----------
    seconds
        Time limit; with None only the work is limited, and the seed determines the result.
    max_fits
        The most fits, not counting members that are learnt again from all rows; None is no limit.
    max_members
        The most members of the mixture.
    """

    seconds: float | None = None
    max_fits: int | None = None
    max_members: int = 50


class StageLimits(NamedTuple):
    """The limits of one stage of a search."""

    ends: float  # in seconds since the start of the search
    max_fits: float


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """The progress of a search."""

    stage: str
    n_fits: int
    score: float  # of the best model so far, on held-out rows; -inf before the first
    seconds: float
    seconds_left: float  # inf if time is not bounded


def ignore(news: News) -> None:
    """Watch nothing."""


class OutOfTime(Exception):  # noqa: N818 - no error: a fit is given up
    """A fit has run out of time."""


@dataclass
class Clock:
    """Time and fits that are used and left."""

    bounds: Bounds
    watch: Callable[[News], None] = ignore
    n_fits: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.started

    @property
    def total(self) -> float:
        """The time limit."""
        return np.inf if self.bounds.seconds is None else self.bounds.seconds

    def left(self, share: float = 1.0) -> float:
        """Return the seconds until a share of the time limit is used."""
        return share * self.total - self.seconds

    @property
    def has_fits(self) -> bool:
        """Whether another fit is allowed."""
        return self.bounds.max_fits is None or self.n_fits < self.bounds.max_fits

    def tell(self, stage: str, score: float) -> None:
        """Call the progress callback."""
        left = max(0.0, self.left())
        self.watch(
            News(
                stage=stage,
                n_fits=self.n_fits,
                score=score,
                seconds=self.seconds,
                seconds_left=left,
            )
        )
