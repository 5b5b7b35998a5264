"""A cell is one fit with its settings; a row is its record in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final, Literal, TypeAlias

from softlearn.learn import LEARNERS

System: TypeAlias = Literal["learnspn", "softlearn"]  # that the paper's experiments compare
Clustering: TypeAlias = Literal["em", "kmeans"]
Row: TypeAlias = dict[str, Any]  # a cell's choices and its measurements, as JSON holds them

SYSTEMS: Final[tuple[System, ...]] = ("learnspn", "softlearn")
CLUSTERINGS: Final[tuple[Clustering, ...]] = ("em", "kmeans")
NAMES: Final[dict[str, str]] = {
    **{system: LEARNERS[system].label for system in SYSTEMS},
    "em": "EM",
    "kmeans": "k-means",
}
EARLY: Final = 2  # clustering iterations of Early SoftLearn
P: Final = 0.01  # the middle of the paper's significances
CLUSTERS: Final = 2  # at a time, as in the paper

_DEFAULT: Final = LEARNERS["softlearn"].config()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Everything that a fit depends on.

    Attributes
    ----------
    system
        One of the paper's, ``auto`` for the search for the best model, or one of ``systems``.
    p
        Significance of the tests of independence.
    alpha
        Pseudo-count of each level.
    beta
        Hardness of soft k-means; None for everything else, which does not use it.
    deviation_floor
        Smallest deviation of a Gaussian leaf as a share of its column's, if numbers are taken as
        they are; None is the default, and in ``mixed`` means columns with scales.
    max_rows
        The most rows to learn from; None is all.
    time_budget
        Seconds of a search; None for everything else.
    """

    dataset: str
    system: str
    clustering: Clustering = "em"
    p: float = P
    alpha: float = _DEFAULT.smoothing
    beta: float | None = _DEFAULT.beta
    max_iter: int = _DEFAULT.max_iter
    n_clusters: int = CLUSTERS
    deviation_floor: float | None = None
    max_rows: int | None = None
    time_budget: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        learner = LEARNERS.get(self.system)
        beta = None if learner is None else learner.parameters.get("beta")
        if beta is None or not beta.matters({"clustering": self.clustering}):
            object.__setattr__(self, "beta", None)


_NAMES: Final = tuple(field.name for field in fields(Cell))


def row_of(cell: Cell, measured: Mapping[str, Any]) -> Row:
    """Return the record of a finished cell."""
    return {
        **asdict(cell),
        **measured,
        "version": version("softlearn"),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def cell_of(row: Row) -> Cell:
    """Return the cell of a row; settings that the row does not have get their default."""
    return Cell(**{name: row[name] for name in _NAMES if name in row})
