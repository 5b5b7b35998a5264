"""Expectation-maximisation for the weights and leaf parameters of any circuit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.circuit import Circuit
from softlearn.kernels.circuit.program import LeafTotals
from softlearn.learn.blocks import Block
from softlearn.learn.m_step import PseudoRows, refitted
from softlearn.learn.watch import Engine, Progress
from softlearn.numeric_policy import EM_TOLERANCE
from softlearn.query.evidence import Evidence
from softlearn.query.flows import Flows, flows
from softlearn.query.leaf_statistics import LeafStatistics, merged
from softlearn.query.likelihood import log_likelihood


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When EM stops, and how it iterates over the rows.

    Attributes
    ----------
    max_iter
        The most passes through the rows.
    batch_rows
        Different rows after which the parameters change; None for all of them.
    step_decay
        With batches, the statistics are a running average, in which batch number t has the weight
        (t + 2) ** -step_decay.
    patience
        Passes without a better score on the held-out rows, or without a gain on the training rows
        if none are held out, after which it ends.
    tolerance
        A gain below this share of the score counts as none.
    """

    max_iter: int = 100
    batch_rows: int | None = None
    step_decay: float = 0.6
    patience: int = 5
    tolerance: float = EM_TOLERANCE


_HEAVY = 2.0  # times the mean weight of a row


class Rows(NamedTuple):
    """Training rows, and held-out rows for early stopping."""

    train: Block
    valid: Block | None = None


class Score(NamedTuple):
    """How well a circuit explains rows; the larger the better, impossible rows first."""

    impossible: float  # minus the weight of rows of probability zero
    mean: float  # log-likelihood of the others, per unit of weight


@dataclass
class Trained:
    """The best circuit, and the score of each pass.

    Attributes
    ----------
    circuit
        The circuit.
    train
        Before each pass, the mean log-likelihood of the training rows; in batches that of each
        batch before its step.
    valid
        Before each pass, the mean log-likelihood of the held-out rows, if there are some.
    """

    circuit: Circuit
    train: list[Score] = field(default_factory=list)
    valid: list[Score] = field(default_factory=list)


def train(
    circuit: Circuit,
    rows: Rows,
    pseudo: PseudoRows,
    schedule: Schedule,
    *,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Trained:
    """Return the circuit with better parameters on the same structure.

    With held-out rows the best circuit on them is returned, which may be the one given. Without,
    and with all rows at a time, each pass makes the training rows more likely (with pseudo-rows:
    the rows and these together), and the last circuit is returned.
    """
    passes = _Passes(circuit, rows.train, pseudo, schedule, seed=seed, n_threads=engine.n_jobs)
    found, best, idle = Trained(circuit), _LEAST, 0
    progress = Progress(total=schedule.max_iter + 1.0, n_nodes=circuit.n_nodes)
    try:
        for current, score in passes.run():
            found.train.append(score)
            reached = score
            if rows.valid is not None:
                reached = score_of(current, rows.valid, engine.n_jobs)
                found.valid.append(reached)
            gains = _gains(best, reached, schedule.tolerance)
            if rows.valid is None or reached > best:
                found.circuit, best = current, max(best, reached)
            idle = 0 if gains else idle + 1
            progress.done = float(len(found.train))
            engine.watch(progress)
            if idle >= schedule.patience:
                break
    except KeyboardInterrupt:
        if not engine.keep_partial:
            raise
    progress.done = progress.total
    engine.watch(progress)
    return found


_LEAST = Score(-np.inf, -np.inf)


def score_of(circuit: Circuit, block: Block, n_threads: int | None = None) -> Score:
    """Return how well a circuit explains rows."""
    counted = block.weights > 0.0
    values, weights = block.values[:, counted], block.weights[counted]
    return score_of_logs(log_likelihood(circuit, Evidence(values), n_threads=n_threads), weights)


def score_of_logs(logs: Floats, weights: Floats) -> Score:
    """Return how well rows are explained, from their log-likelihoods and weights, both (rows,)."""
    possible = logs > -np.inf
    total = float(weights[possible].sum())
    mean = float(weights[possible] @ logs[possible]) / total if total > 0.0 else -np.inf
    return Score(-float(weights[~possible].sum()), mean)


def _gains(best: Score, reached: Score, tolerance: float) -> bool:
    if reached.impossible != best.impossible or not np.isfinite(best.mean):
        return reached > best
    return reached.mean - best.mean > tolerance * abs(best.mean)


class _Passes:
    """Repeated passes over the training rows."""

    def __init__(
        self,
        circuit: Circuit,
        train: Block,
        pseudo: PseudoRows,
        schedule: Schedule,
        *,
        seed: np.random.SeedSequence,
        n_threads: int,
    ) -> None:
        counted = np.flatnonzero(train.weights > 0.0)
        self.values, self.weights = train.values[:, counted], train.weights[counted]
        self.circuit, self.pseudo, self.schedule = circuit, pseudo, schedule
        self.rng, self.n_threads = np.random.default_rng(seed), n_threads

    def run(self) -> Iterator[tuple[Circuit, Score]]:
        """Yield the circuit after so many passes, and how it scores on the training rows.

        The first pass reads all rows before it updates anything: a single batch would overwrite
        the parameters of leaves and edges that its rows do not reach.
        """
        circuit = self.circuit
        everything = self._flows(circuit, np.arange(self.weights.size), self.weights)
        expected = _Expected.of(everything, self._total)
        yield circuit, score_of_logs(everything.log_likelihood, self.weights)
        batches = self._batches()
        t = 0
        for _ in range(self.schedule.max_iter):
            logs = np.empty(self.weights.size)
            circuit = refitted(circuit, expected.edge, expected.leaves, self.pseudo)
            for number, (which, weights) in enumerate(batches):
                if number > 0:
                    circuit = refitted(circuit, expected.edge, expected.leaves, self.pseudo)
                found = self._flows(circuit, which, weights)
                logs[which] = found.log_likelihood
                step = 1.0 if len(batches) == 1 else (t + 2.0) ** -self.schedule.step_decay
                expected = expected.moved(_Expected.of(found, self._total), step)
                t += 1
            yield circuit, score_of_logs(logs, self.weights)

    @property
    def _total(self) -> float:
        return float(self.weights.sum())

    def _batches(self) -> list[tuple[AnyArray, Floats]]:
        """Return the rows of each batch and their weights.

        The heaviest rows, as many as half a batch, are divided among all batches: a row with a
        tenth of the table's weight would otherwise dominate its batch.
        """
        n_rows, size = self.weights.size, self.schedule.batch_rows
        order = self.rng.permutation(n_rows)
        if size is None or size >= n_rows:
            return [(np.arange(n_rows), self.weights)]
        heavy = self.weights > _HEAVY * self.weights.mean()
        heavy[np.argsort(-self.weights, kind="stable")[size // 2 :]] = False
        light = order[~heavy[order]]
        always = np.flatnonzero(heavy)
        parts = np.array_split(light, -(-light.size // max(size - always.size, 1)))
        return [
            (
                np.concatenate([always, part]),
                np.concatenate([self.weights[always] / len(parts), self.weights[part]]),
            )
            for part in parts
        ]

    def _flows(self, circuit: Circuit, rows: AnyArray, weights: Floats) -> Flows:
        evidence = Evidence(np.ascontiguousarray(self.values[:, rows]))
        return flows(circuit, evidence, weights, impossible="skip", n_threads=self.n_threads)


class _Expected(NamedTuple):
    """Expected statistics of edges and leaves, scaled to the weight of all rows."""

    edge: Floats
    leaves: LeafStatistics

    @staticmethod
    def of(found: Flows, total: float) -> _Expected:
        """Return the flows of some rows, scaled to the weight of all."""
        share = total / found.weight if found.weight > 0.0 else 1.0
        if share == 1.0:
            return _Expected(found.edge, found.leaves)
        return _Expected(found.edge * share, _times(found.leaves, share))

    def moved(self, new: _Expected, step: float) -> _Expected:
        """Return the statistics with a share of them replaced by new ones."""
        if step == 1.0:
            return new
        centre, old = new.leaves.layout.centre, self.leaves
        # Moments are measured from the means that leaves had at the time.
        offset = old.totals.offset + (old.layout.centre - centre)
        kept = _times(old, 1.0 - step).totals._replace(offset=offset)
        totals = merged(kept, _times(new.leaves, step).totals)
        leaves = LeafStatistics(new.leaves.circuit, new.leaves.layout, totals)
        return _Expected((1.0 - step) * self.edge + step * new.edge, leaves)


def _times(leaves: LeafStatistics, factor: float) -> LeafStatistics:
    totals = leaves.totals
    scaled = LeafTotals(
        codes=totals.codes * factor,
        weight=totals.weight * factor,
        pairs=totals.pairs * factor**2,
        offset=totals.offset,
        scatter=totals.scatter * factor,
    )
    return LeafStatistics(leaves.circuit, leaves.layout, scaled)
