"""One shape for all circuits of a structure: new numbers change nothing but numbers."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zoo
from random_circuits import random_circuit, random_evidence
from softlearn.circuit import (
    SUM,
    Categorical,
    Circuit,
    Gaussian,
    Product,
    flatten,
    with_parameters,
)
from softlearn.errors import CircuitError
from softlearn.leaf import FAMILIES
from softlearn.query import Evidence, log_likelihood, posteriors, reference
from softlearn.query.plan import plan_for
from softlearn.query.shape import _SHAPES
from strategies import evidences, small_circuits

STYLES = [(trace, families) for trace in (False, True) for families in (False, True)]


def other_numbers(circuit, rng):
    """Other weights and other leaf parameters for a circuit; zeros stay possible."""
    weight = circuit.weight.copy()
    for node in np.flatnonzero(circuit.kind == SUM):
        edges = slice(circuit.edge_start[node], circuit.edge_start[node + 1])
        raw = rng.random(edges.stop - edges.start) + 0.01
        weight[edges] = raw / raw.sum()
    params = circuit.params.copy()
    for leaf in range(circuit.n_leaves):
        own = params[circuit.param_start[leaf] : circuit.param_start[leaf + 1]]
        name = FAMILIES[circuit.leaf_family[leaf]].name
        if name == "categorical":
            own[:] = rng.dirichlet(np.ones(own.size))
        elif name == "gaussian":
            own[:] = [rng.normal(), rng.uniform(0.2, 3.0)]
        elif name == "histogram":
            own[(own.size + 1) // 2 :] = rng.dirichlet(np.ones(own.size // 2))
        else:
            own[-2:] = [rng.normal(), rng.uniform(0.2, 3.0)]
    return weight, params


def from_scratch(circuit):
    """The same circuit as arrays of its own, and without a shape that is known already."""
    fields = [getattr(circuit, name) for name in Circuit.__dataclass_fields__ if name != "schema"]
    twin = Circuit(circuit.schema, *(np.array(field) for field in fields))
    _SHAPES.pop(twin.structure, None)
    return twin


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_new_numbers_reuse_the_shape_and_change_no_bit(data):
    circuit = data.draw(small_circuits())
    evidence = data.draw(evidences(circuit))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    for trace, by_families in STYLES:
        plan_for(circuit, trace=trace, by_families=by_families)
    weight, params = other_numbers(circuit, rng)
    changed = with_parameters(circuit, weight=weight, params=params)
    for trace, by_families in STYLES:
        old, new = (plan_for(c, trace=trace, by_families=by_families) for c in (circuit, changed))
        assert new.shape is old.shape
    quick = log_likelihood(changed, evidence)
    pairs = posteriors(changed, evidence, impossible="nan").table
    scratch = from_scratch(changed)
    np.testing.assert_array_equal(quick, log_likelihood(scratch, evidence))
    np.testing.assert_array_equal(pairs, posteriors(scratch, evidence, impossible="nan").table)
    assert plan_for(scratch).shape is not plan_for(changed).shape
    np.testing.assert_allclose(
        quick, reference.log_likelihood(changed, evidence), rtol=1e-9, atol=1e-9
    )


def test_circuits_of_equal_structure_share_it():
    rng = np.random.default_rng(3)
    circuit = random_circuit(rng, 4, 2, depth=4, share=0.5)
    fields = [getattr(circuit, name) for name in Circuit.__dataclass_fields__ if name != "schema"]
    twin = Circuit(circuit.schema, *(np.array(field) for field in fields))
    assert twin.structure is circuit.structure
    assert plan_for(twin).shape is plan_for(circuit).shape
    assert zoo.xor().structure is not circuit.structure


@pytest.mark.parametrize(
    "name", ["kind", "edge_start", "child", "leaf_column", "leaf_family", "param_start"]
)
def test_every_array_of_the_structure_counts(name):
    circuit = random_circuit(np.random.default_rng(3), 4, 2)
    fields = {
        field: np.array(getattr(circuit, field))
        for field in Circuit.__dataclass_fields__
        if field != "schema"
    }
    fields[name][-1] += 1
    assert Circuit(circuit.schema, **fields).structure is not circuit.structure


def test_a_structure_and_its_shapes_are_freed_with_the_last_circuit():
    circuit = zoo.gaussian_pair()
    changed = with_parameters(circuit, params=circuit.params + 0.5)
    shape = weakref.ref(plan_for(changed).shape)
    structure = weakref.ref(circuit.structure)
    del circuit
    gc.collect()
    assert shape() is plan_for(changed).shape
    del changed
    gc.collect()
    assert shape() is None
    assert structure() is None


def test_numbers_near_the_end_of_the_range_take_another_shape():
    """A probability of 1e-200 cannot stand in a table; going back finds the old shape again."""
    circuit = flatten(Product((Categorical("a", {0: 0.5, 1: 0.5}), Gaussian("x", 0, 1))))
    place = np.flatnonzero(circuit.params == 0.5)
    tiny, back = circuit.params.copy(), circuit.params.copy()
    tiny[place] = [1e-200, 1.0]
    back[place] = [0.25, 0.75]
    far = with_parameters(circuit, params=tiny)
    assert plan_for(far).shape is not plan_for(circuit).shape
    a = circuit.schema.index("a")
    evidence = Evidence(np.where(np.arange(2)[:, None] == a, 0.0, np.nan))
    assert log_likelihood(far, evidence)[0] == pytest.approx(np.log(1e-200), rel=1e-14)
    assert plan_for(with_parameters(far, params=back)).shape is plan_for(circuit).shape


def test_a_product_of_many_small_leaves_stays_in_range():
    """The leaves of one product need checks between them, in either direction."""
    rng = np.random.default_rng(0)
    for p in (1e-3, 1e-80, 0.5):
        coins = [Categorical(f"c{i}", {0: p, 1: 1 - p}) for i in range(300)]
        wide = [Gaussian(f"x{i}", 0, 10.0 ** float(rng.integers(-20, 20))) for i in range(30)]
        circuit = flatten(Product((*coins, *wide)))
        evidence = Evidence(np.zeros((330, 3)))
        expected = reference.log_likelihood(circuit, evidence)
        np.testing.assert_allclose(log_likelihood(circuit, evidence), expected, rtol=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_arrays_are_shared_with_the_circuit_that_was_changed(share):
    rng = np.random.default_rng(1)
    circuit = random_circuit(rng, 4, 2, share=share)
    weight, _ = other_numbers(circuit, rng)
    changed = with_parameters(circuit, weight=weight)
    assert changed.child is circuit.child
    assert changed.params is circuit.params
    assert changed.weight is not weight
    weight[:] = 7.0
    evidence = random_evidence(circuit, rng, 5)
    np.testing.assert_allclose(
        log_likelihood(changed, evidence), reference.log_likelihood(changed, evidence), rtol=1e-9
    )


def test_wrong_numbers_are_refused():
    circuit = zoo.xor()
    with pytest.raises(CircuitError, match="weight has shape"):
        with_parameters(circuit, weight=circuit.weight[:-1])
    with pytest.raises(CircuitError, match="params has shape"):
        with_parameters(circuit, params=np.append(circuit.params, 1.0))
    with pytest.raises(CircuitError, match="add to"):
        with_parameters(circuit, weight=np.ones(circuit.n_edges))
    with pytest.raises(CircuitError, match="leaf 0"):
        with_parameters(circuit, params=circuit.params * 0.5)
