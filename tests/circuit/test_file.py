"""The model file: what goes in comes out, in the same bytes each time, whole or not at all."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from circuit_examples import mixed, must_equal, paper_example
from softlearn.circuit import Categorical, Gaussian, flatten, load_circuit, save_circuit
from softlearn.circuit.flat import ARRAYS
from softlearn.errors import CircuitError, ModelFileError
from softlearn.table.schema import Column, Schema

ALONE = flatten(Gaussian("X", 0, 1))  # no edge at all: arrays of length zero
ODD_NAMES = flatten(
    Gaussian('quote " back \\ slash', 0, 1)
    * Categorical("neue\nZeile ☃", {"": 0.5, "\x00": 0.5})
    * Categorical("number", {-1: 0.25, 2**53: 0.75})
    * Categorical("float", {0.1: 0.5, 1e300: 0.5})
)


@pytest.mark.parametrize(
    "circuit",
    [flatten(paper_example()), mixed(), ALONE, ODD_NAMES],
    ids=lambda c: repr(c.schema.names),
)
def test_a_circuit_comes_back_bit_for_bit(circuit, tmp_path):
    save_circuit(tmp_path / "model.safetensors", circuit)
    must_equal(load_circuit(tmp_path / "model.safetensors"), circuit)


def test_extreme_parameters_come_back_bit_for_bit(tmp_path):
    params = [-0.0, 5e-308, np.finfo(float).max, 1 / 3, np.nextafter(1, 2), np.pi, -1e-320, 0.1]
    circuit = replace(flatten(paper_example()), params=params)
    save_circuit(tmp_path / "model", circuit)
    must_equal(load_circuit(tmp_path / "model"), circuit)


def test_schema_details_come_back(tmp_path):
    column = Column("c", "categorical", ("b", "a"), dtype="category", reason="because")
    circuit = flatten(Categorical("c", {"a": 0.5, "b": 0.5}), Schema((column,), frame="polars"))
    save_circuit(tmp_path / "model", circuit)
    assert load_circuit(tmp_path / "model").schema == circuit.schema


def test_a_path_may_be_text(tmp_path):
    save_circuit(str(tmp_path / "model"), ALONE)
    must_equal(load_circuit(str(tmp_path / "model")), ALONE)


def test_a_loaded_circuit_is_frozen(tmp_path):
    save_circuit(tmp_path / "model", ALONE)
    with pytest.raises(ValueError, match="read-only"):
        load_circuit(tmp_path / "model").params[0] = 1.0


def test_the_file_is_ordinary_safetensors(tmp_path):
    circuit = mixed()
    save_circuit(tmp_path / "model", circuit)
    arrays = safetensors.numpy.load_file(tmp_path / "model")
    assert arrays.keys() == ARRAYS.keys()
    assert arrays["weight"].tolist() == circuit.weight.tolist()


def test_the_metadata_says_what_wrote_the_file(tmp_path):
    save_circuit(tmp_path / "model", mixed())
    with safetensors.safe_open(tmp_path / "model", framework="np") as file:
        about = json.loads(file.metadata()["softlearn"])
    assert about["format"] == "softlearn-circuit"
    assert about["version"] == 2
    assert about["families"][:4] == ["categorical", "gaussian", "histogram", "scaled"]
    assert about["schema"] == mixed().schema.to_dict()
    assert isinstance(about["softlearn"], str)


def test_the_same_circuit_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        save_circuit(tmp_path / name, mixed())
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_other_processes_write_the_same_bytes(tmp_path):
    save_circuit(tmp_path / "here", mixed())
    program = (
        "import sys; from circuit_examples import mixed;"
        "from softlearn.circuit import save_circuit; save_circuit(sys.argv[1], mixed())"
    )
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONHASHSEED": seed,
        }
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / seed], check=True, env=environment
        )
        assert (tmp_path / seed).read_bytes() == (tmp_path / "here").read_bytes()


def test_loading_and_saving_again_changes_no_byte(tmp_path):
    save_circuit(tmp_path / "one", mixed())
    save_circuit(tmp_path / "two", load_circuit(tmp_path / "one"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_an_existing_file_is_replaced(tmp_path):
    save_circuit(tmp_path / "model", mixed())
    save_circuit(tmp_path / "model", ALONE)
    must_equal(load_circuit(tmp_path / "model"), ALONE)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(step, failure, tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise failure

    save_circuit(tmp_path / "model", ALONE)
    monkeypatch.setattr(os, step, fail)
    expected = ModelFileError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        save_circuit(tmp_path / "model", mixed())
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    must_equal(load_circuit(tmp_path / "model"), ALONE)


def test_a_full_disk_is_told_in_the_systems_words(tmp_path, monkeypatch):
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ModelFileError, match=r"^cannot write .*model: No space left on device$"):
        save_circuit(tmp_path / "model", ALONE)


def test_an_unsound_circuit_is_not_written(tmp_path):
    with pytest.raises(CircuitError, match="deviation"):
        save_circuit(tmp_path / "model", replace(ALONE, params=[0.0, -1.0]))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(
        ModelFileError, match=r"cannot write .*: the folder .*nowhere does not exist"
    ):
        save_circuit(tmp_path / "nowhere" / "model", ALONE)


def test_a_folder_cannot_be_written(tmp_path):
    with pytest.raises(ModelFileError, match="it is a folder; name a file in it"):
        save_circuit(tmp_path, ALONE)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_locked_folder_is_told(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(ModelFileError, match="Permission denied"):
        save_circuit(tmp_path / "model", ALONE)


def test_a_name_that_no_system_takes_is_told():
    with pytest.raises(ModelFileError, match="cannot write"):
        save_circuit("null\0byte", ALONE)


def test_a_new_file_is_as_readable_as_any_other(tmp_path):
    (tmp_path / "plain").touch()
    save_circuit(tmp_path / "model", ALONE)
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_saving_through_a_link_keeps_the_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "model")
    save_circuit(tmp_path / "link", ALONE)
    assert (tmp_path / "link").is_symlink()
    must_equal(load_circuit(tmp_path / "model"), ALONE)


def test_opening_a_model_imports_no_compiler(tmp_path):
    save_circuit(tmp_path / "model", mixed())
    program = (
        "import sys; from softlearn.circuit import load_circuit, describe, to_dot;"
        "circuit = load_circuit(sys.argv[1]); describe(circuit); to_dot(circuit);"
        "assert 'numba' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program, tmp_path / "model"], check=True, env=environment)
