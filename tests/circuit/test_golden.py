"""Files of every format version that was ever released keep loading, to the last bit.

A golden file is written once, by the release that introduced its format version, and never again:
``python -c "import test_golden; test_golden.write_golden()"`` in this folder, with the package
installed.
"""

import json
from importlib import metadata
from pathlib import Path

import pytest

from circuit_examples import must_equal
from softlearn.circuit import (
    Categorical,
    Circuit,
    Gaussian,
    Histogram,
    Scaled,
    flatten,
    load_circuit,
    save_circuit,
    violations,
)
from softlearn.circuit.file_format import VERSION
from softlearn.circuit.flat import ARRAYS
from softlearn.table.scale import Scale
from softlearn.table.schema import Column, Schema

GOLDEN = Path(__file__).parent.parent / "golden"


def golden_circuit() -> Circuit:
    """A circuit with each family and kind of column, a shared leaf and a nested sum."""
    visits = Scale(
        (0.0, 1.0, 4.0, 5.0),
        (0.0, 3.0, 4.0, 9.0),
        (0.5, 0.25, 0.125, 0.125),
        (True, False, True, False),
        1.0,
        lower=0.0,
        missing_share=0.25,
        values=(1.0, 3.0, 7.0),
        stray=0.25,
        reason="from 0, often 0, 4",
    )
    weight = Scale((0.1, 0.3), (0.3, 2.5), (1 / 3, 2 / 3), (False, False), upper=2.5)
    schema = Schema(
        (
            Column("age", "integer", dtype="int64", reason="whole numbers"),
            Column("income", "numeric", dtype="float64", reason="numbers"),
            Column("visits", "integer", dtype="Int64", scale=visits, missing="modelled"),
            Column("weight", "numeric", dtype="float64", scale=weight),
            Column("colour", "categorical", ("red", "blue"), missing="modelled"),
            Column(
                "city", "categorical", ("Kraków", "Lyon", "Oslo"), dtype="category", reason="text"
            ),
            Column("member", "boolean", (False, True), dtype="bool", reason="truth values"),
        ),
        frame="pandas",
    )
    member = Categorical("member", {False: 0.25, True: 0.75})
    city = 0.2 * Categorical("city", {"Oslo": 1}) + 0.8 * Categorical(
        "city", {"Kraków": 0.1, "Lyon": 0.3, "Oslo": 0.6}
    )
    young = Gaussian("age", 24.5, 3.25) * Histogram("income", [0, 1.5, 4], [0.4, 0.6]) * member
    old = Gaussian("age", 61, 1 / 3) * Gaussian("income", -1e-9, 1e12) * member
    weight_itself, colour = (
        Scaled("weight", own=1.0),
        Categorical("colour", {"red": 0.5, None: 0.5}),
    )
    young = young * Scaled("visits", -0.1, 0.3, atoms={0: 0.25, None: 0.125}, own=0.01)
    old = old * Scaled("visits", 1.5, 0.7, atoms={4: 0.3}) * colour * weight_itself
    young = young * Scaled("weight", 0.5, 2.0) * Categorical("colour", {"blue": 1.0})
    return flatten(0.3 * young * city + 0.7 * old * Categorical("city", {"Lyon": 1}), schema)


def write_golden() -> None:
    """Write the golden file of this format version, and what is in it."""
    stem = GOLDEN / f"circuit-v{VERSION}"
    circuit = golden_circuit()
    save_circuit(stem.with_suffix(".safetensors"), circuit)
    content = {
        "provenance": "tests/circuit/test_golden.py::golden_circuit, written by hand, "
        f"saved by softlearn {metadata.version('softlearn')} (format version {VERSION})",
        "schema": circuit.schema.to_dict(),
        "arrays": {name: getattr(circuit, name).tolist() for name in ARRAYS},
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    stem.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def test_every_format_version_has_a_golden_file():
    names = sorted(path.name for path in GOLDEN.glob("circuit-*.safetensors"))
    assert names == [f"circuit-v{version}.safetensors" for version in range(1, VERSION + 1)]


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_golden_file_holds_what_it_held(version):
    circuit = load_circuit(GOLDEN / f"circuit-v{version}.safetensors")
    expected = json.loads((GOLDEN / f"circuit-v{version}.json").read_text(encoding="utf-8"))
    stored = expected["schema"]
    for column in stored["columns"]:  # what older versions do not know has its default
        column.setdefault("scale", None)
        column.setdefault("missing", "unobserved")
        for name in ("bins", "humps") if column["scale"] else ():
            column["scale"].setdefault(name, [])
    assert circuit.schema.to_dict() == stored
    assert {name: getattr(circuit, name).tolist() for name in ARRAYS} == expected["arrays"]
    assert violations(circuit) == []


def test_the_golden_circuit_still_flattens_to_the_same_arrays():
    must_equal(load_circuit(GOLDEN / f"circuit-v{VERSION}.safetensors"), golden_circuit())
