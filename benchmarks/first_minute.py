"""Record the first minute of a new user: ``python -m benchmarks.first_minute [--write]``.

In an empty environment the library is installed from this folder, learns a first table and gives
a first answer, as in a terminal; then both again. Each command is printed with what it says, and
with the elapsed and the CPU seconds that it took. ``--write`` puts the recording
into docs/installation.md.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np

from softlearn.whole_files import write_whole

_ROOT = Path(__file__).parents[1]
_PAGE = _ROOT / "docs" / "installation.md"
_BEGIN, _END = "<!-- first minute -->\n", "<!-- end of the first minute -->\n"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")  # colours and movements of the cursor
# How pip begins a line about folders that a machine is set up with.
_PLACES = "WARNING: Location"
_COMMANDS = (
    f"pip install --quiet {_ROOT}",
    "softlearn fit people.csv -o people.safetensors",
    "softlearn query people.safetensors sport --given 'age=20..30'",
    "softlearn fit people.csv -o people.safetensors --force",
    "softlearn query people.safetensors sport --given 'age=20..30'",
)


def main() -> None:
    """Run all commands in a folder of their own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write it to docs/installation.md")
    is_written = parser.parse_args().write
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        _write_table(place / "people.csv")
        steps = [_recorded(command, place) for command in _COMMANDS]
    recording = "\n".join(steps).replace(str(_ROOT), ".").replace(folder, "~")
    print(recording)
    if is_written:
        before, _, rest = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
        after = rest.partition(_END)[2]
        block = f"{_BEGIN}\n```text\n{recording}```\n\n{_END}"
        write_whole(_PAGE, before + block + after)


def _write_table(path: Path) -> None:
    """Write 2,000 people, climbers and rowers, half of whose ages are lost."""
    rng = np.random.default_rng(1)
    climbs = rng.random(2_000) < 0.4
    age = np.where(climbs, rng.normal(25, 5, 2_000), rng.normal(50, 10, 2_000)).round()
    sport = np.where(rng.random(2_000) < np.where(climbs, 0.8, 0.1), "climbing", "rowing")
    lines = [f"{'' if i % 2 else int(age[i])},{sport[i]}" for i in range(2_000)]
    path.write_text("age,sport\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _recorded(command: str, place: Path) -> str:
    """Run a command whose output goes to a terminal; return it with what the terminal showed."""
    settings = {**os.environ, "COLUMNS": "100"}
    settings = {name: it for name, it in settings.items() if name != "PYTHONPATH"}
    words = shlex.split(command)
    outer, inner = pty.openpty()
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    running = subprocess.Popen(
        [str(place / "env" / "bin" / words[0]), *words[1:]],
        cwd=place,
        env=settings,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    shown = _shown(outer)
    if running.wait():
        sys.exit(f"{command} failed:\n{shown}")
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"$ {command}\n{shown}[{seconds:.1f} s elapsed, {spent:.1f} CPU s]\n"


def _shown(terminal: int) -> str:
    """Return what stays on a terminal: lines that were written over count as they ended."""
    said = bytearray()
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not more:
            break
        said += more
    os.close(terminal)
    lines = _CONTROL.sub("", said.decode(errors="replace")).replace("\r\n", "\n").split("\n")
    last = [line.rstrip("\r").rpartition("\r")[2].rstrip() for line in lines]
    return "".join(f"{line}\n" for line in last if line and not line.startswith(_PLACES))


if __name__ == "__main__":
    main()
