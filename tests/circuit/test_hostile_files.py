"""Small files that ask for much: refused, or loaded in memory that is in proportion to them."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from benchmarks import fuzz

from softlearn import Categorical, Gaussian, Histogram, Model, load
from softlearn.circuit import Product, load_circuit, violations
from softlearn.circuit.file_format import FORMAT, VERSION, checksum
from softlearn.circuit.flat import ARRAYS, Circuit
from softlearn.errors import ModelFileError
from softlearn.leaf import FAMILIES

MEGABYTES = 1_000_000


def forged(path: Path, arrays: dict[str, np.ndarray], schema: dict[str, object]) -> Path:
    """Write a file with the right checksum, whatever it says."""
    families = [family.name for family in FAMILIES]
    about = {"format": FORMAT, "version": VERSION, "softlearn": "", "families": families}
    about |= {"schema": schema}
    about["checksum"] = checksum(about, arrays)
    path.write_bytes(safetensors.numpy.save(arrays, {"softlearn": json.dumps(about)}))
    return path


def arrays_of(circuit: Circuit) -> dict[str, np.ndarray]:
    return {name: getattr(circuit, name) for name in ARRAYS}


def peak(path: Path) -> int:
    """The memory that loading takes, whether or not it succeeds."""
    tracemalloc.start()
    try:
        load_circuit(path)
    except ModelFileError:
        pass
    finally:
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return found


def work(path: Path) -> int:
    """How many calls loading takes, of Python and of C, whether or not it succeeds."""
    calls = Counter()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: calls.update([event]))
    try:
        with suppress(ModelFileError):
            load_circuit(path)
    finally:
        sys.setprofile(before)
    return calls["call"] + calls["c_call"]


def one_column(dtype: str, frame: str) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    circuit = Model(Categorical("c", {"a": 0.5, "b": 0.5})).circuit
    schema = circuit.schema.to_dict() | {"frame": frame}
    schema["columns"][0]["dtype"] = dtype
    return arrays_of(circuit), schema


@pytest.mark.parametrize(
    "dtype",
    ["|S1000000000", "|V8", "complex128", "period[M]", "str as anything", "category[[str]]", "?"],
)
def test_a_dtype_that_no_table_has_is_refused(tmp_path, dtype):
    path = forged(tmp_path / "model", *one_column(dtype, "numpy"))
    with pytest.raises(ModelFileError, match="column 'c': no table stores"):
        load(path)


def test_a_dtype_cannot_ask_for_gigabytes(tmp_path):
    model = load(forged(tmp_path / "model", *one_column("<U300000000", "numpy")))
    tracemalloc.start()
    drawn = model.sample(1000, random_state=0)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set(np.unique(drawn.astype(str))) <= {"a", "b"}
    assert taken < 50 * MEGABYTES


@pytest.mark.parametrize("key", ["name", "reason", "levels"])
def test_half_a_letter_is_refused(tmp_path, key):
    arrays, schema = one_column("", "pandas")
    schema["columns"][0][key] = ["a", "\ud800"] if key == "levels" else "\ud800"
    with pytest.raises(ModelFileError, match="metadata is damaged"):
        load(forged(tmp_path / "model", arrays, schema))


def test_half_a_letter_is_not_saved(tmp_path):
    with pytest.raises(ModelFileError, match="incomplete Unicode character"):
        Model(Gaussian("\ud800", 0, 1)).save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("item", ["[]", "{}", '""', "0", "0.5"])
@pytest.mark.parametrize("inside", [True, False])
def test_json_cannot_swell(tmp_path, item, inside):
    text = f'{{"format":"{FORMAT}","version":1,"x":[{",".join([item] * 800_000)}]}}'
    header = (json.dumps({"__metadata__": {"softlearn": text}}) if inside else text).encode()
    path = tmp_path / "model"
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    assert peak(path) < 8 * path.stat().st_size + 16 * MEGABYTES


def prefixes(n_columns: int) -> tuple[dict[str, np.ndarray], dict[str, object]]:
    """Products over the first two, three, four … columns, of which each is used once more."""
    n = n_columns
    nodes = [[n + i - 2 if i > 1 else 0, i] for i in range(1, n)]
    nodes.append(list(range(n, 2 * n - 1)))
    starts = np.cumsum([0] * (n + 1) + [len(node) for node in nodes])
    child = np.concatenate(nodes).astype(np.int32)
    arrays = {
        "kind": np.repeat([0, 1], [n, len(nodes)]).astype(np.uint8),
        "edge_start": starts.astype(np.int64),
        "child": child,
        "weight": np.ones(child.size),
        "leaf_column": np.arange(n, dtype=np.int32),
        "leaf_family": np.ones(n, dtype=np.uint8),
        "param_start": np.arange(0, 2 * n + 1, 2, dtype=np.int64),
        "params": np.tile([0.0, 1.0], n),
    }
    columns = [
        {"name": f"{i}", "kind": "numeric", "levels": [], "dtype": "", "reason": ""}
        for i in range(n)
    ]
    return arrays, {"frame": "pandas", "columns": columns}


def test_scopes_take_memory_in_proportion_to_the_circuit(tmp_path):
    path = forged(tmp_path / "model", *prefixes(20_000))
    assert peak(path) < 8 * path.stat().st_size


def test_loading_takes_work_in_proportion_to_the_file(tmp_path):
    small, large = (forged(tmp_path / str(n), *prefixes(n)) for n in (3_000, 12_000))
    assert work(large) / work(small) < 1.5 * large.stat().st_size / small.stat().st_size


def test_a_column_that_products_repeat_often_enough_to_wrap_around_is_noticed():
    circuit = Model(Gaussian("x", 0, 1) * Gaussian("y", 0, 1)).circuit
    doubled = 64
    child = [0, 0, *(i for n in range(2, doubled + 1) for i in (n, n)), doubled + 1, 1]
    kinds = np.array([0, 0, *[1] * (doubled + 1)], dtype=np.uint8)
    broken = Circuit(
        **arrays_of(circuit)
        | {
            "kind": kinds,
            "edge_start": np.array([0, 0, *range(0, len(child) + 1, 2)], dtype=np.int64),
            "child": np.array(child, dtype=np.int32),
            "weight": np.ones(len(child)),
        },
        schema=circuit.schema,
    )
    assert any("not decomposable" in reason for reason in violations(broken))


def test_millions_of_mistakes_are_told_briefly(tmp_path):
    arrays, schema = prefixes(1000)
    broken = arrays | {"weight": np.full(arrays["weight"].size, -1.0)}
    path = forged(tmp_path / "model", broken, schema)
    with pytest.raises(ModelFileError, match=r"breaks 100[01] rules"):
        load_circuit(path)


def test_mutated_files_are_refused_or_right():
    counts = fuzz.run(rounds=300, seed=1)
    assert counts["refused"] > 100
    assert counts["sound"] > 3


@pytest.mark.parametrize("leaf", ["categorical", "histogram"])
def test_what_is_off_by_little_does_not_add_up(tmp_path, leaf):
    n = 5000
    off = 0.5 * (1 + 9e-10)  # as much as is accepted
    wide = Product(
        tuple(
            Categorical(f"{i}", {"a": 0.5, "b": 0.5})
            if leaf == "categorical"
            else Histogram(f"{i}", [0, 1, 2], [0.5, 0.5])
            for i in range(n)
        )
    )
    circuit = Model(wide).circuit
    params = np.where(circuit.params == 0.5, off, circuit.params)
    arrays = arrays_of(circuit) | {"params": params}
    model = load(forged(tmp_path / "model", arrays, circuit.schema.to_dict()))
    assert abs(model.probability({}) - 1.0) < 1e-9
    totals = model.circuit.params[model.circuit.params != circuit.params]
    assert np.abs(totals - 0.5).max(initial=0.0) < 1e-12
