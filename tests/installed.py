"""What the package does where nothing else is installed: run by the Python of an empty environment.

`make package` runs it after the wheel alone was installed; no test framework is there.
"""

from __future__ import annotations

import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from softlearn import SoftLearn, load

COMMANDS = (
    "schema people.csv",
    "fit people.csv -o people.safetensors",
    "describe people.safetensors",
    "query people.safetensors sport --given age=20..30",
    "score people.safetensors people.csv",
    "sample people.safetensors -n 20 -o drawn.csv",
    "impute people.safetensors people.csv -o full.csv",
    "outliers people.safetensors people.csv",
)


def write_people(path: Path) -> None:
    """Write a small table with missing cells."""
    rng = random.Random(0)
    kinds = (("climbing", 25, 5), ("rowing", 50, 10))
    rows = [(sport, round(rng.gauss(*age))) for sport, *age in rng.choices(kinds, k=300)]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("sport", "age"))
        table.writerows((sport, "" if i % 7 == 0 else age) for i, (sport, age) in enumerate(rows))


def in_python() -> None:
    """Learn, score, keep and draw."""
    rows = np.random.default_rng(0).normal(size=(200, 3))
    learnt = SoftLearn(random_state=0).fit(rows)
    learnt.model_.save("model.safetensors")
    again = load("model.safetensors")
    assert again.score(rows) == learnt.score(rows)
    assert again.sample(5, random_state=0).shape == (5, 3)


def in_the_shell() -> None:
    """Run the commands that a newcomer tries first, on CSV."""
    write_people(Path("people.csv"))
    for command in COMMANDS:
        print("softlearn", command, flush=True)
        program = [sys.executable, "-m", "softlearn", *command.split()]
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    full = Path("full.csv").read_text(encoding="utf-8").splitlines()
    assert len(full) == 301
    assert not any(line.endswith(",") for line in full)
    assert len(Path("drawn.csv").read_text(encoding="utf-8").splitlines()) == 21


if __name__ == "__main__":
    import contextlib

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        in_python()
        in_the_shell()
    print("the installed package learns, answers, draws and reads CSV")
