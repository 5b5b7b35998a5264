"""Compile everything ahead of the first fit."""

from __future__ import annotations

import time
from dataclasses import dataclass

from softlearn.cli.answers import print_answer
from softlearn.cli.command import Command


@dataclass(frozen=True, kw_only=True)
class WarmUp(Command):
    """Compile everything now instead of in the first fit, for container images and clusters.

    Compiled code is kept in the package's folder, or in Numba's user folder if that is read-only,
    or in the folder that the environment variable NUMBA_CACHE_DIR names.
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
