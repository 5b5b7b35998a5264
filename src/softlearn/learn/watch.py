"""How growing is carried out and watched; none of it changes the result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Progress:
    """How far a circuit has grown.

    Attributes
    ----------
    total
        Weight of all rows times the number of columns.
    done
        What of it has become leaves.
    n_nodes
        Leaves and inner nodes so far.
    """

    total: float
    done: float = 0.0
    n_nodes: int = 0
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
        """Count new nodes, and what is finished with them."""
        self.n_nodes += n_nodes
        self.done += done


def _ignore(progress: Progress) -> None:
    """Watch nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Who works, and who looks on.

    Attributes
    ----------
    n_jobs
        Threads that split slices.
    watch
        Called after every few slices.
    keep_partial
        Whether an interrupt (Ctrl-C) closes what is open and keeps the circuit, or ends it all.
    """

    n_jobs: int = 1
    watch: Callable[[Progress], None] = _ignore
    keep_partial: bool = False
