"""Files that are wrong in every way we could think of: one clear error, never a crash."""

import json
import os
import pickle
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from circuit_examples import mixed, must_equal
from plain_scale import ATOMS, HALVES, WHOLE
from softlearn.circuit import Circuit, Scaled, flatten, load_circuit, save_circuit, violations
from softlearn.circuit.file_format import JsonObject, checksum
from softlearn.circuit.flat import ARRAYS
from softlearn.errors import ModelFileError
from softlearn.table.schema import Column, Schema


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> bytes:
    """The bytes of a sound file."""
    path = tmp_path_factory.mktemp("sound") / "model"
    save_circuit(path, mixed())
    return path.read_bytes()


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "model.safetensors"


def about(content: bytes) -> JsonObject:
    """The metadata of a file, to be changed and written again."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["softlearn"])


def written(path: Path, circuit: Circuit, about: JsonObject) -> None:
    """Write any circuit with any metadata, unchecked, and with the right checksum."""
    write_arrays(path, {name: getattr(circuit, name) for name in ARRAYS}, about)


def write_arrays(path: Path, arrays: dict[str, np.ndarray], about: JsonObject) -> None:
    said = {key: value for key, value in about.items() if key != "checksum"}
    if arrays.keys() >= ARRAYS.keys():
        said["checksum"] = checksum(said, arrays)
    path.write_bytes(safetensors.numpy.save(arrays, {"softlearn": json.dumps(said)}))


def with_header(header: object, body: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def refused(path: Path, reason: str) -> None:
    """Check that loading names the path and the reason."""
    with pytest.raises(ModelFileError, match=reason) as raised:
        load_circuit(path)
    assert str(raised.value).startswith(f"cannot load {path}: ")


def equal_or_refused(path: Path, content: bytes) -> None:
    """Check that damage is noticed or harmless; any other exception fails the test."""
    path.write_bytes(content)
    try:
        circuit = load_circuit(path)
    except ModelFileError:
        return
    must_equal(circuit, mixed())


def sound_or_refused(path: Path) -> None:
    """Check that a forged file is refused, or holds a sound circuit."""
    try:
        circuit = load_circuit(path)
    except ModelFileError:
        return
    assert violations(circuit) == []


def test_a_missing_file_is_told(path):
    refused(path, "there is no such file")


def test_a_folder_is_told(tmp_path):
    refused(tmp_path, "it is a folder")


def test_an_empty_file_is_told(path):
    path.touch()
    refused(path, "truncated, or not a safetensors file")


def test_a_text_file_is_told(path):
    path.write_text("age,income\n30,>50K\n" * 20)
    refused(path, "truncated, or not a safetensors file")


def test_a_zip_file_is_told(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model", "x" * 1000)
    refused(path, "not a safetensors file")


class Bomb:
    """An object whose pickle would create a file when it is read."""

    def __init__(self, marker: Path) -> None:
        self.marker = str(marker)

    def __reduce__(self):
        return (os.mkdir, (self.marker,))


def test_a_pickle_is_not_executed(path, tmp_path):
    marker = tmp_path / "executed"
    path.write_bytes(pickle.dumps(Bomb(marker)))
    refused(path, "not a safetensors file")
    assert not marker.exists()
    pickle.loads(path.read_bytes())
    assert marker.exists()  # the bomb was live


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(path):
    os.mkfifo(path)
    refused(path, "not an ordinary file")


def test_a_name_that_no_system_takes_is_told():
    with pytest.raises(ModelFileError, match="cannot load"):
        load_circuit("null\0byte")


def test_a_name_that_is_too_long_is_told():
    with pytest.raises(ModelFileError, match="cannot load"):
        load_circuit("x" * 5000)


def test_a_header_larger_than_the_file_is_not_read(path, sound):
    path.write_bytes((2**63).to_bytes(8, "little") + sound[8:])
    refused(path, "truncated")


def test_a_giant_header_is_not_read(path):
    with path.open("wb") as file:
        file.write((10**12).to_bytes(8, "little"))
        file.truncate(10**12 + 8)  # sparse: takes no room on disk
    refused(path, "its header claims 1,000,000,000,000 bytes, which no model needs")


@pytest.mark.parametrize(
    "header",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"1" * 10_000, b"[" * 100_000, b'{"a":' * 9999],
)
def test_a_header_that_is_no_json_object_is_told(path, header):
    path.write_bytes(with_header(header))
    refused(path, "it is not a safetensors file")


@pytest.mark.parametrize(
    "metadata", [None, 3, {}, {"format": "pt"}, {"softlearn": 3}, {"softlearn": None}], ids=repr
)
def test_somebody_elses_safetensors_is_told(path, metadata):
    path.write_bytes(with_header({"__metadata__": metadata}))
    refused(path, "not one that softlearn wrote")


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "[" * 100_000])
def test_metadata_that_is_no_json_object_is_told(path, text):
    path.write_bytes(with_header({"__metadata__": {"softlearn": text}}))
    refused(path, "its metadata is damaged")


@pytest.mark.parametrize("name", [None, "", "softlearn-table", 3, ["softlearn-circuit"]], ids=repr)
def test_another_format_is_told(path, sound, name):
    written(path, mixed(), about(sound) | {"format": name})
    refused(path, f"its format is {re.escape(repr(name))}, not 'softlearn-circuit'")


def test_a_newer_version_asks_for_an_upgrade(path, sound):
    written(path, mixed(), about(sound) | {"version": 3})
    refused(path, "newer softlearn, format version 3; this one reads up to 2: upgrade")


def test_a_newer_version_may_hold_anything_else(path, sound):
    write_arrays(path, {"novel": np.zeros(3)}, about(sound) | {"version": 7, "schema": None})
    refused(path, "newer softlearn, format version 7")


@pytest.mark.parametrize("version", [None, "1", 0, -1, 1.0, True, [1]], ids=repr)
def test_a_version_that_is_no_number_is_told(path, sound, version):
    written(path, mixed(), about(sound) | {"version": version})
    refused(path, f"its format version is {re.escape(repr(version))}")


@pytest.mark.parametrize("name", ARRAYS)
def test_a_missing_array_is_named(path, sound, name):
    arrays = {other: getattr(mixed(), other) for other in ARRAYS if other != name}
    write_arrays(path, arrays, about(sound))
    refused(path, f"it lacks the array '{name}'")


def test_an_extra_array_is_named(path, sound):
    arrays = {name: getattr(mixed(), name) for name in ARRAYS} | {"spare": np.zeros(3)}
    write_arrays(path, arrays, about(sound))
    refused(path, r"it holds arrays that no circuit has: \['spare'\]")


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float16, np.int64, np.uint64, np.bool_, np.complex64]
)
def test_an_array_of_another_dtype_is_named(path, sound, dtype):
    arrays = {name: getattr(mixed(), name) for name in ARRAYS}
    arrays["weight"] = arrays["weight"].astype(dtype)
    write_arrays(path, arrays, about(sound))
    refused(path, "weight is stored as '.*', not 'F64'")


@pytest.mark.parametrize("shape", [(1, -1), (-1, 1), (1, 1, -1)])
def test_an_array_of_another_shape_is_named(path, sound, shape):
    arrays = {name: getattr(mixed(), name) for name in ARRAYS}
    arrays["child"] = arrays["child"].reshape(shape)
    write_arrays(path, arrays, about(sound))
    refused(path, r"child has the shape \[.*\], not one dimension")


@pytest.mark.parametrize(
    "spec", [None, 3, [], {}, {"dtype": "F64"}, {"dtype": ["F64"], "shape": "x"}]
)
def test_an_array_without_description_is_named(path, sound, spec):
    length = int.from_bytes(sound[:8], "little")
    header = json.loads(sound[8 : 8 + length]) | {"weight": spec}
    path.write_bytes(with_header(header, sound[8 + length :]))
    refused(path, "weight ")


@pytest.mark.parametrize("families", [None, "categorical", {}, 3], ids=repr)
def test_missing_family_names_are_told(path, sound, families):
    written(path, mixed(), about(sound) | {"families": families})
    refused(path, "its list of leaf families is missing")


def test_too_few_family_names_are_told(path, sound):
    written(path, mixed(), about(sound) | {"families": ["categorical", "gaussian"]})
    refused(path, "its leaves use family 2, which it does not list")


def test_families_in_another_order_are_told(path, sound):
    written(path, mixed(), about(sound) | {"families": ["gaussian", "categorical", "histogram"]})
    refused(path, "its leaf family 0 is 'gaussian'; this version has 'categorical'")


def test_a_family_of_the_future_is_named(path, sound):
    names = [f"family {i}" for i in range(200)]
    names[:3] = about(sound)["families"][:3]
    future = mixed().leaf_family.copy()
    future[-1] = 199
    written(path, replace(mixed(), leaf_family=future), about(sound) | {"families": names})
    refused(path, "its leaf family 199 is 'family 199'; this version has no such family")


def test_families_that_no_leaf_uses_do_not_matter(path, sound):
    written(path, mixed(), about(sound) | {"families": [*about(sound)["families"], "novel"]})
    must_equal(load_circuit(path), mixed())


@pytest.mark.parametrize("schema", [None, [], "x", 3], ids=repr)
def test_a_missing_schema_is_told(path, sound, schema):
    written(path, mixed(), about(sound) | {"schema": schema})
    refused(path, "a stored schema has exactly the keys")


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"columns": []},
        {"columns": 3, "frame": "pandas"},
        {"columns": [], "frame": "pandas"},
        {"columns": [3], "frame": "pandas"},
        {"columns": [{"name": 3}], "frame": "pandas"},
    ],
    ids=repr,
)
def test_a_schema_that_contradicts_itself_is_told(path, sound, schema):
    written(path, mixed(), about(sound) | {"schema": schema})
    refused(path, "schema|column")


@pytest.mark.parametrize(
    "value", [None, [], {}, [[]], {"a": []}, 10**400, 1e400, -1, True, "\ud800"]
)
@pytest.mark.parametrize("key", ["name", "kind", "levels", "dtype", "reason", "scale", "missing"])
def test_a_column_with_a_strange_entry_is_told_or_sound(path, sound, key, value):
    metadata = about(sound)
    metadata["schema"]["columns"][0][key] = value
    written(path, mixed(), metadata)
    sound_or_refused(path)


def with_scale() -> Circuit:
    """A circuit over a column with a scale whose missing cells are modelled."""
    schema = Schema((Column("n", "integer", scale=WHOLE, missing="modelled"),))
    return flatten(Scaled("n", 0.5, 0.7, atoms={2: 0.25, None: 0.25}), schema)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        "x",
        [[]],
        10**400,
        1e400,
        -1,
        True,
        [True] * 5,
        [1e999] * 5,
        [None] * 5,
        [0] * 5,
    ],
    ids=repr,
)
@pytest.mark.parametrize("key", [*WHOLE.to_dict(), "more"])
def test_a_scale_with_a_strange_entry_is_told_or_sound(path, key, value):
    save_circuit(path, with_scale())
    metadata = about(path.read_bytes())
    metadata["schema"]["columns"][0]["scale"][key] = value
    written(path, with_scale(), metadata)
    sound_or_refused(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"scale": None}, "needs a scale"),
        ({"missing": "unobserved"}, "parameters where the column has 1 atoms"),
        ({"kind": "categorical", "levels": ["a"]}, "takes no scale"),
        ({"scale": HALVES.to_dict()}, "step of its scale is a whole number"),
        ({"scale": ATOMS.to_dict()}, "parameters where the column has 4 atoms"),
        ({"scale": WHOLE.to_dict() | {"share": [0.2] * 4}}, "each with all four numbers"),
        ({"scale": WHOLE.to_dict() | {"share": [0.3] * 5}}, "add to 1.5, not 1"),
        ({"scale": WHOLE.to_dict() | {"step": 0}}, "step of its scale is a whole number"),
        ({"missing": 3}, "has missing 3"),
    ],
    ids=repr,
)
def test_a_forged_scale_is_told(path, change, reason):
    save_circuit(path, with_scale())
    metadata = about(path.read_bytes())
    metadata["schema"]["columns"][0] |= change
    written(path, with_scale(), metadata)
    refused(path, reason)


@pytest.mark.parametrize(
    ("name", "position", "value", "reason"),
    [
        ("child", -1, mixed().root, "does not come before it"),  # a cycle
        ("child", 0, mixed().root, "does not come before it"),
        ("child", 0, 2**31 - 1, "does not come before it"),
        ("child", 0, -1, "does not come before it"),
        ("edge_start", 3, 2**62, "edge_start must rise"),
        ("edge_start", -1, 2**62, "edge_start must rise"),
        ("param_start", 1, -1, "param_start must rise"),
        ("kind", 0, 77, "unknown kind 77"),
        ("leaf_column", 0, 99, "there is no column 99"),
        ("weight", -1, np.nan, "an edge weighs nan"),
        ("weight", -1, -0.7, "an edge weighs -0.7"),
        ("weight", -1, 0.8, "its weights add to 1.1"),
        ("params", 0, np.nan, "leaf 0 over"),
    ],
)
def test_arrays_that_break_a_rule_are_told(path, sound, name, position, value, reason):
    array = getattr(mixed(), name).copy()
    array[position] = value
    written(path, replace(mixed(), **{name: array}), about(sound))
    refused(path, reason)


def test_every_violation_is_in_the_message(path, sound):
    broken = replace(mixed(), weight=mixed().weight * 2, params=-mixed().params)
    written(path, broken, about(sound))
    refused(path, r"(?s)an edge weighs 2.0, not 1.*its weights add to 2")


def test_a_truncated_file_is_refused_at_every_length(path, sound):
    for length in range(0, len(sound), 7):
        path.write_bytes(sound[:length])
        refused(path, "truncated")


def test_a_file_with_something_after_its_end_is_refused(path, sound):
    path.write_bytes(sound + b"\0")
    refused(path, "it is truncated or damaged")


def test_a_giant_body_is_not_read(path, sound):
    with path.open("wb") as file:
        file.write(sound)
        file.truncate(10**13)  # sparse: takes no room on disk
    refused(path, "it is truncated or damaged")


def test_a_changed_number_is_noticed(path, sound):
    at = sound.index(np.float64(1.5).tobytes())  # the mean of a leaf
    path.write_bytes(sound[:at] + np.float64(1.25).tobytes() + sound[at + 8 :])
    refused(path, "it is damaged: its checksum does not match")


def test_a_changed_name_is_noticed(path, sound):
    path.write_bytes(sound.replace(b"colour", b"flavor"))
    refused(path, "it is damaged: its checksum does not match")


def test_a_flipped_bit_is_noticed_or_harmless(path, sound):
    for bit in range(0, len(sound) * 8, 11):  # every eleventh: all bytes but a few, all eight bits
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << bit % 8
        equal_or_refused(path, bytes(damaged))


changes = st.lists(
    st.tuples(st.integers(0, 5000), st.integers(0, 8), st.binary(max_size=12)),
    min_size=1,
    max_size=4,
)


@settings(
    max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(changes)
@example([(0, 8, (2**63 - 1).to_bytes(8, "little"))])
@example([(8, 1, b"[")])
def test_replaced_pieces_are_noticed_or_harmless(path, sound, pieces):
    damaged = sound
    for start, length, piece in pieces:
        at = start % max(len(damaged), 1)
        damaged = damaged[:at] + piece + damaged[at + length :]
    equal_or_refused(path, damaged)


@settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.binary(max_size=200))
def test_random_bytes_are_refused(path, content):
    path.write_bytes(content)
    refused(path, "safetensors")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.sampled_from(["format", "version", "families", "schema", "columns", "column"]), json_values
)
def test_any_json_in_the_metadata_is_noticed_or_harmless(path, sound, key, value):
    metadata = about(sound)
    if key == "columns":
        metadata["schema"]["columns"] = value
    elif key == "column":
        metadata["schema"]["columns"][1] = value
    else:
        metadata[key] = value
    written(path, mixed(), metadata)
    sound_or_refused(path)


@pytest.mark.parametrize("name", ARRAYS)
@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(data=st.data())
def test_any_numbers_in_an_array_are_noticed_or_harmless(path, sound, name, data):
    array = getattr(mixed(), name).copy()
    raw = data.draw(st.binary(min_size=array.nbytes, max_size=array.nbytes))
    content = replace(mixed(), **{name: np.frombuffer(raw, dtype=array.dtype)})
    written(path, content, about(sound))
    sound_or_refused(path)
