"""Likelihoods of columns with a scale beside plain Gaussians: the same tree, the same leaves.

``python -m benchmarks.scaled`` prints the time per row of both and their ratio, in one thread, with
smooth numbers, numbers with spikes, and whole numbers.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from benchmarks.workloads import tree
from softlearn.circuit import Circuit, validate
from softlearn.leaf import FAMILIES, SCALED
from softlearn.query import Evidence, log_likelihood, sample
from softlearn.query.reference import log_likelihood as plain_log_likelihood
from softlearn.table import find_scale
from softlearn.table.schema import Column, Schema

_ROWS, _CHECKED, _REPEATS = 4_096, 64, 7


def main() -> None:
    plain = tree(20, 10_000, n_levels=0)
    base = _seconds(plain, Evidence(sample(plain, _ROWS, np.random.default_rng(0))))
    print(f"plain Gaussians  {1e6 * base / _ROWS:7.2f} us per row, {plain.n_leaves} leaves")
    for name, kind, values in _columns():
        twin = scaled_twin(plain, kind, values)
        rows = Evidence(sample(twin, _ROWS, np.random.default_rng(0)))
        few = rows.rows(slice(0, _CHECKED))
        # Parity before speed.
        np.testing.assert_allclose(
            log_likelihood(twin, few), plain_log_likelihood(twin, few), rtol=1e-9
        )
        took = _seconds(twin, rows)
        print(f"{name:15}  {1e6 * took / _ROWS:7.2f} us per row, {took / base:.2f} times as long")


def scaled_twin(circuit: Circuit, kind: str, values: np.ndarray) -> Circuit:
    """Return a circuit of the same nodes whose columns have the scale of some values."""
    scale = find_scale(values, whole=kind == "integer")
    columns = tuple(Column(column.name, kind, scale=scale) for column in circuit.schema)
    n_atoms = sum(scale.atom)
    mean, deviation = circuit.params.reshape(-1, 2).T
    spikes = np.full((n_atoms, mean.size), 0.2 / max(n_atoms, 1))
    rest = np.full(mean.size, 0.99 - spikes[:, 0].sum())
    own = np.full(mean.size, 0.01)
    params = np.stack([*spikes, rest, own, mean, deviation], axis=1)
    twin = replace(
        circuit,
        schema=Schema(columns, "numpy"),
        leaf_family=np.full(circuit.n_leaves, FAMILIES.index(SCALED)),
        param_start=np.arange(circuit.n_leaves + 1) * params.shape[1],
        params=params.ravel(),
    )
    validate(twin)
    return twin


def _columns() -> list[tuple[str, str, np.ndarray]]:
    rng = np.random.default_rng(1)
    smooth = rng.lognormal(size=5_000)
    spiked = np.where(rng.random(5_000) < 0.4, 0.0, smooth)
    counts = np.round(rng.gamma(2.0, 20.0, 5_000))
    return [
        ("smooth numbers", "numeric", smooth),
        ("with a spike", "numeric", spiked),
        ("whole numbers", "integer", counts),
    ]


def _seconds(circuit: Circuit, rows: Evidence) -> float:
    log_likelihood(circuit, rows, n_threads=1)
    found = []
    for _ in range(_REPEATS):
        started = time.process_time()
        log_likelihood(circuit, rows, n_threads=1)
        found.append(time.process_time() - started)
    return float(np.median(found))


if __name__ == "__main__":
    main()
