"""The systems that are compared, and the grid of each for the validation split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from softlearn.numeric_policy import SMOOTHING_GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A learner, and the grid of its parameters.

    Attributes
    ----------
    label
        Its name in the table.
    learner
        Its name in the registry.
    fixed
        Parameters that are the same for all tables.
    grid
        Parameters that are chosen on the validation split.
    published
        Its column in the comparison table; None if it has none.
    cost
        About how long a setting takes, in any unit, by the cells of the training table.
    """

    label: str
    learner: str
    fixed: Mapping[str, Any]
    grid: Mapping[str, Sequence[Any]]
    published: str | None = None
    cost: float = 1.0

    @property
    def settings(self) -> list[dict[str, Any]]:
        """All settings of the grid."""
        crossed = product(*self.grid.values())
        return [dict(zip(self.grid, values, strict=True)) for values in crossed]


_PAPER: Final = {"smoothing_per": "level", "n_clusters": 2}
_PAPER_GRID: Final = {"significance": (0.01, 0.001, 0.0001), "smoothing": SMOOTHING_GRID[:2]}

# Cheap ones first.
COMPARED: Final[dict[str, System]] = {
    "cnet": System(
        label="CNET",
        learner="cutsetnetwork",
        fixed={},
        grid={"min_rows": (100, 300, 1000), "penalty": (0.5, 1.0)},
        published="cnet",
    ),
    "tree": System(
        label="Chow–Liu tree",
        learner="chowliutree",
        fixed={},
        grid={"smoothing": (0.1, 1.0, 5.0)},
    ),
    "random": System(
        label="random circuits, 40",
        learner="randomcircuits",
        fixed={"n_members": 40},
        grid={"min_rows": (200, 500)},
        cost=5.0,
    ),
    "learnspn": System(
        label="LearnSPN (Correia)",
        learner="learnspn",
        fixed=_PAPER,
        grid=_PAPER_GRID,
        published="learnspn_correia",
    ),
    "softlearn": System(
        label="SoftLearn",
        learner="softlearn",
        fixed=_PAPER,
        grid=_PAPER_GRID,
        published="softlearn",
        cost=2.0,
    ),
    "learnpsdd": System(
        label="LearnPSDD",
        learner="learnpsdd",
        fixed={},
        grid={"min_gain": (0.25, 0.5, 1.0)},
        published="learnpsdd",
        cost=10.0,
    ),
    "gens": System(
        label="LearnSPN (Gens)",
        learner="learnspn",
        fixed={"variant": "gens", "significance": 0.0001},
        grid={"cluster_penalty": (0.2, 0.4, 0.6)},
        published="learnspn_gens",
        cost=5.0,
    ),
    "idspn": System(
        label="ID-SPN, tree leaves",
        learner="idspn",
        fixed={},
        grid={"penalty": (0.25, 0.5, 1.0)},
        cost=10.0,
    ),
    "hclt": System(
        label="HCLT",
        learner="hclt",
        fixed={},
        grid={"n_states": (8, 16)},
        published="hclt",
        cost=15.0,
    ),
    "ratspn": System(
        label="RAT-SPN",
        learner="ratspn",
        fixed={},
        grid={"depth": (2, 3)},
        published="ratspn",
        cost=30.0,
    ),
    "einet": System(
        label="EiNet",
        learner="einsumnetwork",
        fixed={},
        grid={},
        published="einet",
        cost=30.0,
    ),
}
