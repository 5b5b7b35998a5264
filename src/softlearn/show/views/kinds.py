"""The kinds of rows that a model tells apart, and how likely a row is of each."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.model import Model
from softlearn.query import Evidence
from softlearn.query.nodes import node_log_values
from softlearn.show.cells import Cells, over_cells, quantile_cells
from softlearn.show.groups import Branch, branches
from softlearn.show.shifts import Parts
from softlearn.show.views.values import Json

_KINDS = 4  # at least, if the circuit has as many
_SHIFTS = 3  # columns that are named for each


class Kinds:
    """Branches of the topmost sums, and the columns in which they differ from the whole."""

    def __init__(self, model: Model) -> None:
        self._circuit: Circuit = model.circuit
        self.cells: list[Cells] = quantile_cells(model)
        self.twin = over_cells(model.circuit, self.cells)

    @cached_property
    def _branches(self) -> list[Branch]:
        return branches(self._circuit, _KINDS)

    @cached_property
    def described(self) -> list[Json]:
        """The kinds, the most common first: their share, and what distinguishes them."""
        starts = [[self._circuit.root], *(list(branch.nodes) for branch in self._branches)]
        parts = Parts(self._circuit, self.twin, self.cells, starts)
        return [
            {
                "share": branch.share,
                "words": [shift.words for shift in parts.shifts(1 + i, 0, _SHIFTS)],
            }
            for i, branch in enumerate(self._branches)
        ]

    def memberships(self, evidence: Evidence) -> Floats:
        """Return how likely each row is of each kind, (rows, kinds); NaN for impossible rows."""
        value = node_log_values(self._circuit, evidence)
        own = np.array([value[list(branch.nodes)].sum(axis=0) for branch in self._branches])
        share = np.log([branch.share for branch in self._branches])[:, None]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.exp(own + share - value[self._circuit.root]).T)
