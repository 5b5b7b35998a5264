"""Initial leaves for parameter learning: each fits its column, shifted towards one row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.circuit import cells_of
from softlearn.circuit.draft import Draft
from softlearn.leaf import (
    HISTOGRAM,
    Family,
    LeafOptions,
    Stats,
    family_named,
)
from softlearn.learn.blocks import Block
from softlearn.learn.config import GrowConfig
from softlearn.learn.grower_config import Leaves, usual_smoothing_per
from softlearn.learn.leaves import family_of, pseudo_counts, uninformed_leaf
from softlearn.learn.m_step import PseudoRows
from softlearn.numeric_policy import SCALE_SMOOTHING
from softlearn.stats.bins import histogram_edges
from softlearn.stats.facts import value_table
from softlearn.stats.levels import level_weights
from softlearn.table.schema import Schema

_COLUMN: Final = 1.0  # rows: weight of the column's statistics, beside the leaf's own row


@dataclass(frozen=True, eq=False)
class FirstLeaves:
    """Makes initial leaves over the columns of a table of distinct weighted rows."""

    block: Block
    schema: Schema
    config: GrowConfig

    @staticmethod
    def of(block: Block, schema: Schema, chosen: Leaves) -> FirstLeaves:
        """Resolve the defaults for a table."""
        config = GrowConfig(
            smoothing=chosen.smoothing,
            smoothing_per=chosen.smoothing_per or usual_smoothing_per(schema),
            leaf=chosen.leaf,
            deviation_floor=chosen.deviation_floor,
        )
        return FirstLeaves(block, schema, config)

    def pseudo_rows(self, of_sum: float) -> PseudoRows:
        """Return the pseudo-rows of parameter learning."""
        return PseudoRows.like(
            self.block,
            self.schema,
            [pseudo_counts(weights, self.config) for weights in self._level_weights],
            of_sum=of_sum,
            of_leaf=self.config.smoothing,
            floor=self.config.deviation_floor,
        )

    def rows(self, n: int, rng: np.random.Generator) -> Offsets:
        """Draw a row for each of n leaves by weight, (n,); the leaves are shifted towards them."""
        share = self.block.weights / self.block.weights.sum()
        return rng.choice(share.size, n, p=share)

    def add(self, draft: Draft, column: int, rows: Offsets) -> Offsets:
        """Add leaves over a column to a draft; return their ids."""
        family, params = self.over(column, rows)
        return draft.add_leaves(column, family_named(family.name), params)

    def over(self, column: int, rows: Offsets) -> tuple[Family, Floats]:
        """Return leaves over a column, (leaves, n), each drawn towards a row of its own."""
        about = self.schema.columns[column]
        family = family_of(self.schema, self.config, column).on(cells_of(about))
        cells, weights = self.block.values[column], self.block.weights
        known = ~np.isnan(cells)
        edges = None
        if family.name == HISTOGRAM.name:
            edges = histogram_edges(*value_table(cells[known], weights[known]))
        if not known.any():
            return family, np.tile(uninformed_leaf(about, edges), (rows.shape[0], 1))

        def summary(cells: Floats, weights: Floats) -> Stats:
            return family.summarise(cells, weights, n_levels=about.n_levels, edges=edges)

        whole = summary(cells, weights * (_COLUMN / weights[known].sum()))
        options, one = self._options(column, family), np.ones(1)
        own, which = np.unique(rows, return_inverse=True)
        each = [family.merge(whole, summary(cells[i : i + 1], one)) for i in own.tolist()]
        return family, np.stack([family.finish(stats, options) for stats in each])[which]

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
    def _level_weights(self) -> tuple[Floats, ...]:
        return level_weights(*self.block, self.schema)
