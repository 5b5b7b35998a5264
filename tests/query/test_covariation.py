"""Covariances of many columns by flows, beside those by a pass for each pair."""

import numpy as np
import pytest

from random_circuits import random_circuit, random_evidence
from softlearn.circuit import Gaussian, Product, Sum, flatten
from softlearn.query import covariation, moments
from softlearn.query.evidence import Evidence
from softlearn.query.moments import covariance

EVERY_PAIR = 10**9


def both_ways(monkeypatch, circuit, evidence):
    """The covariances of all columns that have a mean, by flows and pair by pair."""
    columns = [
        i
        for i, column in enumerate(circuit.schema.columns)
        if not any(isinstance(level, str) for level in column.levels)
    ]
    found = []
    for few in (-1, EVERY_PAIR):
        monkeypatch.setattr(moments, "_FEW_PAIRS", few)
        found.append(covariance(circuit, evidence, columns, impossible="nan"))
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", [False, True])
def test_flows_and_pairs_agree(monkeypatch, seed, missing):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 5, 3, 3, missing=missing)
    by_flows, by_pairs = both_ways(monkeypatch, circuit, random_evidence(circuit, rng, 12))
    np.testing.assert_allclose(by_flows, by_pairs, rtol=1e-9, atol=1e-10)


def test_blocks_of_columns_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    circuit = random_circuit(rng, 6, 3, 3, missing=False)
    evidence = random_evidence(circuit, rng, 4)
    monkeypatch.setattr(covariation, "_NUMBERS_AT_ONCE", 1)
    by_flows, by_pairs = both_ways(monkeypatch, circuit, evidence)
    np.testing.assert_allclose(by_flows, by_pairs, rtol=1e-9, atol=1e-10)


def test_a_thousand_columns_of_two_groups():
    """Two groups of independent columns: the covariance is that of the groups' means."""
    rng = np.random.default_rng(0)
    centres = rng.normal(1e6, 3.0, (2, 1000))  # far from zero: nothing may cancel
    groups = [
        Product(tuple(Gaussian(f"x{i}", m, 0.5) for i, m in enumerate(row))) for row in centres
    ]
    circuit = flatten(Sum((0.3, 0.7), tuple(groups)))
    found = covariance(circuit, Evidence.nothing(1000), range(1000))[0]
    gap = centres[0] - centres[1]
    expected = 0.21 * np.outer(gap, gap) + 0.25 * np.eye(1000)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


def test_far_out_rows_agree(monkeypatch):
    """Evidence that is far from all leaves weighs branches as elsewhere."""
    rng = np.random.default_rng(1)
    groups = [
        Product(
            tuple(
                Gaussian(f"x{i}", m, s)
                for i, (m, s) in enumerate(zip(row, (1, 2, 1.5), strict=True))
            )
        )
        for row in rng.normal(0, 3, (4, 3))
    ]
    circuit = flatten(Sum((0.1, 0.2, 0.3, 0.4), tuple(groups)))
    evidence = Evidence(np.array([[1e9, -1e5, 40.0], [np.nan] * 3, [np.nan] * 3]))
    by_flows, by_pairs = both_ways(monkeypatch, circuit, evidence)
    np.testing.assert_allclose(by_flows, by_pairs, rtol=1e-9, atol=1e-12)
