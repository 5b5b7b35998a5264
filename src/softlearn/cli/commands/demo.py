"""``softlearn demo``."""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO

from softlearn.cli.answers import print_answer
from softlearn.cli.command import Command


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """Learn a model from rows drawn from a known distribution, and compare it with the truth.

    A model file and pictures go to the folder `demo`, over those of an earlier run.
    """

    examples = ("softlearn demo",)

    def run(self) -> None:
        """Run the demo."""
        from softlearn import demo  # noqa: PLC0415

        if not self.as_json:
            demo.main()
            return
        with redirect_stdout(StringIO()):
            found = demo.main()
        print_answer(found, "", as_json=True)
