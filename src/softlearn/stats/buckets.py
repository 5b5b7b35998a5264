"""Divide rows into buckets by hashes of their cells.

The buckets of a table, and the order of their rows, do not depend on how the table is divided into
blocks or where these are. The statistics of large slices are computed per bucket and merged in the
order of the buckets, so the circuit is the same to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Floats, Offsets, States
from softlearn.circuit import cells_of
from softlearn.errors import SoftlearnError
from softlearn.stats.duplicates import hashes_of, merge_duplicates
from softlearn.table.schema import Schema

# Slices of more rows are measured bucket by bucket; a bucket holds at most about as many.
BUCKET_ROWS: Final = 2**17
_KEY_BITS: Final = 64


class CodedRows(NamedTuple):
    """Rows in the form that learning reads."""

    values: Floats  # (columns, rows) codes of levels and of a scale's cells, plain numbers, or NaN
    weights: Floats  # (rows,) above zero
    keys: States  # (rows,) hashes of their cells


def may_merge(weights: Floats) -> bool:
    """Return whether equal rows may be merged block by block: if all weights are whole numbers.

    Sums of these do not depend on the order. It has to hold for all blocks of a table.
    """
    return bool((np.floor(weights) == weights).all())


def coded(values: Floats, weights: Floats, schema: Schema, *, merge: bool) -> CodedRows:
    """Return the rows of a block in the order of their keys, equal ones merged or not.

    Rows of weight zero are absent. `values` are (columns, rows) codes of levels or numbers; NaN
    where missing.
    """
    if not (weights > 0.0).all():
        values, weights = values[:, weights > 0.0], weights[weights > 0.0]
    cells = _in_cells(values, schema)
    if merge:
        return CodedRows(*merge_duplicates(cells, weights))
    keys = hashes_of(cells)
    order = np.argsort(keys, kind="stable")
    return CodedRows(cells[:, order], weights[order], keys[order])


def merged(pieces: Sequence[CodedRows]) -> CodedRows:
    """Return the different rows of all pieces, in the order of their keys."""
    values = np.concatenate([piece.values for piece in pieces], axis=1)
    weights = np.concatenate([piece.weights for piece in pieces])
    return CodedRows(*merge_duplicates(values, weights))


def different_rows_of(blocks: Sequence[tuple[Floats, Floats]], schema: Schema) -> CodedRows:
    """Return the different rows of blocks of values and weights, in the order of their keys."""
    if len(blocks) == 1:
        return coded(*blocks[0], schema, merge=True)
    merge = all(may_merge(weights) for _, weights in blocks)
    return merged([coded(*block, schema, merge=merge) for block in blocks])


def digest_of(rows: CodedRows) -> States:
    """Return a checksum of rows and their weights, (2,).

    The checksums of the parts of a table add up to that of the whole.
    """
    bits = rows.weights.view(np.uint64)
    with np.errstate(over="ignore"):
        one = _scrambled(rows.keys ^ _scrambled(bits))
        return np.array([one.sum(), _scrambled(one + bits).sum()], np.uint64)


def _scrambled(bits: States) -> States:
    """Return 64 hashed bits for each 64 bits (as SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def count_buckets(n_rows: int, bucket_rows: int) -> int:
    """Return the number of buckets for so many distinct rows: a power of two."""
    n_buckets = 1
    while n_buckets * bucket_rows < n_rows:
        n_buckets *= 2
    return n_buckets


def bucket_cuts(keys: States, n_buckets: int) -> Offsets:
    """Return where the rows of each bucket begin among rows in the order of their keys.

    There is one cut more than there are buckets.
    """
    width = 2**_KEY_BITS // n_buckets
    ends = np.array([width * i - 1 for i in range(1, n_buckets + 1)], np.uint64)
    return np.concatenate([[0], np.searchsorted(keys, ends, side="right")])


def rows_of_bucket(keys: States, i: int, n_buckets: int) -> tuple[int, int]:
    """Return where the rows of one bucket begin and end; see ``bucket_cuts``."""
    width = 2**_KEY_BITS // n_buckets
    ends = np.array([max(width * i - 1, 0), width * (i + 1) - 1], np.uint64)
    first, end = np.searchsorted(keys, ends, side="right").tolist()
    return (first if i else 0), end


def _in_cells(values: Floats, schema: Schema) -> Floats:
    """Return the values with those of columns with a scale replaced by their cells."""
    found = values
    for i, column in enumerate(schema.columns):
        cells = cells_of(column)
        if cells is None:
            continue
        code = cells.code(values[i])
        known = ~np.isnan(values[i])
        if (known & (code < 0)).any():
            worst = float(values[i][known & (code < 0)][0])
            raise SoftlearnError(
                f"column {column.name!r} holds {worst:g}, outside the bounds of its scale"
            )
        found = found.copy() if found is values else found
        found[i] = np.where(known, code, np.nan)
    return found
