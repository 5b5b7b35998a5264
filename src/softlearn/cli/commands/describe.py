"""What a model has learnt, in words."""

from __future__ import annotations

from dataclasses import dataclass

from softlearn.cli.answers import print_answer
from softlearn.cli.command import Command
from softlearn.cli.inputs import load_model
from softlearn.cli.options import ModelPath


@dataclass(frozen=True, kw_only=True)
class Describe(Command):
    """Summarise what a model has learnt: kinds of rows, and dependent columns."""

    examples = ("softlearn describe bank.safetensors",)

    model: ModelPath

    def run(self) -> None:
        """Summarise the model."""
        from softlearn.show import tell  # noqa: PLC0415

        found = tell(load_model(self.model))
        print_answer(found.to_dict(), str(found), as_json=self.as_json)
