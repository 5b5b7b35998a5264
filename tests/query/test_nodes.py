"""Values and posteriors of all nodes, beside the slow evaluator and beside what they mean."""

from __future__ import annotations

import numpy as np
import pytest

from random_circuits import random_circuit
from softlearn.circuit import PRODUCT, SUM
from softlearn.errors import ImpossibleEvidenceError
from softlearn.query import node_posteriors, sample
from softlearn.query.evidence import Evidence
from softlearn.query.nodes import node_log_values
from softlearn.query.reference import node_log_values as slow_log_values


@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_the_slow_evaluator(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 3, 2, 3)
    rows = Evidence(sample(circuit, 20, rng))
    rows.values[rng.random(rows.values.shape) < 0.4] = np.nan
    np.testing.assert_allclose(
        node_log_values(circuit, rows), slow_log_values(circuit, rows), atol=1e-12
    )


@pytest.mark.parametrize("seed", range(8))
def test_what_enters_a_node_leaves_it(seed):
    rng = np.random.default_rng(seed)
    circuit = random_circuit(rng, 3, 2, 3)
    rows = Evidence(sample(circuit, 20, rng))
    rows.values[rng.random(rows.values.shape) < 0.4] = np.nan
    flow, value = node_posteriors(circuit, rows), slow_log_values(circuit, rows)
    expected = np.zeros_like(flow)
    expected[circuit.root] = 1.0
    for node in range(circuit.root, circuit.n_leaves - 1, -1):
        for edge in range(circuit.edge_start[node], circuit.edge_start[node + 1]):
            child, share = circuit.child[edge], 1.0
            if circuit.kind[node] == SUM:
                with np.errstate(invalid="ignore"):
                    share = circuit.weight[edge] * np.exp(value[child] - value[node])
            expected[child] += np.nan_to_num(share) * expected[node]
    assert (circuit.kind == PRODUCT).any()
    np.testing.assert_allclose(flow, expected, atol=1e-12)


def test_impossible_rows_are_refused_or_marked():
    from model_examples import fork

    circuit = fork().circuit
    rows = Evidence(np.array([[0.0, 1.0], [5.0, 5.0]]))  # nothing red is larger than 2
    red = circuit.schema["colour"].levels.index("red")
    rows.values[0] = [red, 1 - red]
    with pytest.raises(ImpossibleEvidenceError):
        node_posteriors(circuit, rows)
    assert np.isnan(node_posteriors(circuit, rows, impossible="nan")).all(axis=0).tolist() == [
        True,
        False,
    ]
