"""Where drawn rows differ from real ones, in words: the columns that give them away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.tables.cells import as_plain, number_columns
from benchmarks.tables.columns import Told, by_column, by_pair
from benchmarks.tables.one_case import Case, learn_and_draw
from benchmarks.tables.splits import split_of

MOST_SHOWN = 15
DIAGNOSED = 5  # columns
FREQUENT = 20  # values of a column that are looked at, in either table
MOST_VALUES = 8  # of these that are shown
QUANTILES = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)


def report_of(case: Case) -> Iterator[str]:
    """Yield the lines of a report on rows that are drawn anew."""
    split = split_of(case.dataset)
    drawn = learn_and_draw(case, split)
    yield (
        f"{case.dataset}, {case.settings}, seed {case.seed}: {len(split.train)} training rows, as "
        f"many drawn; fit {drawn.fit_seconds:.1f} s. AUC 0.5: cannot be told apart."
    )
    yield from lines_of(split.train, drawn.rows, case.seed)


def lines_of(train: Any, rows: Any, seed: int) -> Iterator[str]:
    """Yield what single columns and pairs tell, and what is odd about the worst columns."""
    alone = by_column(train, rows, seed)
    auc_alone = {told.names[0]: told.auc for told in alone}
    yield "\nAUC of single columns"
    yield from map(_line, alone[:MOST_SHOWN])
    pairs = [
        (told, told.auc - max(auc_alone[name] for name in told.names))
        for told in by_pair(train, rows, seed)
    ]
    yield "\nAUC of pairs (gain: over the better of its columns alone)"
    for told, gain in pairs[:MOST_SHOWN]:
        yield f"{_line(told)}  gain {gain:+.3f}"
    yield "\nPairs that gain most: columns that do not depend on each other as they should"
    for told, gain in sorted(pairs, key=lambda pair: -pair[1])[:MOST_SHOWN]:
        yield f"{_line(told)}  gain {gain:+.3f}"
    real, drawn = as_plain(train, rows)
    numbers = number_columns(train)
    for told in alone[:DIAGNOSED]:
        (name,) = told.names
        yield f"\n{name} (AUC {told.auc:.3f})"
        if name in numbers:
            yield from _quantiles(real[name], drawn[name])
        yield from _frequent(real[name], drawn[name])


def _line(told: Told) -> str:
    return f"  {told.auc:.3f}  {' + '.join(told.names)}"


def _quantiles(real: Any, drawn: Any) -> Iterator[str]:
    yield "  quantile  " + "".join(f"{f'{100 * q:g} %':>12}" for q in QUANTILES)
    for title, column in (("real", real), ("drawn", drawn)):
        found = np.nanquantile(column, QUANTILES)
        yield f"  {title:<10}" + "".join(f"{value:>12.6g}" for value in found)
    yield (
        f"  different values: {real.nunique()} real, {drawn.nunique()} drawn; missing: "
        f"{real.isna().mean():.2%} real, {drawn.isna().mean():.2%} drawn"
    )


def _frequent(real: Any, drawn: Any) -> Iterator[str]:
    """Yield frequent values, those first whose shares differ most between real and drawn rows."""
    shares = [column.value_counts(normalize=True) for column in (real, drawn)]
    frequent = dict.fromkeys(value for share in shares for value in share.index[:FREQUENT])
    found = [(value, *(share.get(value, 0.0) for share in shares)) for value in frequent]
    found.sort(key=lambda one: -abs(one[1] - one[2]))
    for value, in_real, in_drawn in found[:MOST_VALUES]:
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        yield f"  {shown:<24}{in_real:>10.2%} real{in_drawn:>10.2%} drawn"
