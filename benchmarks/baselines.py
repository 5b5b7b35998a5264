"""What the library is measured against: a plain log-space loop, and the machine's own limit.

The loop is what one writes first, written well: nodes in order over blocks of rows, logarithms of
all parameters taken beforehand, leaves looked up where a product adds them, log-sum-exp at sums.
"""

# ruff: noqa: PLR0917 - kernels take their arrays by position

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from softlearn.circuit import SUM, Circuit
from softlearn.kernels.compile import kernel
from softlearn.kernels.seeds import STEP, uniform
from softlearn.query.leaves import leaf_tables
from softlearn.query.workspace import BLOCK_ROWS, TRACE_BYTES, blocks, over_rows


class PlainArrays(NamedTuple):
    """A circuit in logarithms. Leaves of products have no value of their own (`place` is -1)."""

    is_sum: np.ndarray  # (nodes,)
    edge_start: np.ndarray  # (nodes + 1,)
    child: np.ndarray  # (edges,)
    log_weight: np.ndarray  # (edges,)
    place: np.ndarray  # (nodes,)        row of a node's value
    leaf_column: np.ndarray  # (leaves,)
    n_levels: np.ndarray  # (columns,)      0: Gaussian
    offset: np.ndarray  # (leaves,)       in log_table
    log_table: np.ndarray  # log-probabilities of each leaf, then 0.0 for "unobserved"
    mean: np.ndarray  # (leaves,)
    scale: np.ndarray  # (leaves,)       sqrt(1/2) / deviation
    peak: np.ndarray  # (leaves,)       log-density at the mean


class PlainCircuit:
    """The queries of the library, by the plain loop."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit

    @cached_property
    def arrays(self) -> PlainArrays:
        """The circuit as the loops read it."""
        circuit = self.circuit
        tables = leaf_tables(circuit)
        is_sum = circuit.kind == SUM
        valued = np.arange(circuit.n_nodes) >= circuit.n_leaves
        valued[circuit.child[is_sum[circuit.edge_owner]]] = True
        n_levels = np.array([column.n_levels for column in circuit.schema.columns], np.int32)
        gaussian = n_levels[circuit.leaf_column] == 0
        mean, deviation = np.zeros(circuit.n_leaves), np.ones(circuit.n_leaves)
        mean[gaussian] = circuit.params[circuit.param_start[:-1][gaussian]]
        deviation[gaussian] = circuit.params[circuit.param_start[:-1][gaussian] + 1]
        with np.errstate(divide="ignore"):
            return PlainArrays(
                is_sum,
                circuit.edge_start,
                circuit.child,
                np.log(circuit.weight),
                np.where(valued, np.cumsum(valued) - 1, -1).astype(np.int32),
                circuit.leaf_column,
                n_levels,
                tables.offset,
                np.log(np.maximum(tables.entries, 0.0)),
                mean,
                math.sqrt(0.5) / deviation,
                -np.log(deviation) - 0.5 * math.log(2.0 * math.pi),
            )

    @property
    def n_values(self) -> int:
        """Number of nodes that have a value of their own."""
        return int(self.arrays.place.max()) + 1

    def log_likelihood(self, values: np.ndarray, n_threads: int) -> np.ndarray:
        """Return the log-likelihood of each column of ``values`` (columns, rows)."""
        out = np.empty(values.shape[1])

        def use(start: int, logs: np.ndarray, codes: np.ndarray) -> None:
            upward(self.arrays, values, start, codes, logs)
            out[start : start + logs.shape[1]] = logs[-1]

        self._over_blocks(use, values.shape, n_threads, BLOCK_ROWS)
        return out

    def posteriors(self, values: np.ndarray, n_threads: int) -> np.ndarray:
        """Return the posterior of each level, or each continuous leaf, (levels or leaves, rows)."""
        c = self.arrays
        levels = c.n_levels.astype(np.int64)
        continuous = levels[c.leaf_column] == 0
        start_of = np.cumsum(levels) - levels
        where = np.where(
            continuous, levels.sum() + np.cumsum(continuous) - 1, start_of[c.leaf_column]
        )
        out = np.zeros((int(levels.sum()) + np.count_nonzero(continuous), values.shape[1]))

        def use(start: int, logs: np.ndarray, codes: np.ndarray) -> None:
            upward(c, values, start, codes, logs)
            out[:, start : start + logs.shape[1]] = 0.0
            downward(c, codes, logs, np.empty(logs.shape), where, start, out)

        self._over_blocks(use, values.shape, n_threads, self._trace_rows)
        return out

    def sample(
        self, values: np.ndarray, n_each: int, rng: np.random.Generator, n_threads: int
    ) -> np.ndarray:
        """Return ``n_each`` rows for each column of ``values``, drawn given what it knows."""
        c = self.arrays
        n_draws = values.shape[1] * n_each
        out = np.empty((values.shape[0], n_draws))
        leaf_of = np.full(out.shape, -1, np.int32)
        states = rng.integers(0, 2**64, size=n_draws, dtype=np.uint64)

        def use(start: int, logs: np.ndarray, codes: np.ndarray) -> None:
            upward(c, values, start, codes, logs)
            stack = np.empty(c.is_sum.size + 1, np.int32)
            descend(c, values, codes, logs, start, n_each, states, stack, out, leaf_of)

        if values.shape[1] > 1:
            self._over_blocks(use, values.shape, n_threads, self._trace_rows)
        else:
            logs, codes = self._memory(1, values.shape[0])
            upward(c, values, 0, codes, logs)

            def draw(first: int, last: int) -> None:
                part, stack = slice(first, last), np.empty(c.is_sum.size + 1, np.int32)
                block = (states[part], stack, out[:, part], leaf_of[:, part])
                descend(c, values, codes, logs, 0, last - first, *block)

            over_rows(draw, n_draws, n_threads)
        for column in np.flatnonzero(c.n_levels == 0):
            cells = np.flatnonzero(leaf_of[column] >= 0)
            leaf = leaf_of[column, cells]
            normal = ndtri(np.maximum(out[column, cells], 2.0**-54))
            out[column, cells] = c.mean[leaf] + normal * math.sqrt(0.5) / c.scale[leaf]
        return out

    @property
    def _trace_rows(self) -> int:
        """Rows of a block whose values are all read again: as many bytes as the library takes."""
        return min(BLOCK_ROWS, max(8, TRACE_BYTES // (8 * self.n_values)))

    def _memory(self, n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
        numeric = bool((self.arrays.n_levels == 0).any())
        codes = np.empty((n_columns, n_rows), np.float64 if numeric else np.uint8)
        return np.empty((self.n_values, n_rows)), codes

    def _over_blocks(
        self,
        use: Callable[[int, np.ndarray, np.ndarray], None],
        shape: tuple[int, int],
        n_threads: int,
        most_rows: int,
    ) -> None:
        def work(first: int, last: int) -> None:
            n_rows = min(most_rows, last - first)
            logs, codes = self._memory(n_rows, shape[0])
            for start in blocks(first, last, n_rows):
                use(start, logs, codes)

        over_rows(work, shape[1], n_threads)


@kernel
def upward(c, values, first, codes, logs):
    """Fill logs (nodes with values, rows) for the rows from `first` on."""
    for column in range(codes.shape[0]):
        missing = c.n_levels[column]
        for r in range(codes.shape[1]):
            x = values[column, first + r]
            codes[column, r] = missing if math.isnan(x) and missing > 0 else x
    for node in range(c.is_sum.size):
        if c.place[node] < 0:
            continue
        target = logs[c.place[node]]
        if c.is_sum[node]:
            _log_sum_exp(c, node, logs, target)
            continue
        for r in range(target.size):
            target[r] = 0.0
        if node < c.leaf_column.size:
            _add_leaf(c, node, codes, target)
        for e in range(c.edge_start[node], c.edge_start[node + 1]):
            place = c.place[c.child[e]]
            if place < 0:
                _add_leaf(c, c.child[e], codes, target)
            else:
                for r in range(target.size):
                    target[r] += logs[place, r]


@kernel
def _add_leaf(c, leaf, codes, target):
    column = c.leaf_column[leaf]
    code = codes[column]
    if c.n_levels[column] > 0:
        log_p = c.log_table[c.offset[leaf] :]
        for r in range(target.size):
            target[r] += log_p[int(code[r])]
        return
    mean, scale, peak = c.mean[leaf], c.scale[leaf], c.peak[leaf]
    for r in range(target.size):
        z = (code[r] - mean) * scale
        target[r] += peak - z * z if not math.isnan(z) else 0.0


@kernel
def _log_sum_exp(c, node, logs, target):
    first, last = c.edge_start[node], c.edge_start[node + 1]
    if last - first == 2:  # one exponential instead of two
        a, b = logs[c.place[c.child[first]]], logs[c.place[c.child[first + 1]]]
        weight_a, weight_b = c.log_weight[first], c.log_weight[first + 1]
        for r in range(target.size):
            x, y = a[r] + weight_a, b[r] + weight_b
            high, low = max(x, y), min(x, y)
            target[r] = high + math.log(1.0 + math.exp(low - high)) if low > -np.inf else high
        return
    for r in range(target.size):
        target[r] = -np.inf
    for e in range(first, last):
        below, weight = logs[c.place[c.child[e]]], c.log_weight[e]
        for r in range(target.size):
            target[r] = max(target[r], below[r] + weight)
    for r in range(target.size):
        high = target[r]
        if high == -np.inf:
            continue
        total = 0.0
        for e in range(first, last):
            total += math.exp(logs[c.place[c.child[e]], r] + c.log_weight[e] - high)
        target[r] = high + math.log(total)


@kernel
def downward(c, codes, logs, flow, where, first, out):
    """Add to `out` the flow of each row through each leaf; exponentials of differences of logs."""
    for place in range(flow.shape[0]):
        for r in range(flow.shape[1]):
            flow[place, r] = 0.0
    for r in range(flow.shape[1]):
        flow[-1, r] = 1.0
    for node in range(c.is_sum.size - 1, -1, -1):
        if c.place[node] < 0:
            continue
        own, mine = logs[c.place[node]], flow[c.place[node]]
        if node < c.leaf_column.size:
            _add_flow(c, node, codes, mine, where[node], first, out)
        for e in range(c.edge_start[node], c.edge_start[node + 1]):
            place = c.place[c.child[e]]
            if place < 0:
                leaf = c.child[e]
                _add_flow(c, leaf, codes, mine, where[leaf], first, out)
            elif c.is_sum[node]:
                weight = c.log_weight[e]
                for r in range(mine.size):
                    flow[place, r] += mine[r] * math.exp(weight + logs[place, r] - own[r])
            else:
                for r in range(mine.size):
                    flow[place, r] += mine[r]


@kernel
def _add_flow(c, leaf, codes, flow, where, first, out):
    column = c.leaf_column[leaf]
    n_levels, code = c.n_levels[column], codes[column]
    if n_levels == 0:
        for r in range(flow.size):
            out[where, first + r] += flow[r]
        return
    for k in range(n_levels):
        p = math.exp(c.log_table[c.offset[leaf] + k])
        for r in range(flow.size):
            known = 1.0 if code[r] == k else 0.0
            out[where + k, first + r] += flow[r] * (p if code[r] == n_levels else known)


@kernel
def descend(c, values, codes, logs, first, n_each, states, stack, out, leaf_of):
    """Draw rows from the root down, by the logarithms of the branches."""
    for i in range(first * n_each, (first + logs.shape[1]) * n_each):
        at = i // n_each
        r = at - first
        stack[0] = c.is_sum.size - 1
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            start, end = c.edge_start[node], c.edge_start[node + 1]
            if c.is_sum[node]:
                states[i] += STEP
                left, own = uniform(states[i]), logs[c.place[node], r]
                chosen = start
                for e in range(start, end):
                    part = math.exp(c.log_weight[e] + logs[c.place[c.child[e]], r] - own)
                    if part > 0.0:
                        chosen = e
                        left -= part
                        if left < 0.0:
                            break
                stack[size] = c.child[chosen]
                size += 1
                continue
            if node < c.leaf_column.size:
                column = c.leaf_column[node]
                states[i] += STEP
                u = uniform(states[i])
                if values[column, at] == values[column, at]:
                    out[column, i] = values[column, at]
                elif c.n_levels[column] == 0:
                    out[column, i] = u
                    leaf_of[column, i] = node
                else:
                    out[column, i] = _draw_level(c, node, c.n_levels[column], u)
            for e in range(start, end):
                stack[size] = c.child[e]
                size += 1


@kernel
def _draw_level(c, leaf, n_levels, u):
    for k in range(n_levels - 1):
        u -= math.exp(c.log_table[c.offset[leaf] + k])
        if u < 0.0:
            return k
    return n_levels - 1


@kernel
def multiply_add(n_passes, target, weights, terms):
    """Run `target = target * weight + term` over cache-resident rows; nothing else."""
    for i in range(n_passes):
        weight, term = weights[i % weights.size], terms[i % terms.shape[0]]
        for r in range(target.size):
            target[r] = target[r] * weight + term[r]


def limit(edge_rows: float, n_threads: int) -> None:
    """Do as many multiply-adds as a circuit has edges times rows, on as many threads."""
    n_passes = max(1, round(edge_rows / BLOCK_ROWS / n_threads))

    def work(_thread: int) -> None:
        terms = np.linspace(0.1, 0.9, 8 * BLOCK_ROWS).reshape(8, BLOCK_ROWS)
        multiply_add(n_passes, np.ones(BLOCK_ROWS), np.linspace(0.3, 0.7, 8), terms)

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, range(n_threads)))
