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

MERGED_AT_ONCE = 8  # summaries that meet on one worker
MOST_ROWS = 2.0**53  # that float64 counts one by one
FEWEST_ROWS = 2  # one row has no spread, and nothing can be learnt from it


def with_training_weights(rows: Partitions) -> Partitions:
    """Return the rows with weights that are checked, and that count rows as those of frames do.

    Weights that add to no more than a single row, or to more rows than float64 can count, say only
    how much a row counts beside another: their mean becomes 1.
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
    """Return what the columns are by the cells of all parts; see ``infer_schema``.

    The schema is that of the whole table, however it is cut. `watch` is called with the share of
    the parts that are read, and their rows, if workers read them.
    """
    return schema_of(summary_over(rows, watch), overrides=overrides, missing=missing)


def summary_over(rows: Partitions, watch: Watch | None = None) -> TableSummary:
    """Return what all parts tell of their columns, merged a few at a time on the workers."""
    totals = None if rows.weights is None else _totals(rows)
    client = current_client()

    def summary_of(within: Mapping[str, Bins] | None) -> TableSummary:
        with watch_reading(client, len(rows.frames), watch):
            return _pass(rows, totals, within)

    summary = in_passes(summary_of)
    if summary.n_rows < FEWEST_ROWS:
        raise TableError(
            f"learning needs at least two rows: the {len(rows.frames)} partition(s) have "
            f"{summary.n_rows} of them"
        )
    return summary


def _pass(
    rows: Partitions, totals: WeightTotals | None, within: Mapping[str, Bins] | None
) -> TableSummary:
    """Return what all parts tell of their columns, or of values within some bins."""
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
    """Return the rows of each part as a delayed ``Block``, encoded where the part is read."""
    report = dask.delayed(schema)  # once, and not with each part
    return [
        dask.delayed(_encoded)(frame, weights, report, unknown, place)
        for frame, weights, place in rows.each()
    ]


def mapped(
    function: Callable[..., Any], rows: Partitions, *beside: Sequence[Delayed]
) -> tuple[Delayed, ...]:
    """Return ``function(frame, weights, ...)`` of each part and what lies beside it, delayed."""
    call, shipped = dask.delayed(_called), dask.delayed(function)  # once, and not with each part
    given = zip(rows.each(), *beside, strict=True)
    return tuple(call(shipped, *own, *others) for own, *others in given)


def compute(parts: Sequence[Delayed]) -> list[Any]:
    """Return what is delayed."""
    return list(dask.compute(*parts))


def mean_score(model: Any, rows: Partitions, *, unknown: str = "error") -> tuple[int, float]:  # noqa: ANN401
    """Return the number of rows, and the mean log-density that a model gives them."""
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
        raise SoftlearnError(f"sample_weight has {weights.size} numbers for {n_rows} rows")
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise SoftlearnError(
            f"sample_weight must be finite and not negative; row {first} has {weights[first]:g}"
        )
    return weights
