"""Rows as growing PSDDs read them: columns in the order of their tree."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.psdd.passed import Cells
from softlearn.learn.blocks import Block
from softlearn.learn.psdd.column_tree import ColumnTree
from softlearn.stats.levels import level_weights
from softlearn.table.schema import Schema


def cells_of(block: Block, schema: Schema, tree: ColumnTree) -> Cells:
    """Return the levels of all cells, and a list of those that are not the first of their column.

    Most tables of two levels have few of these.
    """
    n_levels = np.array([column.n_levels for column in schema])[tree.order]
    start = np.concatenate([[0], np.cumsum(n_levels)])
    code = np.ascontiguousarray(block.values[tree.order].T.astype(np.int32))
    row, column = np.nonzero(code)
    is_tried = np.ones(start[-1], dtype=bool)
    is_tried[start[:-1][n_levels <= 2]] = False
    return Cells(
        code=code,
        start=start,
        row_start=np.concatenate([[0], np.cumsum(np.bincount(row, minlength=code.shape[0]))]),
        column=column.astype(np.int32),
        state=(start[column] + code[row, column]).astype(np.int32),
        column_of=np.repeat(np.arange(n_levels.size, dtype=np.int32), n_levels),
        is_tried=is_tried,
    )


def first_shares(block: Block, schema: Schema, tree: ColumnTree) -> list[Floats]:
    """Return how frequent the levels of each column are; unseen levels stay possible."""
    weights = level_weights(*block, schema)
    return [_shares(weights[column]) for column in tree.order.tolist()]


def _shares(weights: Floats) -> Floats:
    return np.asarray((weights + 0.5 / weights.size) / (weights.sum() + 0.5))
