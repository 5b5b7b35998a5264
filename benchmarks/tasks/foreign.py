"""Rivals whose dependencies would disturb ours, each run as a script by another Python."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pandas as pd

from benchmarks.tasks.measured import NotRunError

SCRIPTS = Path(__file__).resolve().parent / "rivals"
MOST_SECONDS = 300


def rows_by(script, python, split):
    """Return as many rows as a rival learns from, drawn by it, and the seconds of its fit."""
    with tempfile.TemporaryDirectory() as folder:
        table, drawn = Path(folder, "table.csv"), Path(folder, "drawn.csv")
        split.train.to_csv(table, index=False)
        command = [python, SCRIPTS / script, table, drawn]
        command += ["--rows", str(len(split.train)), "--seed", str(split.seed)]
        command += ["--categorical", *split.categorical]
        seconds = _run(command)
        texts = dict.fromkeys(split.categorical, str)
        return pd.read_csv(drawn, dtype=texts, keep_default_na=False), seconds


def _run(command):
    """Return the seconds that a script prints in its last line."""
    try:
        run = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise NotRunError(f"took more than {MOST_SECONDS} s") from error
    if run.returncode:
        raise NotRunError((run.stderr.strip().splitlines() or ["ended without a word"])[-1])
    return float(run.stdout.split()[-1])
