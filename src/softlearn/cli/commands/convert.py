"""``softlearn convert``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

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
    """Write a model in another format, chosen by the file name.

    Graphviz drawings end in .dot, JSON in .json. A deterministic circuit over two-level columns,
    whose products follow one tree of the columns, can be saved as a PSDD: .psdd, with a .vtree file
    beside it. All commands read both .psdd and .safetensors.
    """

    examples = (
        "softlearn convert votes.safetensors votes.psdd",
        "softlearn convert votes.psdd votes.safetensors",
        "softlearn convert bank.safetensors bank.json",
        "softlearn convert small.safetensors small.dot && dot -Tsvg small.dot -o small.svg",
    )

    model: ModelPath
    output: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The output file; ends in .dot, .json, .psdd or .safetensors."
        ),
    ]
    force: Force = False

    def run(self) -> None:
        """Convert."""
        from softlearn.circuit import load_circuit, save_circuit  # noqa: PLC0415

        must_be_free(self.output, force=self.force, inputs=(self.model,))
        if self.output.suffix not in (*_TEXTS, *_MODELS):
            listed = ", ".join((*_TEXTS, *_MODELS))
            raise SoftlearnError(
                f"{self.output} must end in one of {listed}, which choose the format"
            )
        circuit = load_circuit(self.model)
        if self.output.suffix in _MODELS:
            save_circuit(self.output, circuit)
        else:
            write_whole(self.output, _TEXTS[self.output.suffix](circuit))
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


_TEXTS: Final = {".dot": _as_dot, ".json": _as_json}
_MODELS: Final = (".psdd", ".safetensors")
