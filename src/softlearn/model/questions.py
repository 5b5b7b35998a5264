"""The methods of ``Model`` that return numbers and distributions."""

from __future__ import annotations

from typing import TypeAlias, overload

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.errors import EvidenceError, SoftlearnError
from softlearn.model.asking import Conditions, as_event
from softlearn.model.density import DensityDistribution
from softlearn.model.given import Frame, Given, Impossible, Unknown, read_given, read_mapping
from softlearn.model.levels import LevelDistribution
from softlearn.model.pairs import PairTable
from softlearn.model.posterior import of_columns
from softlearn.model.randomness import RandomState, generator
from softlearn.query import (
    Estimate,
    conditional_log_probability,
    covariance,
    entropy,
    log_likelihood,
    mean,
    mutual_information,
    variance,
)
from softlearn.table import Schema

Numbers: TypeAlias = float | Floats  # one for a dict, one per row for a frame
Distribution: TypeAlias = LevelDistribution | DensityDistribution
Names: TypeAlias = list[str] | tuple[str, ...]


class Questions:
    """The queries about the columns of a circuit.

    Evidence is given as ``{column: known}``, where ``known`` is a value, a set or list of levels,
    an interval ``(lo, hi)``, which includes both ends and has ``None`` for an open one, or ``None``
    for no evidence. In integer columns ``(30, 40)`` means the whole numbers from 30 to 40.
    """

    circuit: Circuit

    @property
    def schema(self) -> Schema:
        """What the columns are."""
        return self.circuit.schema

    @overload
    def probability(
        self, event: Conditions, given: Conditions | None = None, *, log: bool = False
    ) -> float: ...

    @overload
    def probability(
        self,
        event: Conditions,
        given: Frame,
        *,
        log: bool = False,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
    ) -> Floats: ...

    def probability(
        self,
        event: Conditions,
        given: Conditions | Frame | None = None,
        *,
        log: bool = False,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
    ) -> Numbers:
        """Return P(event | given).

        Parameters
        ----------
        event : dict
            The event. A single value of a column of decimal numbers or times usually has
            probability zero; give an interval.
        given : dict or frame, optional
            Evidence. Each row of a frame is a separate condition with its own answer; columns that
            the frame lacks are unknown.
        log : bool
            Whether to return the natural logarithm.
        impossible : {"error", "nan"}
            Whether a condition of probability zero is an error, or gives NaN.
        unknown : {"error", "missing"}
            Whether an unknown level in a given frame is an error, or treated as missing.
        """
        events = as_event(event, self.schema)
        known = read_given(given, self.schema, unknown=unknown)
        known.refuse_given(self.schema.index(name) for name in event)
        rows = known.evidence
        found = conditional_log_probability(
            self.circuit, events.repeat(rows.n_rows), rows, impossible="nan"
        )
        known.refuse(np.isnan(found), impossible)
        return known.answer(found if log else np.exp(found))

    def distribution(self, column: str, given: Conditions | None = None) -> Distribution:
        """Return the distribution of one column: its levels' probabilities, or its density.

        Parameters
        ----------
        column : str
            The column; if it is continuous, its value must not be given.
        given : dict, optional
            What is known.
        """
        known, position = read_mapping(given, self.schema), self.schema.index(column)
        about = self.schema.columns[position]
        if not about.is_discrete and not np.isnan(known.evidence.values[position, 0]):
            raise EvidenceError(f"the value of {column!r} is given, so there is nothing to ask")
        return of_columns(self.circuit, known, [position])[column]

    def distributions(self, given: Conditions | None = None) -> dict[str, Distribution]:
        """Return the distribution of every column whose value is not given, in one pass."""
        known = read_mapping(given, self.schema)
        open_columns = np.flatnonzero(known.evidence.unobserved()[:, 0]).tolist()
        return of_columns(self.circuit, known, open_columns)

    @overload
    def expectation(
        self,
        columns: str,
        given: Conditions | Frame | None = None,
        *,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
    ) -> Numbers: ...

    @overload
    def expectation(
        self,
        columns: Names | None = None,
        given: Conditions | Frame | None = None,
        *,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
    ) -> dict[str, Numbers]: ...

    def expectation(
        self,
        columns: str | Names | None = None,
        given: Conditions | Frame | None = None,
        *,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
    ) -> Numbers | dict[str, Numbers]:
        """Return the expected value of a column, or a dict of several.

        Parameters
        ----------
        columns : str or list of str, optional
            By default every column of numbers. False and true count as 0 and 1, times in seconds
            since 1970.
        given : dict or frame, optional
            Evidence. For a frame the result is an array with one answer per row; columns that it
            lacks are unknown. It must not contain a queried column.
        impossible : {"error", "nan"}
            Whether a condition of probability zero is an error, or gives NaN.
        unknown : {"error", "missing"}
            Whether an unknown level in a given frame is an error, or treated as missing.
        """
        known = read_given(given, self.schema, unknown=unknown)
        positions = self._asked_for(columns, known)
        found = mean(self.circuit, known.evidence, positions, impossible="nan")
        return self._by_name(columns, positions, known, found, impossible)

    def variance(
        self,
        columns: str | Names | None = None,
        given: Conditions | Frame | None = None,
        *,
        impossible: Impossible = "error",
        unknown: Unknown = "error",
    ) -> Numbers | dict[str, Numbers]:
        """Return the variance of a column, or a dict of several; as ``expectation``."""
        known = read_given(given, self.schema, unknown=unknown)
        positions = self._asked_for(columns, known)
        found = variance(self.circuit, known.evidence, positions, impossible="nan")
        return self._by_name(columns, positions, known, found, impossible)

    def covariance(
        self, columns: Names | None = None, given: Conditions | None = None
    ) -> PairTable:
        """Return the covariances of some columns, by default of all columns of numbers."""
        known, positions = read_mapping(given, self.schema), self._positions(columns)
        found = covariance(self.circuit, known.evidence, positions, impossible="nan")[0]
        known.refuse(np.isnan(found[:1, 0]), "error")
        return PairTable(tuple(self.schema.names[i] for i in positions), found)

    def mutual_information(
        self, columns: Names | None = None, given: Conditions | None = None
    ) -> PairTable:
        """Return the mutual information of columns, in nats.

        It is exact, for discrete columns and for those with a scale; by default for all of them.
        The diagonal holds the entropy of each column's levels or cells.
        """
        known = read_mapping(given, self.schema)
        known.refuse(np.isneginf(log_likelihood(self.circuit, known.evidence)), "error")
        if columns is None:
            positions = [
                i
                for i, column in enumerate(self.schema)
                if column.is_discrete or column.scale is not None
            ]
        else:
            positions = self._positions(columns)
        found = mutual_information(self.circuit, positions, evidence=known.evidence)
        return PairTable(tuple(self.schema.names[i] for i in positions), found)

    def entropy(self, n: int = 10_000, random_state: RandomState = None) -> Estimate:
        """Estimate the entropy of whole rows in nats, from ``n`` samples.

        Returns
        -------
        Estimate
            ``value`` and ``standard_error``. With continuous columns the value may be negative.
        """
        return entropy(self.circuit, n, generator(random_state))

    def _positions(self, columns: str | Names | None) -> list[int]:
        """Return where the columns stand; by default those whose values are numbers."""
        if columns is not None:
            names = [columns] if isinstance(columns, str) else columns
            if not names:
                raise EvidenceError("name at least one column")
            return [self.schema.index(name) for name in names]
        found = [
            position
            for position, column in enumerate(self.schema)
            if column.kind != "datetime"
            and not any(isinstance(level, str) for level in column.levels)
        ]
        if not found:
            raise EvidenceError("no column holds numbers; ask for distributions instead")
        return found

    def _asked_for(self, columns: str | Names | None, known: Given) -> list[int]:
        """Return where the columns stand; those that are asked for by name must not be given."""
        positions = self._positions(columns)
        if columns is not None:
            known.refuse_given(positions)
        return positions

    def _by_name(
        self,
        columns: str | Names | None,
        positions: list[int],
        known: Given,
        found: Floats,  # (rows, columns)
        impossible: Impossible,
    ) -> Numbers | dict[str, Numbers]:
        """Return one answer for one name, else a dict."""
        unclear = np.isnan(found) | np.isinf(found)
        if unclear.any():
            rows = np.flatnonzero(unclear.any(axis=1))
            possible = rows[log_likelihood(self.circuit, known.evidence)[rows] > -np.inf]
            if possible.size:
                name = self.schema.names[positions[int(np.argmax(unclear[possible[0]]))]]
                raise SoftlearnError(f"column {name!r}: the answer is beyond the largest float64")
        known.refuse(np.isnan(found[:, 0]), impossible)
        answers = [known.answer(column) for column in found.T]
        if isinstance(columns, str):
            return answers[0]
        return dict(zip((self.schema.names[i] for i in positions), answers, strict=True))
