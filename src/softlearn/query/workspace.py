"""The working memory of one thread, and the evaluation of rows block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.circuit import Circuit
from softlearn.errors import EvidenceError
from softlearn.kernels.circuit.program import TILE_RANGE, Batch, Block, Rows, Scratch, Tiles, Values
from softlearn.query.coding import coded
from softlearn.query.evidence import Evidence
from softlearn.query.plan import Plan
from softlearn.query.shape import TILE_LEAVES, DiscreteColumns
from softlearn.table.schema import Schema

# 256 rows keep a tree's slots in the first-level cache; benchmarks/query: 128 and 512 are slower.
BLOCK_ROWS = 256
# A trace stores every node, so blocks are smaller for large circuits, to use this many bytes.
TRACE_BYTES = 10 << 20
_ROWS_PER_VECTOR = 8  # blocks of rows are multiples of it, unless the table ends before
# Blocks of sums do more arithmetic per value, and have more overhead from one to the next.
_DENSE_ROWS = 64  # and multiples of it: so many rows are multiplied by a block's weights at a time
_DENSE_TRACE_BYTES = 40 << 20
_ROWS_AHEAD = 2048  # are read as codes together: 16 kB of each column
_SMALL_FACTOR = 2.0**-50
_NOWHERE = np.empty(0)
_ROWS_PER_TASK = 4096  # enough work to hide the cost of a thread's start

Part = TypeVar("Part")
# The values that families compute for a block of evidence: logarithms, and factors or signs.
LeafValues: TypeAlias = Callable[[Circuit, Ids, Evidence], "Floats | tuple[Floats, Floats]"]


class Workspace:
    """Slots, tiles and evidence of one block, for one thread.

    ``run`` evaluates rows of the batch; afterwards ``block.values`` holds the slots of its last
    block, which has ``n_rows`` rows.
    """

    def __init__(self, plan: Plan, evidence: Evidence, batch: Batch, n_rows: int) -> None:
        self.plan, self.evidence, self.batch, self.n_rows = plan, evidence, batch, n_rows
        columns = plan.shape.columns
        n_coded = columns.position.size
        rows = Rows(
            np.empty((n_coded, n_rows), np.uint8),
            np.empty(n_coded, np.uint8),
            np.empty(n_coded, np.int64),
            np.zeros(1, np.uint8),
            np.empty((n_coded, min(_ROWS_AHEAD, evidence.n_rows)), np.uint8),
            np.full(1, -_ROWS_AHEAD - n_rows, np.int64),
        )
        n_tiles = int(plan.shape.uses.tile_row.max(initial=-1)) + 1
        tiles = Tiles(
            np.empty((n_tiles, n_rows)),
            np.empty((n_tiles, n_rows)),
            np.empty(n_tiles, np.uint8),
        )
        mantissa = np.empty((plan.shape.n_slots + plan.shape.n_flows, n_rows))
        values = Values(
            mantissa,
            mantissa.view(np.int64),
            np.empty((plan.shape.n_slots if plan.needs_exponents else 0, n_rows)),
            np.zeros(plan.shape.n_slots, np.uint8),
        )
        scratch = Scratch(np.empty((2, n_rows)), np.empty(n_rows))
        self.block = Block(rows, tiles, values, scratch)

    def run(
        self, first: int, last: int, leaf_values: LeafValues, out: Floats | None = None
    ) -> None:
        """Evaluate rows first:last, a block at a time; families fill the tiles.

        The logarithm of the root is written to ``out``, if it is given. Codes are validated while
        they are read, so the evidence needs no separate pass for that.
        """
        from softlearn.kernels.circuit.upward import advance  # noqa: PLC0415 - loads Numba

        plan = self.plan
        target, root = (_NOWHERE, -1) if out is None else (out, plan.shape.root)
        if plan.shape.uses.tile_leaf.size == 0:
            n = plan.program.op.size
            advance(plan.program, 0, n, self.batch, first, last, self.block, root, target)
        else:
            self._run_tiles(first, last, leaf_values, (root, target))
        if self.block.rows.misfit[0]:
            self.evidence.check(plan.circuit.schema)  # raises, naming column and value

    def _run_tiles(
        self, first: int, last: int, leaf_values: LeafValues, result: tuple[int, Floats]
    ) -> None:
        """Stop after each segment to let families fill the next tile."""
        from softlearn.kernels.circuit.upward import advance  # noqa: PLC0415 - loads Numba

        plan, (root, target) = self.plan, result
        for start in blocks(first, last, self.n_rows):
            stop = start + self.n_rows
            rows = self.evidence.rows(slice(start, stop))
            done = leaves_done = 0
            for end, leaves_end in plan.shape.uses.segment_ends.tolist():
                self._fill_tiles(slice(leaves_done, leaves_end), rows, leaf_values)
                ends = root if end == plan.program.op.size else -1
                advance(plan.program, done, end, self.batch, start, stop, self.block, ends, target)
                done, leaves_done = end, leaves_end

    def _fill_tiles(self, which: slice, rows: Evidence, leaf_values: LeafValues) -> None:
        """Evaluate the leaves of one segment by their families, and multiply those of one row."""
        leaves, tile_row = (
            self.plan.shape.uses.tile_leaf[which],
            self.plan.shape.uses.tile_row[which],
        )
        if leaves.size == 0:
            return
        logs = np.zeros((int(tile_row[-1]) + 1, self.n_rows))
        factors = None
        for first in range(0, leaves.size, TILE_LEAVES):  # a run of leaves may be longer than that
            some = slice(first, first + TILE_LEAVES)
            answer = leaf_values(self.plan.circuit, leaves[some], rows)
            start = np.flatnonzero(np.diff(tile_row[some], prepend=-1))
            target = tile_row[some][start]
            if isinstance(answer, tuple):
                factors = np.ones(logs.shape) if factors is None else factors
                factors[target] *= np.multiply.reduceat(answer[1], start, axis=0)
                answer = answer[0]
            logs[target] += np.add.reduceat(answer, start, axis=0)
        _store(self.block.tiles, logs, factors)


def _store(tiles: Tiles, logs: Floats, factors: Floats | None) -> None:
    """Store logarithms as plain numbers, or as mantissa and exponent where a row needs it."""
    n = logs.shape[0]
    limit = TILE_RANGE * np.log(2.0)
    lowest = np.min(logs, axis=1, where=logs > -np.inf, initial=0.0)
    far = (lowest < -limit) | (logs.max(axis=1) > limit)
    tiles.scaled[:n] = far
    with np.errstate(over="ignore"):  # values that overflow are written again below
        np.exp(logs, out=tiles.mantissa[:n])
    if far.any():
        possible = logs[far] > -np.inf
        exponent = np.floor(np.where(possible, logs[far], 0.0) / np.log(2.0))
        tiles.exponent[:n][far] = exponent
        # Beyond 2**53 bits the rest is rounding, which must not become a large mantissa.
        rest = np.minimum(logs[far] - exponent * np.log(2.0), np.log(2.0))
        tiles.mantissa[:n][far] = np.exp(np.where(possible, np.maximum(rest, 0.0), -np.inf))
    if factors is not None:
        tiles.mantissa[:n] *= factors
        small = ((factors != 0.0) & (np.abs(factors) < _SMALL_FACTOR)).any(axis=1)
        if small.any():  # several small ones together must not leave the range of a tile
            before = np.where(tiles.scaled[:n][small][:, None] > 0, tiles.exponent[:n][small], 0.0)
            tiles.mantissa[:n][small], size = np.frexp(tiles.mantissa[:n][small])
            tiles.exponent[:n][small] = before + size
            tiles.scaled[:n][small] = 1


def batch_of(
    schema: Schema,
    columns: DiscreteColumns,
    evidence: Evidence,
    factors: dict[int, Floats] | None = None,
) -> Batch:
    """Return the evidence as the kernels read it.

    ``factors`` gives, for some columns of levels or cells, a factor for each, (rows, codes), in
    place of the evidence about that column.
    """
    values, given = coded(schema, evidence)
    if factors:
        given.update(factors)
        values = values.copy()
        values[list(factors)] = np.nan
    start = np.full(values.shape[0], -1, np.int64)
    at = 0
    for column, factor in given.items():
        start[column] = at
        at += factor.size
    flat = [np.ascontiguousarray(factor, dtype=np.float64).ravel() for factor in given.values()]
    values = np.ascontiguousarray(values).view()
    values.flags.writeable = False  # a read-only array is another type: one type, one compilation
    return Batch(
        values,
        start,
        np.concatenate([*flat, np.empty(0)]),
        columns.position,
        columns.n_levels,
    )


def block_rows(plan: Plan, n_rows: int, *, trace: bool = False) -> int:
    """Return how many rows to evaluate together."""
    most = BLOCK_ROWS
    if trace or plan.shape.dense.n:
        n_numbers = (2 if plan.needs_exponents else 1) * plan.shape.n_slots + plan.shape.n_flows
        step, n_bytes = _ROWS_PER_VECTOR, TRACE_BYTES
        if plan.shape.dense.n:
            step, n_bytes = _DENSE_ROWS, _DENSE_TRACE_BYTES
        most = min(most, max(1, n_bytes // (8 * n_numbers * step)) * step)
    # Of equal size, so that the last block overlaps the one before in few rows.
    even = -(-n_rows // max(1, -(-n_rows // most)))
    even = -(-even // _ROWS_PER_VECTOR) * _ROWS_PER_VECTOR
    return max(1, min(most, even, n_rows))


def blocks(first: int, last: int, size: int) -> Iterator[int]:
    """Yield where each block starts; the last one may overlap the one before to be full."""
    for at in range(first, last, size):
        yield max(min(at, last - size), first)


def over_rows(work: Callable[[int, int], None], n_rows: int, n_threads: int | None) -> None:
    """Call ``work(first, last)`` on ranges that cover all rows, on several threads."""
    threads = _n_threads(n_threads)
    n_tasks = max(1, min(threads * 4, n_rows // _ROWS_PER_TASK)) if threads > 1 else 1
    bounds = np.linspace(0, n_rows, n_tasks + 1).astype(np.int64).tolist()
    if n_tasks == 1:
        work(0, n_rows)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, bounds[:-1], bounds[1:]))


def over_chunks(
    work: Callable[[int, int], Part], n_rows: int, size: int, n_threads: int | None
) -> Iterator[Part]:
    """Yield ``work(first, last)`` of one range of ``size`` rows after the other.

    The ranges do not depend on the number of threads, and so neither do the results.

    """
    threads = _n_threads(n_threads)
    first = range(0, n_rows, size)
    last = [min(start + size, n_rows) for start in first]
    if threads == 1 or len(first) <= 1:
        yield from map(work, first, last)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, first, last)


def _n_threads(n_threads: int | None) -> int:
    if n_threads is not None and n_threads < 1:
        raise EvidenceError(f"n_threads must be at least 1, or None for all cores, not {n_threads}")
    return n_threads or _cores()


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
