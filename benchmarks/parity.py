"""Parity before speed: what must agree before a time is worth printing."""

from __future__ import annotations

import numpy as np

from benchmarks.baselines import PlainCircuit
from softlearn.circuit import Circuit
from softlearn.query import Evidence, Posteriors, reference

FEW = 8  # rows that the slow evaluator is asked about
TOLERANCE = 1e-9  # relative; the two loops add the same numbers in another order
DEVIATIONS = 6.0  # of a statistic of two samples; chance alone goes there once in 5e8 times


class DisagreementError(Exception):
    """Two ways to the same answer differ."""


def same_logs(circuit: Circuit, evidence: Evidence, ours: np.ndarray, plain: np.ndarray) -> None:
    """Compare log-likelihoods with the loop on all rows, with the reference on a few."""
    few = evidence.rows(slice(0, FEW))
    _close("reference", ours[:FEW], reference.log_likelihood(circuit, few))
    _close("plain loop", ours, plain)


def same_posteriors(
    circuit: Circuit, evidence: Evidence, ours: Posteriors, plain: np.ndarray
) -> None:
    """Compare posteriors with the loop everywhere, with ratios of the reference in a few cells."""
    _close("plain loop", _levels_and_leaves(circuit, ours), plain)
    few = evidence.rows(slice(0, FEW))
    below = reference.log_likelihood(circuit, few)
    _close("reference", ours.log_likelihood[:FEW], below)
    discrete = [i for i, column in enumerate(circuit.schema.columns) if column.is_discrete]
    for column in discrete[:2]:
        values = few.values.copy()
        unknown = np.isnan(values[column])
        values[column, unknown] = 0.0
        joint = reference.log_likelihood(circuit, Evidence(values))
        expected = np.exp(joint - below)[unknown]
        _close("reference", ours.levels(column)[:FEW, 0][unknown], expected)


def _levels_and_leaves(circuit: Circuit, found: Posteriors) -> np.ndarray:
    """Return the posterior of each level, and then of each continuous leaf in their order."""
    leaf_rows = np.zeros((circuit.n_leaves, found.log_likelihood.size))
    level_rows = [leaf_rows[:0]]
    for position, column in enumerate(circuit.schema.columns):
        if column.is_discrete:
            level_rows.append(found.levels(position).T)
        else:
            leaves, weights = found.leaves(position)
            leaf_rows[leaves] = weights.T
    continuous = np.array([not column.is_discrete for column in circuit.schema.columns])
    return np.concatenate([*level_rows, leaf_rows[continuous[circuit.leaf_column]]])


def same_samples(
    circuit: Circuit, evidence: Evidence, ours: np.ndarray, plain: np.ndarray, n_threads: int
) -> None:
    """Compare two samples: known cells stay, frequencies and mean log-likelihood agree."""
    known = ~np.isnan(evidence.values)
    each = ours.shape[1] // evidence.n_rows
    for drawn in (ours, plain):
        if np.isnan(drawn).any():
            raise DisagreementError("a draw is missing")
        if not np.array_equal(drawn[np.repeat(known, each, axis=1)], _repeated(evidence, each)):
            raise DisagreementError("a known value was changed")
    _same_mean("level or value", ours, plain)
    loop = PlainCircuit(circuit)
    _same_mean(
        "log-likelihood",
        loop.log_likelihood(ours, n_threads)[None],
        loop.log_likelihood(plain, n_threads)[None],
    )


def _repeated(evidence: Evidence, each: int) -> np.ndarray:
    values = np.repeat(evidence.values, each, axis=1)
    return values[~np.isnan(values)]


def _same_mean(what: str, a: np.ndarray, b: np.ndarray) -> None:
    """Compare means over the draws, (statistics, draws), by the spread of the draws."""
    error = np.sqrt((a.var(axis=1) + b.var(axis=1)) / a.shape[1]) + 1e-12
    worst = float((np.abs(a.mean(axis=1) - b.mean(axis=1)) / error).max())
    if not worst < DEVIATIONS:
        raise DisagreementError(f"mean {what} of the samples is {worst:.1f} deviations off")


def _close(other: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    if not np.allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE):
        worst = float(np.nanmax(np.abs(ours - theirs)))
        raise DisagreementError(f"differs from the {other} by up to {worst:.3g}")
