"""The memory of a grower: nothing by default; ``checkpoint`` has one that uses a folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from softlearn.arrays import Offsets
from softlearn.learn.pieces import Piece
from softlearn.learn.slices import OpenPlace
from softlearn.stats.clusters import Clusters


class Decision(NamedTuple):
    """A decision about a large slice, which took many passes over its rows.

    Attributes
    ----------
    label
        (columns,) columns with the same label depend on each other.
    clusters
        The clusters of the rows, if they were clustered.
    """

    label: Offsets
    clusters: Clusters | None


class Memory:
    """The default memory, which stores nothing, so that every sub-tree is grown."""

    def subtree(self, place: OpenPlace) -> Piece | None:
        """Return all that has grown at a place, if it is finished."""

    def decision(self, place: OpenPlace) -> Decision | None:
        """Return what was decided about the rows at a place."""

    def keep_decision(self, place: OpenPlace, decision: Decision) -> None:
        """Remember what was decided about the rows at a place."""

    def keep_piece(
        self, place: OpenPlace, piece: Piece, opened: Sequence[OpenPlace], *, cut_short: bool
    ) -> None:
        """Remember what has grown at a place, and which places it has opened in turn.

        A piece that was cut short by an interrupt is not stored.
        """
