"""Compile everything ahead of the first fit."""

from __future__ import annotations

import time
from dataclasses import dataclass

from softlearn.cli.answers import print_answer
from softlearn.cli.command import Command


@dataclass(frozen=True, kw_only=True)
class WarmUp(Command):
    """Compile everything now rather than in the first fit: for images and clusters.

    What is compiled is kept beside the package, or in Numba's folder for the user if that is
    read-only, or where the environment variable NUMBA_CACHE_DIR says.
    """

    examples = ("softlearn warm-up", "NUMBA_CACHE_DIR=/opt/cache softlearn warm-up")

    def run(self) -> None:
        """Compile."""
        from softlearn.kernels.announce import cache_folder  # noqa: PLC0415
        from softlearn.warm_up import warm_up  # noqa: PLC0415

        begin = time.monotonic()
        warm_up()
        seconds, folder = time.monotonic() - begin, cache_folder()
        kept = f"kept in {folder}" if folder else "but no folder can be written to: nothing is kept"
        found = {"seconds": round(seconds, 1), "cache": str(folder) if folder else None}
        print_answer(found, f"compiled in {seconds:.0f} s, {kept}", as_json=self.as_json)
