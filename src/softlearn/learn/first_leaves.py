"""Leaves to start parameter learning from: each like its column, drawn towards a few rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit import cells_of
from softlearn.leaf import (
    HISTOGRAM,
    Family,
    LeafOptions,
    Stats,
)
from softlearn.learn.blocks import Block
from softlearn.learn.config import GrowConfig
from softlearn.learn.grower_config import Leaves, usual_smoothing_per
from softlearn.learn.leaves import family_of, know_nothing, pseudo_counts
from softlearn.learn.m_step import PseudoRows
from softlearn.numeric_policy import SCALE_SMOOTHING
from softlearn.stats.bins import histogram_edges
from softlearn.table.schema import Schema

ROWS_OF_A_LEAF: Final = 4  # that a leaf is drawn towards
_COLUMN: Final = 4.0  # rows that its column as a whole counts for


@dataclass(frozen=True, eq=False)
class FirstLeaves:
    """Makes leaves over the columns of a table of different rows with weights."""

    block: Block
    schema: Schema
    config: GrowConfig

    @staticmethod
    def of(block: Block, schema: Schema, chosen: Leaves) -> FirstLeaves:
        """Settle what was left open."""
        config = GrowConfig(
            smoothing=chosen.smoothing,
            smoothing_per=chosen.smoothing_per or usual_smoothing_per(schema),
            leaf=chosen.leaf,
            deviation_floor=chosen.deviation_floor,
        )
        return FirstLeaves(block, schema, config)

    def pseudo_rows(self, of_sum: float) -> PseudoRows:
        """Return what parameter learning counts beside the rows."""
        return PseudoRows.like(
            self.block,
            self.schema,
            [pseudo_counts(weights, self.config) for weights in self._level_weights],
            of_sum=of_sum,
            of_leaf=self.config.smoothing,
            floor=self.config.deviation_floor,
        )

    def rows(self, n: int, rng: np.random.Generator) -> Offsets:
        """Return rows for n leaves to be drawn towards, (n, rows of a leaf), by their weights."""
        share = self.block.weights / self.block.weights.sum()
        return rng.choice(share.size, (n, ROWS_OF_A_LEAF), p=share)

    def over(self, column: int, rows: Offsets) -> tuple[Family, Floats]:
        """Return leaves over a column, (leaves, n), each drawn towards the rows of its own."""
        about = self.schema.columns[column]
        family = family_of(self.schema, self.config, column).on(cells_of(about))
        cells, weights = self.block.values[column], self.block.weights
        edges = histogram_edges(cells, weights) if family.name == HISTOGRAM.name else None
        known = ~np.isnan(cells)
        if not known.any():
            return family, np.tile(know_nothing(about, edges), (rows.shape[0], 1))

        def summary(cells: Floats, weights: Floats) -> Stats:
            return family.summarise(cells, weights, n_levels=about.n_levels, edges=edges)

        whole = summary(cells, weights * (_COLUMN / weights[known].sum()))
        options, ones = self._options(column, family), np.ones(rows.shape[1])
        return family, np.stack(
            [family.finish(family.merge(whole, summary(cells[own], ones)), options) for own in rows]
        )

    def _options(self, column: int, family: Family) -> LeafOptions:
        smoothing: float | Floats = self.config.smoothing
        if family.discrete:
            smoothing = pseudo_counts(self._level_weights[column], self.config)
        elif self.schema.columns[column].scale is not None:
            smoothing = SCALE_SMOOTHING
        return LeafOptions(smoothing=smoothing, deviation_floor=float(self._floor[column]))

    @cached_property
    def _floor(self) -> Floats:
        return self.config.deviation_floor * self.pseudo_rows(0.0).spread

    @cached_property
    def _level_weights(self) -> list[Floats]:
        """The weight of each level of each column; nothing for numbers."""
        found = []
        for column, cells in zip(self.schema, self.block.values, strict=True):
            known = ~np.isnan(cells) & column.is_discrete
            codes = cells[known].astype(np.intp)
            counts = np.bincount(codes, self.block.weights[known], column.n_levels)
            found.append(counts.astype(np.float64))
        return found
