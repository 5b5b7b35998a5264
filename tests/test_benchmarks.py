"""The benchmark runs, and what it measures is right; how fast it is no test asks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks import query
from benchmarks.workloads import WORKLOADS, tree

from softlearn.circuit import validate

ROOT = Path(__file__).resolve().parent.parent


def test_a_quick_run_prints_a_row_for_each_query():
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "tree-1k"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = [line.split() for line in run.stdout.splitlines() if line.startswith("tree-1k")]
    assert [row[1] for row in rows] == list(query.QUERIES)
    assert all(re.fullmatch(r"\d+\.\d+", row[-1]) for row in rows)


def test_a_disagreement_prints_no_time(monkeypatch):
    def wrong(circuit, values, n_threads):
        return np.zeros(values.shape[1])

    monkeypatch.setattr(query.PlainCircuit, "log_likelihood", wrong)
    result = next(query.measure(WORKLOADS[0], 20, 1, 1))
    assert "plain loop" in result.disagreement
    assert np.isnan(result.seconds)


@pytest.mark.parametrize("workload", [w for w in WORKLOADS if "100k" not in w.name])
def test_workloads_are_valid_circuits(workload):
    validate(workload.build())


def test_a_path_of_a_factorised_circuit_has_all_its_edges():
    circuit = tree(5, 1)
    assert query.path_edges(circuit) == circuit.n_edges == 5
