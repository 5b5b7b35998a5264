"""Shape and Trend: how alike columns are one by one, and two by two."""

from __future__ import annotations

import warnings
from typing import Any

from sdmetrics.reports.single_table import QualityReport

from benchmarks.tables.cells import as_plain, number_columns


def shape_and_trend(real: Any, drawn: Any) -> tuple[float, float]:
    """Return the two properties of sdmetrics' quality report."""
    numbers = number_columns(real)
    kinds = {name: "numerical" if name in numbers else "categorical" for name in real}
    metadata = {"columns": {name: {"sdtype": kind} for name, kind in kinds.items()}}
    report = QualityReport()
    with warnings.catch_warnings():  # of columns with one value, which have no correlation
        warnings.simplefilter("ignore")
        report.generate(*as_plain(real, drawn), metadata, verbose=False)
    scores = report.get_properties().set_index("Property")["Score"]
    return float(scores["Column Shapes"]), float(scores["Column Pair Trends"])
