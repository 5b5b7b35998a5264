"""The distributions of a model's columns given conditions by column name."""

from __future__ import annotations

from collections.abc import Sequence

from softlearn.model import Model
from softlearn.model.asking import Conditions
from softlearn.model.given import read_mapping
from softlearn.query.column_distributions import ColumnDistributions


class GivenDistributions(ColumnDistributions):
    """The distributions of some columns given conditions on others, computed in one pass.

    Parameters
    ----------
    model
        The model.
    positions
        The columns, which must not have conditions.
    given
        The conditions; none by default.
    """

    def __init__(
        self, model: Model, positions: Sequence[int], given: Conditions | None = None
    ) -> None:
        known = read_mapping(given, model.schema)
        super().__init__(model.circuit, positions, known.evidence)
        known.refuse(self.is_impossible, "error")
