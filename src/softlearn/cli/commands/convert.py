"""A model in other formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softlearn.cli.answers import as_json_text, must_be_free, print_answer
from softlearn.cli.command import Command
from softlearn.cli.mistakes import note
from softlearn.cli.options import Force, ModelPath
from softlearn.errors import SoftlearnError
from softlearn.whole_files import write_whole

if TYPE_CHECKING:
    from softlearn.circuit import Circuit

_READABLE = 500  # nodes of a drawing


@dataclass(frozen=True, kw_only=True)
class Convert(Command):
    """Write a model as a Graphviz drawing (.dot) or as JSON (.json), by the name of the file."""

    examples = (
        "softlearn convert bank.safetensors bank.json",
        "softlearn convert small.safetensors small.dot && dot -Tsvg small.dot -o small.svg",
    )

    model: ModelPath
    output: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .dot or .json.")]
    force: Force = False

    def run(self) -> None:
        """Convert."""
        from softlearn.circuit import load_circuit  # noqa: PLC0415

        must_be_free(self.output, force=self.force, inputs=(self.model,))
        if self.output.suffix not in (".dot", ".json"):
            raise SoftlearnError(f"{self.output} must end in .dot or .json, which says the format")
        circuit = load_circuit(self.model)
        content = _as_dot(circuit) if self.output.suffix == ".dot" else _as_json(circuit)
        write_whole(self.output, content)
        found = {"nodes": circuit.n_nodes, "output": str(self.output)}
        print_answer(found, f"written to {self.output}", as_json=self.as_json)


def _as_dot(circuit: Circuit) -> str:
    from softlearn.circuit import to_dot  # noqa: PLC0415

    if circuit.n_nodes > _READABLE:
        note(f"a drawing of {circuit.n_nodes:,} nodes is hard to read; try softlearn plot")
    return to_dot(circuit, max_nodes=None)


def _as_json(circuit: Circuit) -> str:
    from softlearn.cli.circuit_dict import to_dict  # noqa: PLC0415

    return as_json_text(to_dict(circuit)) + "\n"
