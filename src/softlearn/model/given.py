"""What an answer is conditioned on: nothing, a dict, or a frame with evidence in every row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import EvidenceError, ImpossibleEvidenceError
from softlearn.model.asking import Conditions, as_condition
from softlearn.query import Evidence
from softlearn.table import Schema, decode_value, encode

Unknown: TypeAlias = Literal["error", "missing"]
Extra: TypeAlias = Literal["error", "ignore"]
Impossible: TypeAlias = Literal["error", "nan"]
# A pandas or polars DataFrame, a pyarrow Table or a 2-D array; none of them need be installed.
Frame: TypeAlias = Any

BATCH_ROWS = 65_536  # rows that are floats at a time: 50 MB for a hundred columns
_SHOWN = 6  # cells of an impossible row that a message names


@dataclass(frozen=True, eq=False)
class Given:
    """Evidence, and the words in which the caller gave it."""

    schema: Schema
    evidence: Evidence
    conditions: Conditions | None  # None for a frame

    def answer(self, of_rows: Floats) -> float | Floats:
        """Return one number for a dict, one per row for a frame."""
        return float(of_rows[0]) if self.conditions is not None else of_rows

    def refuse(self, impossible_rows: Bools, impossible: Impossible) -> None:
        """Raise an error that names the first impossible row, unless such rows may be NaN."""
        if impossible not in ("error", "nan"):
            raise EvidenceError(f"impossible must be 'error' or 'nan', not {impossible!r}")
        if impossible == "nan" or not impossible_rows.any():
            return
        if self.conditions is not None:
            raise ImpossibleEvidenceError(
                f"{{{_listed(self.conditions)}}} has probability zero in this model, so nothing "
                "can be conditioned on it; change or leave out a condition"
            )
        first, count = int(np.argmax(impossible_rows)), int(impossible_rows.sum())
        raise ImpossibleEvidenceError(
            f"row {first} ({_listed(self._known(first))}) has probability zero in this model, so "
            f"nothing can be conditioned on it; {count} such row{'s' if count != 1 else ''}. "
            "Correct it, or pass impossible='nan' to get missing answers for such rows."
        )

    def refuse_given(self, positions: Iterable[int]) -> None:
        """Raise an error if a frame holds values of one of these columns, which are asked for.

        A dict says what it means. Whole rows are easily given with the very column that is asked
        for, and would be answered by themselves.
        """
        for position in () if self.conditions is not None else positions:
            rows = np.flatnonzero(~np.isnan(self.evidence.values[position]))
            if rows.size:
                raise EvidenceError(
                    f"the value of {self.schema.names[position]!r} is asked for and also given in "
                    f"row {rows[0]}; leave the column out of the frame"
                )

    def _known(self, row: int) -> Conditions:
        """Return the observed cells of a row as the caller's values."""
        values = self.evidence.values[:, row].tolist()
        return {
            column.name: decode_value(column, value)
            for column, value in zip(self.schema, values, strict=True)
            if value == value  # noqa: PLR0124 - NaN is not known
        }


def read_given(
    given: Conditions | Frame | None, schema: Schema, *, unknown: Unknown = "error"
) -> Given:
    """Return what the caller gave as evidence; None is one row of which nothing is known.

    ``unknown`` is about the rows of a frame: what a dict says is meant, and refused if it is wrong.
    Columns that a frame lacks are not known.
    """
    if given is None or isinstance(given, Mapping):
        conditions = given or {}
        return Given(schema, as_condition(conditions, schema), conditions)
    values = encode(given, schema, unknown=unknown, gaps="unobserved", absent="unobserved")
    return Given(schema, Evidence(values), None)


def read_frame(
    frame: Frame, schema: Schema, *, unknown: Unknown = "error", extra: Extra = "error"
) -> Given:
    """Return the rows of a frame as evidence."""
    values = encode(frame, schema, unknown=unknown, extra=extra, gaps="unobserved")
    return Given(schema, Evidence(values), None)


def read_mapping(given: Conditions | None, schema: Schema) -> Given:
    """Return what the caller says of one row; frames are refused."""
    if given is not None and not isinstance(given, Mapping):
        raise EvidenceError(
            f"this question takes one condition, {{column: value}}, not a {type(given).__name__}"
        )
    return read_given(given, schema)


def encoded_batches(
    frame: Frame, schema: Schema, *, unknown: Unknown, extra: Extra
) -> Iterator[Evidence]:
    """Yield the rows of a frame as evidence, never more than a batch of them at a time."""
    n_rows = len(frame) if hasattr(frame, "__len__") else 0
    rows: Frame = getattr(frame, "iloc", frame)  # pandas alone reads frame[0:10] by label
    for start in range(0, max(n_rows, 1), BATCH_ROWS):
        batch = frame if n_rows <= BATCH_ROWS else rows[start : start + BATCH_ROWS]
        yield Evidence(encode(batch, schema, unknown=unknown, extra=extra))


def _listed(conditions: Conditions) -> str:
    """Return the first few conditions as text."""
    shown = [f"{name!r}: {what!r}" for name, what in list(conditions.items())[:_SHOWN]]
    rest = len(conditions) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
