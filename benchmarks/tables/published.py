"""Figures of other generators, quoted from the TabPC paper; nothing of them was run here."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

PAPER = "[Scassola, Ponsford et al. 2026](https://arxiv.org/abs/2603.23016)"
HARDWARE = "A6000"  # the graphics card of the quoted seconds
FILE = Path(__file__).with_name("published.csv")


class Quoted(NamedTuple):
    """A figure as printed, and as a number to compare with; None if there is none."""

    text: str
    value: float | None


def quoted(dataset: str) -> dict[str, dict[str, Quoted]]:
    """Return the figures of a table, by system and metric."""
    found: dict[str, dict[str, Quoted]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["dataset"] == dataset:
                found.setdefault(row["system"], {})[row["metric"]] = _read(row["value"])
    return found


def _read(text: str) -> Quoted:
    if text == "*":
        return Quoted("–", None)
    return Quoted(text, 0.0 if text.startswith("<") else float(text))
