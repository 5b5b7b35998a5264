"""A table with one line per column of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlearn.circuit import Circuit
from softlearn.model.density import DensityDistribution
from softlearn.model.levels import LevelDistribution
from softlearn.query import mutual_information
from softlearn.table import Column

_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
_BITS = float(np.log(2.0))


def column_lines(
    circuit: Circuit,
    found: dict[str, LevelDistribution | DensityDistribution],
    n_informative: int,
) -> dict[str, list[Any]]:
    """Return the summary of all columns, as one list for each of its own columns."""
    tells = _informative(circuit, n_informative)
    names = ("column", "kind", "scale", "missing", "mean", "std")
    quantiles = tuple(f"{100 * level:g}%" for level in _LEVELS)
    lines: dict[str, list[Any]] = {
        name: [] for name in (*names, *quantiles, "top", "top_share", "informative")
    }
    for column in circuit.schema:
        one = {
            "column": column.name,
            "kind": column.kind,
            "scale": column.in_words,
            **_measures(column, found[column.name]),
            "informative": tells.get(column.name, ""),
        }
        for name, cells in lines.items():
            cells.append(one.get(name))
    return lines


def _measures(
    column: Column, distribution: LevelDistribution | DensityDistribution
) -> dict[str, Any]:
    if isinstance(distribution, LevelDistribution):
        missing = distribution.get(None, 0.0)
        present = {level: p for level, p in distribution.items() if level is not None}
        top = max(present, key=present.__getitem__)
        return {"missing": missing, "top": str(top), "top_share": present[top]}
    if column.kind == "datetime":  # a frame's column holds one type, and these are times
        return {"missing": distribution.missing, "top": str(distribution.quantile(0.5))}
    quantiles = distribution.quantile(list(_LEVELS))
    by_name = {f"{100 * q:g}%": float(x) for q, x in zip(_LEVELS, quantiles, strict=True)}
    measures = {"mean": float(distribution.mean), "std": distribution.std}
    return {"missing": distribution.missing, **measures, **by_name}


def _informative(circuit: Circuit, n: int) -> dict[str, str]:
    """Return the most informative other columns of each column, with their mutual information."""
    columns = circuit.schema.columns
    countable = [i for i, one in enumerate(columns) if one.is_discrete or one.scale is not None]
    if n < 1 or len(countable) < 2:
        return {}
    bits = mutual_information(circuit, countable) / _BITS
    np.fill_diagonal(bits, -1.0)
    found = {}
    for row, position in enumerate(countable):
        order = np.argsort(-bits[row], kind="stable")[:n]
        parts = [f"{columns[countable[i]].name} {bits[row, i]:.2f} bits" for i in order]
        found[columns[position].name] = ", ".join(parts)
    return found
