"""The walk through what a circuit can answer."""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO

from softlearn.cli.answers import print_answer
from softlearn.cli.command import Command


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """Build a small circuit and ask it questions; its files go to the folder `demo`."""

    examples = ("softlearn demo",)

    def run(self) -> None:
        """Walk through the questions."""
        from softlearn import demo  # noqa: PLC0415

        if not self.as_json:
            demo.main()
            return
        printed = StringIO()
        with redirect_stdout(printed):
            demo.main()
        print_answer({"text": printed.getvalue()}, "", as_json=True)
