"""How a rival's script gets its table and hands back rows: as CSV files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

# Fits to a frame with these categorical columns and a seed; returns what draws n rows.
Fit = Callable[[Any, list[str], int], Callable[[int], Any]]


def serve(fit: Fit) -> None:
    """Read a table, fit, write as many rows as were asked for, print the seconds of the fit."""
    options = _parser().parse_args()
    texts = dict.fromkeys(options.categorical, str)
    table = pd.read_csv(options.table, dtype=texts, keep_default_na=False)
    start = time.perf_counter()
    draw = fit(table, options.categorical, options.seed)
    seconds = time.perf_counter() - start
    rows = draw(options.rows)[list(table.columns)]
    part = options.drawn.with_suffix(".part")
    rows.to_csv(part, index=False)
    part.replace(options.drawn)
    sys.stdout.write(f"{seconds}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("drawn", type=Path)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--categorical", nargs="*", default=[])
    return parser
