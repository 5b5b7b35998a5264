"""The circuit over cells gives exactly the probabilities of the original one."""

from __future__ import annotations

import numpy as np
import pytest

from model_examples import patients
from random_circuits import random_circuit
from softlearn import Gaussian, Model
from softlearn.circuit import violations
from softlearn.query import Evidence, log_likelihood
from softlearn.query.joint import joint_tables
from softlearn.show.cells import Cells, over_cells, quantile_cells
from softlearn.show.distributions import GivenDistributions


def share_of_cell(model: Model, cells: Cells, cell: int) -> object:
    """What ``Model.probability`` is asked for: a level, or the interval of a cell."""
    if cells.column.is_discrete:
        return cells.column.levels[cell]
    low, high = [-np.inf, *np.nextafter(cells.cuts, np.inf)][cell], [*cells.cuts, np.inf][cell]
    ends = (None if np.isinf(low) else low, None if np.isinf(high) else high)
    if cells.column.kind == "datetime":
        return tuple(end and np.datetime64(round(end * 1_000_000), "us") for end in ends)
    return ends


def test_cells_of_numbers_are_equally_likely():
    model = patients()
    cells = quantile_cells(model)
    joined = model.schema.index("joined")
    twin = over_cells(model.circuit, cells)
    shares = [
        np.exp(log_likelihood(twin, Evidence(np.array([[np.nan]] * joined + [[c]] + [[np.nan]]))))
        for c in range(5)
    ]
    np.testing.assert_allclose(np.ravel(shares), 0.2, atol=1e-7)


def test_whole_numbers_are_never_cut_apart():
    model = patients()
    age = quantile_cells(model)[model.schema.index("age")]
    np.testing.assert_array_equal(age.cuts % 1.0, 0.5)


def test_the_twin_is_a_sound_circuit_with_the_same_nodes():
    model = patients()
    twin = over_cells(model.circuit, quantile_cells(model))
    assert violations(twin) == []
    np.testing.assert_array_equal(twin.child, model.circuit.child)


def test_joint_tables_are_the_probabilities_of_both():
    model = patients()
    cells = quantile_cells(model)
    twin = over_cells(model.circuit, cells)
    tables = joint_tables(twin, range(len(cells)))
    for (i, j), table in tables.items():
        assert table.shape == (cells[i].n, cells[j].n)
        for a, b in np.ndindex(*table.shape):
            event = {
                cells[one].column.name: share_of_cell(model, cells[one], cell)
                for one, cell in ((i, a), (j, b))
            }
            assert table[a, b] == pytest.approx(model.probability(event), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_joint_tables_add_to_one_also_with_zeros(seed):
    circuit = random_circuit(np.random.default_rng(seed), n_discrete=2, n_numeric=2)
    model = Model(circuit)
    twin = over_cells(circuit, quantile_cells(model))
    for table in joint_tables(twin, range(4)).values():
        assert table.sum() == pytest.approx(1.0)


def test_quantiles_invert_the_distribution_function():
    model = patients()
    positions = [model.schema.index(name) for name in ("age", "joined", "weight")]
    levels = [0.002, 0.3, 0.998]
    distributions = GivenDistributions(model, positions)
    found = distributions.quantiles(positions, levels)
    for position, quantiles in zip(positions, found, strict=True):
        below = [distributions.between(position, np.array([-np.inf, q]))[0] for q in quantiles]
        np.testing.assert_allclose(below, levels, atol=1e-6)


def test_distributions_are_conditioned_on_what_is_given():
    model = Model(
        0.5 * Gaussian("x", 0, 1) * Gaussian("y", 0, 1)
        + 0.5 * Gaussian("x", 9, 1) * Gaussian("y", 9, 1)
    )
    distributions = GivenDistributions(model, [0], {"y": (8, None)})
    assert distributions.between(0, np.array([4.5, np.inf]))[0] == pytest.approx(
        model.probability({"x": (4.5, None)}, given={"y": (8, None)})
    )
