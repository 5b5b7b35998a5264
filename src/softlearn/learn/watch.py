"""Threads and the progress callback of learning, which do not change the result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from softlearn.learn.memory import Memory


@dataclass
class Progress:
    """How far learning has come.

    Attributes
    ----------
    total
        How much there is to do, in any unit; growers count rows, by weight, times columns.
    done
        How much of it is done.
    n_nodes
        Leaves and inner nodes so far.
    n_rows
        The number of training rows, if they are on workers.
    bytes_moved
        Bytes that the workers have sent to each other and to the client.
    """

    total: float
    done: float = 0.0
    n_nodes: int = 0
    n_rows: int | None = None
    bytes_moved: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def share(self) -> float:
        """The part that is finished, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total > 0.0 else 1.0

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.started

    def note(self, n_nodes: int, done: float) -> None:
        """Add to the number of nodes, and to the work that is done."""
        self.n_nodes += n_nodes
        self.done += done


def ignore(progress: Progress) -> None:
    """Watch nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The number of threads, and the progress callback.

    Attributes
    ----------
    n_jobs
        Threads that may work.
    watch
        Called now and then, and at the end.
    keep_partial
        Whether an interrupt (Ctrl-C) returns the circuit grown so far, or is raised.
    memory
        Where growers store and look up finished parts.
    """

    n_jobs: int = 1
    watch: Callable[[Progress], None] = ignore
    keep_partial: bool = False
    memory: Memory = field(default_factory=Memory)
