"""Shape and Trend: how alike columns are one by one, and two by two."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sdmetrics.column_pairs import ContingencySimilarity
from sdmetrics.reports.single_table import QualityReport

from benchmarks.tables.cells import as_plain, number_columns


class Quality(NamedTuple):
    """The properties of sdmetrics' quality report, 1 is best.

    The report cuts a number that is paired with a label into ten bins between the extremes of each
    table, its own for either: one drawn number beyond the real ones moves all bins. That is how
    Trend was published; `trend_same_bins` cuts both tables by the real one's bins.
    """

    shape: float
    trend: float
    trend_same_bins: float


def quality(real: Any, drawn: Any) -> Quality:
    """Return how alike the columns of two tables are."""
    numbers = number_columns(real)
    kinds = {name: "numerical" if name in numbers else "categorical" for name in real}
    metadata = {"columns": {name: {"sdtype": kind} for name, kind in kinds.items()}}
    tables = as_plain(real, drawn)
    report = QualityReport()
    with warnings.catch_warnings():  # of columns with one value, which have no correlation
        warnings.simplefilter("ignore")
        report.generate(*tables, metadata, verbose=False)
        pairs = report.get_details("Column Pair Trends")
        cut_alike = [
            _cut_alike(tables, pair, numbers) if _is_mixed(pair, numbers) else score
            for *pair, score in pairs[["Column 1", "Column 2", "Score"]].itertuples(index=False)
        ]
    scores = report.get_properties().set_index("Property")["Score"]
    return Quality(
        float(scores["Column Shapes"]),
        float(scores["Column Pair Trends"]),
        float(np.nanmean(cut_alike)),
    )


def _is_mixed(pair: list[str], numbers: list[str]) -> bool:
    return (pair[0] in numbers) != (pair[1] in numbers)


def _cut_alike(tables: list[Any], pair: list[str], numbers: list[str]) -> float:
    real, drawn = (table[pair].copy() for table in tables)
    number = [name for name in pair if name in numbers]
    return float(ContingencySimilarity.compute(real, drawn, continuous_column_names=number))
