"""Models are made from circuits, print themselves, and survive their file bit for bit."""

import subprocess
import sys

import numpy as np
import pytest

import softlearn
from model_examples import fork, patients
from softlearn import Categorical, Column, Gaussian, Model, Schema, SoftlearnError, load
from softlearn.errors import CircuitError, ModelFileError, SchemaError

MODEL = patients()


def test_a_loaded_model_gives_the_same_answers_bit_for_bit(tmp_path):
    MODEL.save(tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    assert loaded.schema == MODEL.schema
    rows = MODEL.sample(50, random_state=1)
    gaps = rows.mask(np.random.default_rng(2).random(rows.shape) < 0.3)
    assert loaded.sample(50, random_state=1).equals(rows)
    assert loaded.score_samples(gaps).tobytes() == MODEL.score_samples(gaps).tobytes()
    for method in ("most_probable", "mean"):
        assert loaded.impute(gaps, method=method).equals(MODEL.impute(gaps, method=method))
    known = {"age": (30, 50), "sex": "M"}
    assert dict(loaded.distribution("stage", known)) == dict(MODEL.distribution("stage", known))
    assert loaded.expectation(given=known) == MODEL.expectation(given=known)


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "wrong.safetensors").write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match=r"wrong\.safetensors"):
        load(tmp_path / "wrong.safetensors")


def test_a_model_prints_its_size_and_its_columns():
    assert repr(fork()) == "Model of 2 columns: 7 nodes, 6 edges, 6 parameters, depth 2"
    text = str(MODEL)
    assert text.splitlines()[0].split() == ["columns", "6"]
    assert "joined  datetime" in text
    assert str(MODEL.describe()) in text


def test_the_circuit_shows_its_size():
    circuit = fork().circuit
    assert (circuit.n_nodes, circuit.n_edges, circuit.depth) == (7, 6, 2)
    assert circuit.n_parameters == fork().describe().parameters


def test_a_mapping_changes_kinds_and_a_schema_replaces_them():
    leaves = Gaussian("n", 5, 2) * Categorical("c", {"b": 0.25, "a": 0.75})
    assert Model(leaves, {"n": "integer"}).schema["n"].kind == "integer"
    schema = Schema((Column("c", "categorical", ("a", "b", "z")), Column("n", "numeric")), "polars")
    model = Model(leaves, schema)
    assert model.schema is schema
    assert model.probability({"c": "a"}) == 0.75
    assert model.probability({"c": "z"}) == 0.0


def test_a_flat_circuit_keeps_its_names_and_levels():
    flat = Model(Gaussian("n", 5, 2) * Categorical("c", {"b": 0.25, "a": 0.75})).circuit
    assert Model(flat).circuit is flat
    assert Model(flat, {"n": "integer"}).probability({"n": 5}) > 0.0
    swapped = Schema((Column("n", "numeric"), Column("c", "categorical", ("a", "b"))))
    with pytest.raises(SchemaError, match="name, order or levels"):
        Model(flat, swapped)


@pytest.mark.parametrize("wrong", [None, "model.safetensors", 0.5 * Gaussian("x", 0, 1)])
def test_a_model_is_made_of_a_circuit(wrong):
    with pytest.raises(SoftlearnError, match="Model takes a circuit"):
        Model(wrong)


def test_an_unsound_circuit_is_refused():
    with pytest.raises(CircuitError, match=r"add to 1\.1"):
        Model(0.5 * Gaussian("x", 0, 1) + 0.6 * Gaussian("x", 1, 1))


def test_every_public_name_is_there_and_documented():
    for name in softlearn.__all__:
        assert getattr(softlearn, name) is not None
        assert name == "__version__" or getattr(softlearn, name).__doc__


def test_importing_softlearn_loads_nothing_heavy():
    heavy = [
        "numba",
        "pandas",
        "polars",
        "pyarrow",
        "matplotlib",
        "sklearn",
        "scipy.stats",
        "narwhals",
    ]
    check = f"import sys, softlearn; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
