"""Training rows in blocks, and the checks that all learners share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import SoftlearnError
from softlearn.table.schema import Column, Schema


class Block(NamedTuple):
    """Some rows of a table."""

    values: Floats  # (columns, rows) codes of levels or numbers, NaN where missing
    weights: Floats  # (rows,)


def joined(blocks: Sequence[Block]) -> Block:
    """Return all rows as one block."""
    if len(blocks) == 1:
        return blocks[0]
    return Block(
        np.concatenate([block.values for block in blocks], axis=1),
        np.concatenate([block.weights for block in blocks]),
    )


def check_blocks(blocks: Sequence[Block], schema: Schema) -> None:
    """Refuse rows that do not fit the schema, wrong weights, and fewer than two rows."""
    for block in blocks:
        check_block(block, schema)
    n_rows = sum(int(np.count_nonzero(block.weights)) for block in blocks)
    if n_rows < 2 and sum(block.weights.sum() for block in blocks) < 2.0:  # weight 2: two rows
        raise SoftlearnError("learning needs at least two rows of positive weight")


def check_block(block: Block, schema: Schema) -> None:
    """Refuse rows that do not fit the schema, and wrong weights."""
    _check_weights(*block)
    for column, cells in zip(schema, block.values, strict=True):
        _check_cells(column, cells)


def missing_cells(column: Column, cells: Floats) -> Bools:
    """Return which cells of a column are missing, whether they are modelled or not."""
    missing: Bools = np.isnan(cells)
    return missing | (cells == column.missing_code) if column.missing == "modelled" else missing


def _check_weights(values: Floats, weights: Floats) -> None:
    if weights.shape != (values.shape[1],):
        raise SoftlearnError(f"{values.shape[1]} rows need as many weights, not {weights.shape}")
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise SoftlearnError("row weights must be finite and not negative")


def _check_cells(column: Column, cells: Floats) -> None:
    if (np.isinf(cells) & ~missing_cells(column, cells)).any():
        raise SoftlearnError(f"column {column.name!r} holds an infinite number; mark it as missing")
    # Written so that NaN, a missing cell, passes.
    strange = (cells < 0) | (cells >= column.n_levels) | (np.floor(cells) < cells)
    if column.is_discrete and strange.any():
        raise SoftlearnError(
            f"column {column.name!r} has {column.n_levels} levels, so its codes are the whole "
            f"numbers from 0 to {column.n_levels - 1}; encode the table by its schema"
        )
