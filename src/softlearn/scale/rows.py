"""Passes over the parts of a table: weights, schema, encoded rows, scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import dask
import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError, TableError
from softlearn.learn import Block
from softlearn.scale.cluster import current_client
from softlearn.scale.partitions import Delayed, Partitions, named_in_errors, opened
from softlearn.scale.read_progress import Watch, report_read, watch_reading
from softlearn.table import Schema, encode
from softlearn.table.choice import Choice
from softlearn.table.column import Missing
from softlearn.table.counts import WeightTotals
from softlearn.table.frames import open_frame
from softlearn.table.infer import schema_of
from softlearn.table.joining import MOST_VALUES, Bins
from softlearn.table.refining import in_passes
from softlearn.table.summary import TableSummary, merge, summarise

MERGED_AT_ONCE = 8  # summaries that one task merges
MOST_ROWS = 2.0**53  # whole numbers up to this are exact in float64
FEWEST_ROWS = 2  # nothing can be learnt from a single row


def with_training_weights(rows: Partitions) -> Partitions:
    """Return the rows with checked weights, scaled in the same way as those of frames in memory.

    Weights that add to one row or less, or to more rows than float64 can count, are only relative:
    they are divided by their mean.
    """
    if rows.weights is None:
        return rows
    totals = _totals(rows)
    if totals.n_counted < FEWEST_ROWS and totals.total < FEWEST_ROWS:
        raise SoftlearnError("sample_weight leaves fewer than two rows with a weight above zero")
    if 1 < totals.total <= MOST_ROWS:
        return rows
    mean = float(totals.total / totals.n_counted)
    return replace(rows, weights=tuple(dask.delayed(_divided)(w, mean) for w in rows.weights))


def schema_over(
    rows: Partitions,
    *,
    overrides: Mapping[str, Choice] | None = None,
    missing: Missing = "unobserved",
    watch: Watch | None = None,
) -> Schema:
    """Infer the schema from the cells of all parts; see ``infer_schema``.

    The schema does not depend on how the table is partitioned. If workers read the parts, `watch`
    is called with the share of parts that they have read, and with the number of rows.
    """
    return schema_of(summary_over(rows, watch), overrides=overrides, missing=missing)


def summary_over(rows: Partitions, watch: Watch | None = None) -> TableSummary:
    """Return the summary of all columns, merged from those of the parts on the workers."""
    totals = None if rows.weights is None else _totals(rows)
    client = current_client()

    def summary_of(within: Mapping[str, Bins] | None) -> TableSummary:
        with watch_reading(client, len(rows.frames), watch):
            return _pass(rows, totals, within)

    summary = in_passes(summary_of)
    if summary.n_rows < FEWEST_ROWS:
        raise TableError(
            f"learning needs at least two rows: the {len(rows.frames)} partition(s) have "
            f"{summary.n_rows} in total"
        )
    return summary


def _pass(
    rows: Partitions, totals: WeightTotals | None, within: Mapping[str, Bins] | None
) -> TableSummary:
    """Return the merged summary of all columns, or of their values within some bins."""
    level = [
        dask.delayed(_summarised)(frame, weights, totals, within, place)
        for frame, weights, place in rows.each()
    ]
    while len(level) > 1:
        starts = range(0, len(level), MERGED_AT_ONCE)
        level = [dask.delayed(_merged)(level[i : i + MERGED_AT_ONCE]) for i in starts]
    summary: TableSummary = dask.compute(level[0])[0]
    return summary


def encoded(rows: Partitions, schema: Schema, *, unknown: str = "error") -> list[Delayed]:
    """Return each part as a delayed ``Block``, which is encoded by the task that reads it."""
    shipped = dask.delayed(schema)  # sent once, not per part
    return [
        dask.delayed(_encoded)(frame, weights, shipped, unknown, place)
        for frame, weights, place in rows.each()
    ]


def mapped(
    function: Callable[..., Any], rows: Partitions, *beside: Sequence[Delayed]
) -> tuple[Delayed, ...]:
    """Apply ``function(frame, weights, *beside)`` to each part, and return delayed results."""
    call, shipped = dask.delayed(_called), dask.delayed(function)  # sent once, not per part
    given = zip(rows.each(), *beside, strict=True)
    return tuple(call(shipped, *own, *others) for own, *others in given)


def compute(parts: Sequence[Delayed]) -> list[Any]:
    """Compute delayed values."""
    return list(dask.compute(*parts))


def mean_score(model: Any, rows: Partitions, *, unknown: str = "error") -> tuple[int, float]:  # noqa: ANN401
    """Return the number of rows, and their mean log-density under a model."""
    shipped = dask.delayed(model)
    parts = dask.compute(
        *(dask.delayed(_scored)(frame, shipped, unknown, place) for frame, _, place in rows.each())
    )
    n_rows = sum(n for n, _ in parts)
    return n_rows, sum(total for _, total in parts) / max(n_rows, 1)


def _totals(rows: Partitions) -> WeightTotals:
    parts = dask.compute(
        *(
            dask.delayed(_part_totals)(frame, weights, place)
            for frame, weights, place in rows.each()
        )
    )
    merged: WeightTotals = reduce(WeightTotals.merged, parts)
    return merged


def _part_totals(frame: Any, weights: Any, place: str) -> WeightTotals:  # noqa: ANN401
    with named_in_errors(place):
        return WeightTotals.of(_read_weights(weights, open_frame(opened(frame)).n_rows))


def _summarised(
    frame: Any,  # noqa: ANN401
    weights: Any,  # noqa: ANN401
    totals: WeightTotals | None,
    within: Mapping[str, Bins] | None,
    place: str,
) -> TableSummary:
    with named_in_errors(place):
        counts, frame = None, opened(frame)
        if totals is not None:
            counts = totals.as_counts(_read_weights(weights, open_frame(frame).n_rows))
        found = summarise(frame, counts, place, within).bounded(MOST_VALUES)
    report_read(place, found.n_rows)
    return found


def _merged(parts: Sequence[TableSummary]) -> TableSummary:
    return merge(parts).bounded(MOST_VALUES)


def _encoded(frame: Any, weights: Any, schema: Schema, unknown: Any, place: str) -> Block:  # noqa: ANN401
    with named_in_errors(place):
        values = encode(opened(frame), schema, unknown=unknown)
        return Block(values, _read_weights(weights, values.shape[1]))


def _scored(frame: Any, model: Any, unknown: str, place: str) -> tuple[int, float]:  # noqa: ANN401
    with named_in_errors(place):
        scores = model.score_samples(opened(frame), unknown=unknown)
        return scores.size, float(scores.sum())


def _called(
    function: Callable[..., Any],
    frame: Any,  # noqa: ANN401
    weights: Any,  # noqa: ANN401
    place: str,
    *beside: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    with named_in_errors(place):
        frame = opened(frame)
        weights = _read_weights(weights, open_frame(frame).n_rows)
        return function(frame, weights, *beside)


def _divided(weights: Any, mean: float) -> Floats:  # noqa: ANN401
    return np.asarray(opened(weights), np.float64) / mean


def _read_weights(given: Any, n_rows: int) -> Floats:  # noqa: ANN401
    if given is None:
        return np.ones(n_rows)
    try:
        weights = np.asarray(opened(given), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SoftlearnError(f"sample_weight must be numbers, one per row ({error})") from error
    if weights.shape != (n_rows,):
        raise SoftlearnError(f"sample_weight has {weights.size} values for {n_rows} rows")
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise SoftlearnError(
            f"sample_weight must be finite and not negative; row {first} has {weights[first]:g}"
        )
    return weights
